//! A second reading of the specification, in the plainest words and with no thought of speed, for the fuzzer to compare with.

use std::collections::HashSet;

use roomwire_codec::registry::{OPCODES, Travel, limit, opcode, sys};

use crate::Way;

/// The name of the frame that a message holds, or class, offset and field of the error.
pub type Verdict = Result<&'static str, Fault>;
type Fault = (&'static str, usize, &'static str);

/// A field as it stands in a message, as far as it does: where it begins, how long it is, and its name. One of no bytes is
/// left out.
pub type Field = (usize, usize, &'static str);

/// Godot never sets this bit in the first byte of a packet.
const OPCODE_BIT: u8 = 0b1000;

fn is_sys(first: u8) -> bool {
    first & sys::LEAD_MASK == sys::LEAD_LOW_BITS
}

/// What `message` is, by chapters 2 to 4.
pub(crate) fn judge(way: Way, message: &[u8]) -> Verdict {
    read(way, message).0
}

/// The fields of `message`, up to the one at fault.
pub(crate) fn fields(way: Way, message: &[u8]) -> Vec<Field> {
    read(way, message).1
}

fn read(way: Way, message: &[u8]) -> (Verdict, Vec<Field>) {
    let mut reader = Reader { message, at: 0, fields: Vec::new() };
    let verdict = reader.message(way);
    if verdict == Ok("GODOT") {
        reader.fields = vec![(0, message.len(), "bytes")];
    }
    (verdict, reader.fields)
}

impl Reader<'_> {
    fn message(&mut self, way: Way) -> Verdict {
        let (message, reader) = (self.message, self);
        if way == Way::First {
            reader.peer()?;
            reader.end()?;
            return Ok("PEER_ID");
        }
        let Some(&first) = message.first() else { return Err(("truncated", 0, "opcode")) };
        if let Some(row) = OPCODES.iter().find(|row| row.code == first) {
            reader.number(1, "opcode")?;
            if row.direction != if way == Way::ToRelay { Travel::ToRelay } else { Travel::ToClient } {
                return Err(("direction", 0, "opcode"));
            }
            return reader.body(first).map(|()| row.name);
        }
        if is_sys(first) {
            return reader.sys(way);
        }
        if first & OPCODE_BIT == 0 {
            return Ok("GODOT");
        }
        reader.number(1, "opcode")?;
        Err(("opcode", 0, "opcode"))
    }
}

/// Where the first key begins that an earlier entry of this valid snapshot has.
pub(crate) fn first_duplicate_key(message: &[u8]) -> Option<usize> {
    let mut reader = Reader { message, at: 5, fields: Vec::new() };
    let mut seen = HashSet::new();
    while reader.at < message.len() {
        let (offset, key) = reader.entry(0).ok()?.1;
        if !seen.insert(key) {
            return Some(offset);
        }
    }
    None
}

struct Reader<'a> {
    message: &'a [u8],
    at: usize,
    fields: Vec<Field>,
}

impl<'a> Reader<'a> {
    fn body(&mut self, first: u8) -> Result<(), Fault> {
        match first {
            opcode::WORLD_SAVE | opcode::WORLD_LOAD => self.rest("blob"),
            opcode::WORLD_SAVE_ACK => self.end(),
            opcode::STATE_SET => {
                self.key("key_len", "key")?;
                self.rest("value")
            }
            opcode::STATE_UPDATE => {
                self.rev("rev", 0)?;
                self.key("key_len", "key")?;
                self.rest("value")
            }
            opcode::STATE_SNAPSHOT => {
                let count = self.number(4, "count")?;
                let left = (self.message.len() - self.at) as u64;
                if count * limit::SNAPSHOT_ENTRY_MIN as u64 > left {
                    return Err(("truncated", 1, "count"));
                }
                let mut before = 0;
                for _ in 0..count {
                    before = self.entry(before)?.0;
                }
                self.end()
            }
            _ => unreachable!("an opcode that the oracle does not know"),
        }
    }

