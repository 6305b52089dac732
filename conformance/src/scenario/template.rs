//! Values in scenarios that are not fixed before the run: numbers that other steps gave, long bytes, loop counters.
//!
//! | written | means |
//! |---|---|
//! | `7` | 7 |
//! | `"$a.id"`, `"-$a.id"`, `"$i+1"` | sums and differences of numbers and variables |
//! | `"*"` | anything (in an expectation) |
//! | `"=name"` | anything, and it is kept under that name (in an expectation) |
//! | `"k{i}"` in a key | the decimal value of a variable within the text |
//! | `{"repeat":"61","times":"$n"}` | these bytes, as many times |

use serde::{Deserialize, Serialize};

use super::vars::{Vars, eval};
use crate::frame_json::{JsonEntry, JsonFrame};
use crate::hex::{self, Hex};

/// A number, an expression, or a pattern for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Num {
    /// As it is.
    Fixed(i64),
    /// See the module.
    Expr(String),
}

impl Num {
    /// Its value.
    ///
    /// # Errors
    /// A text if a variable has no value or the expression is not well-formed.
    pub fn value(&self, vars: &Vars) -> Result<i64, String> {
        match self {
            Num::Fixed(number) => Ok(*number),
            Num::Expr(text) => eval(text, vars),
        }
    }

    pub(in crate::scenario) fn value_as<T: TryFrom<i64>>(&self, vars: &Vars) -> Result<T, String> {
        let value = self.value(vars)?;
        T::try_from(value).map_err(|_| format!("{value} is out of range here"))
    }

    fn admits(&self, got: i64, vars: &mut Vars) -> Result<bool, String> {
        match self {
            Num::Expr(text) if text == "*" => Ok(true),
            Num::Expr(text) => match text.strip_prefix('=') {
                Some(name) => {
                    vars.set(name, got);
                    Ok(true)
                }
                None => Ok(eval(text, vars)? == got),
            },
            Num::Fixed(number) => Ok(*number == got),
        }
    }
}

impl std::fmt::Display for Num {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Num::Fixed(number) => number.fmt(f),
            Num::Expr(text) => f.write_str(text),
        }
    }
}

/// Bytes, or a pattern for them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Bytes {
    /// Lowercase hex, or `"*"` for anything.
    Hex(String),
    /// Made when they are needed.
    Made(Made),
    /// One after the other.
    Joined(Vec<Bytes>),
}

/// Bytes that are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Made {
    /// The bytes `repeat`, `times` times.
    Repeat {
        /// Lowercase hex.
        repeat: Hex,
        /// How often.
        times: Num,
    },
    /// A number as 4 bytes, little-endian.
    Le32 {
        /// The number.
        le32: Num,
    },
    /// UTF-8 of a text with `{name}` in it.
    Text {
        /// The text.
        text: String,
    },
}

impl Bytes {
    /// The bytes.
    ///
    /// # Errors
    /// As for [`Num::value`]; also for a pattern that admits anything.
    pub fn value(&self, vars: &Vars) -> Result<Vec<u8>, String> {
        match self {
            Bytes::Hex(text) => hex::decode(text).ok_or_else(|| format!("not lowercase hex: {text:?}")),
            Bytes::Joined(parts) => {
                let parts: Result<Vec<_>, _> = parts.iter().map(|part| part.value(vars)).collect();
                Ok(parts?.concat())
            }
            Bytes::Made(Made::Repeat { repeat, times }) => {
                let times: usize = times.value_as(vars)?;
                Ok(repeat.bytes().repeat(times))
            }
            Bytes::Made(Made::Le32 { le32 }) => Ok((le32.value(vars)? as u32).to_le_bytes().to_vec()),
            Bytes::Made(Made::Text { text }) => Ok(vars.fill(text)?.into_bytes()),
        }
    }

    fn admits(&self, got: &[u8], vars: &Vars) -> Result<bool, String> {
        match self {
            Bytes::Hex(text) if text == "*" => Ok(true),
            other => Ok(other.value(vars)? == got),
        }
    }

    fn hex(&self, vars: &Vars) -> Result<Hex, String> {
        self.value(vars).map(Hex)
    }
}

