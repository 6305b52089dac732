//! Patterns for answers and events, and values that a scenario makes.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What a scenario has kept, by name.
pub(crate) type Kept = BTreeMap<String, Value>;

/// Puts in what a scenario writes in short: `{"fill": "5a", "times": 1000}` is that text so many times, and a text that is
/// `$name` is what was kept under that name. `$i` inside a text is the number of the round.
///
/// # Errors
/// A text, if nothing was kept under a name.
pub(crate) fn expand(value: &Value, kept: &Kept) -> Result<Value, String> {
    match value {
        Value::String(text) => match text.strip_prefix('$') {
            Some(name) => kept.get(name).cloned().ok_or_else(|| format!("{text} was not kept")),
            None => match kept.get("i") {
                Some(round) => Ok(text.replace("$i", &round.to_string()).into()),
                None => Ok(value.clone()),
            },
        },
        Value::Array(list) => list.iter().map(|value| expand(value, kept)).collect(),
        Value::Object(map) => {
            if let (2, Some(Value::String(text)), Some(times)) =
                (map.len(), map.get("fill"), map.get("times").and_then(Value::as_u64))
            {
                return Ok(text.repeat(usize::try_from(times).unwrap_or_default()).into());
            }
            let expand = |(name, value): (&String, &Value)| Ok((name.clone(), expand(value, kept)?));
            map.iter().map(expand).collect::<Result<Map<_, _>, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

/// Why a value is not what a pattern asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    /// It differs.
    Differs,
    /// Only members that need not be there (`"class?"`) differ.
    Detail(String),
}

/// Does a value have all that the pattern has? An object may have more; `"*"` is anything; `"=name"` keeps what is there;
/// `{"any_of": […]}` is one of several; a member `"name?"` may be missing, and is compared if it is there.
///
/// # Errors
/// How they differ.
pub(crate) fn matches(pattern: &Value, value: &Value, kept: &mut Kept) -> Result<(), Miss> {
    match (pattern, value) {
        (Value::String(text), _) if text == "*" => Ok(()),
        (Value::String(text), _) if text.starts_with('=') => {
            kept.insert(text.trim_start_matches('=').to_owned(), value.clone());
            Ok(())
        }
        (Value::Object(wanted), _) if wanted.len() == 1 && wanted.contains_key("any_of") => {
            let arms = wanted.get("any_of").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let found = arms.iter().any(|arm| matches(arm, value, kept).is_ok());
            if found { Ok(()) } else { Err(Miss::Differs) }
        }
        (Value::Object(wanted), Value::Object(have)) => {
            let mut detail = None;
            for (name, wanted) in wanted {
                match (name.strip_suffix('?'), have.get(name.trim_end_matches('?'))) {
                    (Some(_), None) => {}
                    (Some(name), Some(value)) => {
                        if matches(wanted, value, kept).is_err() {
                            detail = detail.or_else(|| Some(name.to_owned()));
                        }
                    }
                    (None, Some(value)) => matches(wanted, value, kept)?,
                    (None, None) => return Err(Miss::Differs),
                }
            }
            detail.map_or(Ok(()), |name| Err(Miss::Detail(name)))
        }
        (Value::Array(wanted), Value::Array(have)) if wanted.len() == have.len() => {
            wanted.iter().zip(have).try_for_each(|(wanted, have)| matches(wanted, have, kept))
        }
        _ if pattern == value => Ok(()),
        _ => Err(Miss::Differs),
    }
}

/// A value for people: one line, cut.
pub(crate) fn brief(value: &Value) -> String {
    const MAX: usize = 240;
    let text = value.to_string();
    match text.char_indices().nth(MAX) {
        Some((cut, _)) => format!("{}… ({} bytes)", text.get(..cut).unwrap_or_default(), text.len()),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn patterns() {
        let mut kept = Kept::new();
        let value = json!({"event": "state", "rev": 7, "key": "a", "class": "limit"});
        for (pattern, want) in [
            (json!({"event": "state"}), Ok(())),
            (json!({"event": "state", "rev": "*"}), Ok(())),
            (json!({"event": "state", "rev": 8}), Err(Miss::Differs)),
            (json!({"event": "state", "value": "*"}), Err(Miss::Differs)),
            (json!({"text?": "x", "class?": "limit"}), Ok(())),
            (json!({"class?": "value", "rev": 7}), Err(Miss::Detail("class".into()))),
            (json!({"class?": "value", "rev": 8}), Err(Miss::Differs)),
            (json!({"any_of": [{"rev": 1}, {"rev": 7}]}), Ok(())),
            (json!({"any_of": [{"rev": 1}]}), Err(Miss::Differs)),
            (json!({"rev": "=r"}), Ok(())),
            (json!([1]), Err(Miss::Differs)),
        ] {
            assert_eq!(matches(&pattern, &value, &mut kept), want, "{pattern}");
        }
        assert_eq!(kept.get("r"), Some(&json!(7)));
        assert_eq!(expand(&json!({"save": "$r"}), &kept), Ok(json!({"save": 7})));
        assert!(expand(&json!("$x"), &kept).is_err());
    }

    #[test]
    fn what_is_written_in_short() {
        let kept = Kept::from([("i".to_owned(), json!(3))]);
        let short =
            json!({"value": {"fill": "5a", "times": 3}, "key": "k$i", "list": [{"fill": "x", "times": 0}]});
        assert_eq!(expand(&short, &kept), Ok(json!({"value": "5a5a5a", "key": "k3", "list": [""]})));
    }
}
