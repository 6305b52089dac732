//! Reads the fields of a message without a check of what they hold, and hands them to the codec to encode.

use roomwire_codec::registry::{opcode, sys};
use roomwire_codec::{Direction, EncodeError, Entry, Key, Relay, StateSet, StateSnapshot, StateUpdate};

/// What the codec makes of the fields of `message`, with errors as text; `None` if the message is cut, so that there are no
/// fields, or of a kind in which no field can be wrong.
pub(crate) fn encode(direction: Direction, message: &[u8]) -> Option<Result<Vec<u8>, String>> {
    let mut fields = Fields(message);
    match (direction, *fields.array::<1>()?) {
        (Direction::ToRelay, [opcode::STATE_SET]) => {
            let key = fields.key()?;
            Some(key.and_then(|key| made(StateSet { key, value: fields.0 }.encode_to_vec())))
        }
        (Direction::ToClient, [opcode::STATE_UPDATE]) => {
            let rev = fields.u32()?;
            let key = fields.key()?;
            Some(key.and_then(|key| made(StateUpdate { rev, key, value: fields.0 }.encode_to_vec())))
        }
        (Direction::ToClient, [opcode::STATE_SNAPSHOT]) => {
            let mut entries = Vec::new();
            for _ in 0..fields.u32()? {
                let rev = fields.u32()?;
                let key = fields.key()?;
                let len = fields.u32()?;
                let value = fields.take(usize::try_from(len).ok()?)?;
                match key {
                    Ok(key) => entries.push(Entry { rev, key, value }),
                    Err(error) => return Some(Err(error)),
                }
            }
            fields.0.is_empty().then(|| made(StateSnapshot::encode_entries_to_vec(entries)))
        }
        (_, [lead]) if lead & sys::LEAD_MASK == sys::LEAD_LOW_BITS => {
            let [command] = *fields.array()?;
            let peer = i32::from_le_bytes(*fields.array()?);
            let relay = Relay { lead, peer, payload: fields.0 };
            (command == sys::RELAY).then(|| {
                let mut out = vec![0; relay.encoded_len()];
                roomwire_codec::encode(direction, &relay.into(), &mut out)
                    .map_err(|error| error.to_string())
                    .map(|_| out)
            })
        }
        _ => None,
    }
}

fn made(encoded: Result<Vec<u8>, EncodeError>) -> Result<Vec<u8>, String> {
    encoded.map_err(|error| error.to_string())
}

struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn array<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(array)
    }

    fn u32(&mut self) -> Option<u32> {
        self.array().copied().map(u32::from_le_bytes)
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn key(&mut self) -> Option<Result<Key<'a>, String>> {
        let len = u16::from_le_bytes(*self.array()?);
        Some(Key::new(self.take(len.into())?).map_err(|error| error.to_string()))
    }
}