    fn sys(&mut self, way: Way) -> Verdict {
        let command = self.message.get(1).copied();
        self.number(1, "lead")?;
        if command.is_none() && way == Way::ToClient {
            return Err(("truncated", 1, "command"));
        }
        if command.is_some() {
            self.number(1, "command")?;
        }
        match (command, way) {
            (Some(sys::RELAY), _) => {
                if way == Way::ToRelay { self.number(4, "peer").map(|_| ()) } else { self.peer() }?;
                if self.at == self.message.len() {
                    return Err(("truncated", self.at, "payload"));
                }
                self.rest("payload")?;
                Ok("RELAY")
            }
            (Some(sys::ADD_PEER), Way::ToClient) => {
                self.peer()?;
                self.end()?;
                Ok("ADD_PEER")
            }
            (Some(sys::DEL_PEER), Way::ToClient) => {
                self.peer()?;
                self.end()?;
                Ok("DEL_PEER")
            }
            _ => Ok("GODOT"),
        }
    }

    /// The entry's rev, where its key begins, and the key.
    fn entry(&mut self, before: u64) -> Result<(u64, (usize, &'a [u8])), Fault> {
        let rev = self.rev("entry.rev", before)?;
        let key = self.key("entry.key_len", "entry.key")?;
        let len = self.number(4, "entry.val_len")?;
        self.bytes(len, "entry.value")?;
        Ok((rev, (self.at - len as usize - 4 - key.len(), key)))
    }

    fn rev(&mut self, field: &'static str, before: u64) -> Result<u64, Fault> {
        let offset = self.at;
        let rev = self.number(4, field)?;
        if rev == 0 || rev <= before { Err(("value", offset, field)) } else { Ok(rev) }
    }

    fn key(&mut self, len_field: &'static str, field: &'static str) -> Result<&'a [u8], Fault> {
        let offset = self.at;
        let len = self.number(2, len_field)?;
        if len < limit::KEY_MIN as u64 || len > limit::KEY_MAX as u64 {
            return Err(("limit", offset, len_field));
        }
        let offset = self.at;
        let key = self.bytes(len, field)?;
        let text = std::str::from_utf8(key).map_err(|_| ("value", offset, field))?;
        if text.contains('\0') || text.starts_with('\u{FEFF}') {
            Err(("value", offset, field))
        } else {
            Ok(key)
        }
    }

    fn peer(&mut self) -> Result<(), Fault> {
        let offset = self.at;
        let id = self.number(4, "peer")?;
        let low = (id & 0xFF) as u8;
        let is_opcode = OPCODES.iter().any(|row| row.code == low);
        let fine = (2..=0x7FFF_FFFF).contains(&id) && !is_opcode && low & OPCODE_BIT == 0 && !is_sys(low);
        if fine { Ok(()) } else { Err(("value", offset, "peer")) }
    }

    fn end(&mut self) -> Result<(), Fault> {
        let offset = self.at;
        self.rest("end")?;
        if offset == self.at { Ok(()) } else { Err(("trailing", offset, "end")) }
    }

    fn rest(&mut self, field: &'static str) -> Result<(), Fault> {
        self.bytes((self.message.len() - self.at) as u64, field).map(|_| ())
    }

    fn number(&mut self, bytes: u64, field: &'static str) -> Result<u64, Fault> {
        let bytes = self.bytes(bytes, field)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number * 256 + u64::from(byte)))
    }

    fn bytes(&mut self, len: u64, field: &'static str) -> Result<&'a [u8], Fault> {
        let left = self.message.get(self.at..).unwrap_or_default();
        let stands = left.len().min(usize::try_from(len).unwrap_or(usize::MAX));
        if stands > 0 {
            self.fields.push((self.at, stands, field));
        }
        if left.len() as u64 >= len
            && let Some(bytes) = left.get(..len as usize)
        {
            self.at += bytes.len();
            Ok(bytes)
        } else {
            Err(("truncated", self.at, field))
        }
    }
}