/// A key, or a pattern for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Key {
    /// A text with `{name}` in it.
    Text(String),
    /// A text, many times.
    Repeat {
        /// The text.
        repeat: String,
        /// How often.
        times: Num,
    },
}

impl Key {
    /// The key.
    ///
    /// # Errors
    /// As for [`Num::value`].
    pub fn value(&self, vars: &Vars) -> Result<String, String> {
        match self {
            Key::Text(text) => vars.fill(text),
            Key::Repeat { repeat, times } => Ok(repeat.repeat(times.value_as(vars)?)),
        }
    }
}

/// The entries of a snapshot: a list whose members may stand for many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The commit.
    pub rev: Num,
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Bytes,
    /// Makes entries for `from` to `to` of a variable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each: Option<Each>,
}

/// A range of a variable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Each {
    /// The variable.
    pub var: String,
    /// Its first value.
    pub from: Num,
    /// Its last value.
    pub to: Num,
}

/// A frame to send, or a pattern for one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "frame", rename_all = "SCREAMING_SNAKE_CASE", deny_unknown_fields)]
#[expect(missing_docs, reason = "the fields are those of JsonFrame")]
pub enum Frame {
    WorldSave { blob: Bytes },
    WorldLoad { blob: Bytes },
    WorldSaveAck {},
    StateSet { key: Key, value: Bytes },
    StateUpdate { rev: Num, key: Key, value: Bytes },
    StateSnapshot { entries: Vec<Entry> },
    AddPeer { peer: Num },
    DelPeer { peer: Num },
    Relay { peer: Num, payload: Bytes },
}

impl Frame {
    /// The frame, for sending or for showing what was expected.
    ///
    /// # Errors
    /// As for [`Num::value`].
    pub fn value(&self, vars: &Vars) -> Result<JsonFrame, String> {
        const LEAD: u8 = roomwire_codec::registry::sys::LEAD;
        Ok(match self {
            Frame::WorldSave { blob } => JsonFrame::WorldSave { blob: blob.hex(vars)? },
            Frame::WorldLoad { blob } => JsonFrame::WorldLoad { blob: blob.hex(vars)? },
            Frame::WorldSaveAck {} => JsonFrame::WorldSaveAck {},
            Frame::StateSet { key, value } => {
                JsonFrame::StateSet { key: key.value(vars)?, value: value.hex(vars)? }
            }
            Frame::StateUpdate { rev, key, value } => JsonFrame::StateUpdate {
                rev: rev.value_as(vars)?,
                key: key.value(vars)?,
                value: value.hex(vars)?,
            },
            Frame::StateSnapshot { entries } => JsonFrame::StateSnapshot {
                entries: expand(entries, vars)?
                    .into_iter()
                    .map(|(entry, vars)| {
                        Ok(JsonEntry {
                            rev: entry.rev.value_as(&vars)?,
                            key: entry.key.value(&vars)?,
                            value: entry.value.hex(&vars)?,
                        })
                    })
                    .collect::<Result<_, String>>()?,
            },
            Frame::AddPeer { peer } => JsonFrame::AddPeer { lead: LEAD, peer: peer.value_as(vars)? },
            Frame::DelPeer { peer } => JsonFrame::DelPeer { lead: LEAD, peer: peer.value_as(vars)? },
            Frame::Relay { peer, payload } => {
                JsonFrame::Relay { lead: LEAD, peer: peer.value_as(vars)?, payload: payload.hex(vars)? }
            }
        })
    }

    /// Is `got` what this pattern asks for? Captures what it is told to.
    ///
    /// # Errors
    /// As for [`Num::value`].
    pub fn admits(&self, got: &JsonFrame, vars: &mut Vars) -> Result<bool, String> {
        Ok(match (self, got) {
            (Frame::WorldSave { blob }, JsonFrame::WorldSave { blob: have })
            | (Frame::WorldLoad { blob }, JsonFrame::WorldLoad { blob: have }) => {
                blob.admits(have.bytes(), vars)?
            }
            (Frame::WorldSaveAck {}, JsonFrame::WorldSaveAck {}) => true,
            (Frame::StateSet { key, value }, JsonFrame::StateSet { key: k, value: v }) => {
                key.value(vars)? == *k && value.admits(v.bytes(), vars)?
            }
            (Frame::StateUpdate { rev, key, value }, JsonFrame::StateUpdate { rev: r, key: k, value: v }) => {
                key.value(vars)? == *k && value.admits(v.bytes(), vars)? && rev.admits(i64::from(*r), vars)?
            }
            (Frame::StateSnapshot { entries }, JsonFrame::StateSnapshot { entries: have }) => {
                entries_admit(entries, have, vars)?
            }
            (Frame::AddPeer { peer }, JsonFrame::AddPeer { peer: p, .. })
            | (Frame::DelPeer { peer }, JsonFrame::DelPeer { peer: p, .. }) => {
                peer.admits(i64::from(*p), vars)?
            }
            (Frame::Relay { peer, payload }, JsonFrame::Relay { peer: p, payload: have, .. }) => {
                payload.admits(have.bytes(), vars)? && peer.admits(i64::from(*p), vars)?
            }
            _ => false,
        })
    }

    /// What was expected, for a report.
    pub fn show(&self, vars: &Vars) -> String {
        self.value(vars).map_or_else(
            |_| serde_json::to_string(self).unwrap_or_else(|error| error.to_string()),
            |frame| frame.brief(),
        )
    }
}

fn expand<'a>(entries: &'a [Entry], vars: &Vars) -> Result<Vec<(&'a Entry, Vars)>, String> {
    let mut all = Vec::new();
    for entry in entries {
        let Some(each) = &entry.each else {
            all.push((entry, vars.clone()));
            continue;
        };
        for value in each.from.value(vars)?..=each.to.value(vars)? {
            all.push((entry, vars.with(&each.var, value)));
        }
    }
    Ok(all)
}

fn entries_admit(patterns: &[Entry], have: &[JsonEntry], vars: &mut Vars) -> Result<bool, String> {
    let patterns = expand(patterns, vars)?;
    if patterns.len() != have.len() {
        return Ok(false);
    }
    for ((pattern, mut local), entry) in patterns.into_iter().zip(have) {
        let same = pattern.key.value(&local)? == entry.key
            && pattern.value.admits(entry.value.bytes(), &local)?
            && pattern.rev.admits(i64::from(entry.rev), &mut local)?;
        if !same {
            return Ok(false);
        }
        if let Num::Expr(text) = &pattern.rev
            && let Some(name) = text.strip_prefix('=')
        {
            vars.set(name, i64::from(entry.rev));
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(json: &str) -> Frame {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_pattern_captures_and_compares() {
        let mut vars = Vars::default();
        let got = JsonFrame::StateUpdate { rev: 5, key: "k3".into(), value: Hex(vec![1, 1]) };
        vars.set("i", 3);
        let first = pattern(
            r#"{"frame":"STATE_UPDATE","rev":"=r","key":"k{i}","value":{"repeat":"01","times":"$i-1"}}"#,
        );
        assert_eq!(first.admits(&got, &mut vars), Ok(true));
        let again = pattern(r#"{"frame":"STATE_UPDATE","rev":"$r+1","key":"k3","value":"*"}"#);
        assert_eq!(again.admits(&got, &mut vars), Ok(false));
        vars.set("r", 4);
        assert_eq!(again.admits(&got, &mut vars), Ok(true));
    }

    #[test]
    fn entries_expand() {
        let frame = pattern(
            r#"{"frame":"STATE_SNAPSHOT","entries":[
                {"rev":"$i","key":"k{i}","value":"","each":{"var":"i","from":1,"to":2}},
                {"rev":9,"key":"z","value":"00"}]}"#,
        );
        let JsonFrame::StateSnapshot { entries } = frame.value(&Vars::default()).unwrap() else { panic!() };
        let seen: Vec<_> = entries.iter().map(|e| (e.rev, e.key.as_str())).collect();
        assert_eq!(seen, [(1, "k1"), (2, "k2"), (9, "z")]);
        assert_eq!(frame.admits(&JsonFrame::StateSnapshot { entries }, &mut Vars::default()), Ok(true));
    }

    #[test]
    fn a_variable_without_a_value_is_an_error_and_not_a_match() {
        let frame = pattern(r#"{"frame":"ADD_PEER","peer":"$b.id"}"#);
        assert!(frame.admits(&JsonFrame::AddPeer { lead: 7, peer: 2 }, &mut Vars::default()).is_err());
    }
}
