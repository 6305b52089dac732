//! A frame laid out field by field, as its row in the registry has it.

use std::fmt::Write as _;

use roomwire_codec::registry::sys;
use roomwire_codec::{DecodeError, Direction};
use roomwire_spec::registry::Direction as Travel;
use roomwire_spec::registry::{Field, FieldType, Frame, Kind, Registry};

use crate::args::ShowArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::values::{self, Count};

/// The one table of the protocol.
const REGISTRY: &str = include_str!("../../../../spec/registry.toml");

/// Entries of a snapshot that are shown at its beginning and at its end.
const ENTRIES_SHOWN: usize = 8;

/// Bytes that are shown of a field.
const BYTES_SHOWN: usize = 8;

const SHOW: ShowArgs = ShowArgs { hex: false, text: false };

/// What a frame is made of.
#[derive(Debug)]
pub(crate) struct Explanation {
    title: String,
    rows: Vec<Row>,
    /// Items of the repeated group.
    items: usize,
}

#[derive(Debug, PartialEq, Eq)]
struct Row {
    offset: usize,
    bytes: String,
    /// The field's name, as errors have it.
    field: String,
    /// The item of a repeated group that it belongs to.
    item: Option<usize>,
    value: String,
    /// Whether this is where the frame is at fault.
    fault: bool,
}

impl Explanation {
    /// Lays out `message`. Where it is no frame, it is laid out as far as it goes, and the field at fault is marked.
    pub(crate) fn of(direction: Direction, first: bool, message: &[u8], error: Option<&DecodeError>) -> Self {
        // The table is part of the program, so it reads; were it not to, there would be no layout to show.
        let registry = Registry::parse(REGISTRY).ok();
        let frame = registry.as_ref().and_then(|registry| find(registry, direction, first, message));
        let mut layout = Layout { message, at: 0, registry: registry.as_ref(), rows: Vec::new(), items: 0 };
        let title = match frame {
            Some(frame) => {
                layout.fields(frame.layout, "", None);
                format!("{}, {direction}, {}: {}", frame.name, Count(message.len(), "byte"), frame.summary)
            }
            None if error.is_some() => format!("no frame, {direction}, {}", Count(message.len(), "byte")),
            None => format!("GODOT, {direction}, {}: left to Godot.", Count(message.len(), "byte")),
        };
        match (frame, error) {
            // What follows the last field, or the field in which the layout gave up.
            (Some(_), _) if layout.at < message.len() => _ = layout.rest("end", None),
            (None, Some(_)) => {
                _ = layout.take(1, "opcode", None, |bytes| format!("{:#04x}", little_endian(bytes)))
            }
            (None, None) => _ = layout.rest("bytes", None),
            (Some(_), _) => {}
        }
        let Layout { mut rows, items, .. } = layout;
        mark(&mut rows, message, error);
        Self { title, rows, items }
    }

    /// Prints it as a table. Unless `all`, only the first and last entries of a long snapshot, and the one at fault.
    pub(crate) fn print(&self, all: bool, output: &mut Output) -> Result<(), Failure> {
        output.line(format_args!("{}", self.title))?;
        let shown = |row: &&Row| all || row.fault || row.item.is_none_or(|item| self.is_shown(item));
        let rows: Vec<&Row> = self.rows.iter().filter(shown).collect();
        let wide =
            |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).chars().count()).max().unwrap_or(0);
        let (bytes, field) = (wide(|row| &row.bytes), wide(|row| &row.field));
        let mut skipped = false;
        for row in rows {
            let left_out = row.item.is_some_and(|item| {
                !all && self.items > 2 * ENTRIES_SHOWN && item + ENTRIES_SHOWN >= self.items
            });
            if left_out && !skipped {
                skipped = true;
                output.line(format_args!("          …  {} entries in all, --all shows them", self.items))?;
            }
            let Row { offset, bytes: shown, field: name, value, fault, .. } = row;
            let mark = if *fault { '>' } else { ' ' };
            output.line(format_args!("{mark}{offset:>8}  {shown:<bytes$}  {name:<field$}  {value}"))?;
        }
        Ok(())
    }

    fn is_shown(&self, item: usize) -> bool {
        item < ENTRIES_SHOWN || item.saturating_add(ENTRIES_SHOWN) >= self.items
    }
}

/// The row of the registry that a message's first bytes lead to.
fn find<'r>(registry: &'r Registry, direction: Direction, first: bool, message: &[u8]) -> Option<Frame<'r>> {
    let lead = *message.first()?;
    let command = message.get(1).copied();
    let is_sys = lead & sys::LEAD_MASK == sys::LEAD_LOW_BITS;
    registry.frames().find(|frame| match frame.kind {
        Kind::Message => first,
        Kind::Opcode => !first && frame.code == Some(lead),
        Kind::SysCommand => !first && is_sys && frame.code == command && travels(frame.direction, direction),
    })
}

fn travels(travel: Travel, direction: Direction) -> bool {
    matches!(
        (travel, direction),
        (Travel::Both, _) | (Travel::ToRelay, Direction::ToRelay) | (Travel::ToClient, Direction::ToClient)
    )
}

/// Walks over a message.
struct Layout<'m> {
    message: &'m [u8],
    at: usize,
    registry: Option<&'m Registry>,
    rows: Vec<Row>,
    items: usize,
}

impl Layout<'_> {
    /// Lays out fields; `false` when the message has ended in one.
    fn fields(&mut self, fields: &[Field], prefix: &str, item: Option<usize>) -> bool {
        // The numbers so far, for the lengths and counts that later fields refer to.
        let mut numbers: Vec<(&str, usize)> = Vec::new();
        for field in fields {
            let number = |name: &Option<String>| {
                let name = name.as_deref()?;
                numbers.iter().find(|(known, _)| *known == name).map(|&(_, number)| number)
            };
            let name = format!("{prefix}{}", field.name);
            let whole = match field.kind {
                FieldType::Rest => self.rest(&name, item),
                FieldType::Str | FieldType::Bytes => {
                    let len = number(&field.len).unwrap_or(0);
                    self.take(len, &name, item, |bytes| values::inline(bytes, SHOW)).is_some()
                }
                FieldType::Repeat => {
                    let count = number(&field.count).unwrap_or(0);
                    self.items = count;
                    let prefix = format!("{name}.");
                    (0..count).all(|item| self.fields(&field.of, &prefix, Some(item)))
                }
                kind => match self.number(kind, field, &name, item) {
                    Some(number) => {
                        numbers.push((&field.name, number));
                        true
                    }
                    None => false,
                },
            };
            if !whole {
                return false;
            }
        }
        true
    }

    fn number(&mut self, kind: FieldType, field: &Field, name: &str, item: Option<usize>) -> Option<usize> {
        let what = if item.is_none() { self.meaning(&field.name) } else { None };
        let signed = kind == FieldType::I32;
        let bytes = self.take(kind.size()?, name, item, |bytes| match what {
            Some(what) => format!("{:#04x} {what}", little_endian(bytes)),
            None if field.name == "lead" => format!("{:#04x}", little_endian(bytes)),
            None if signed => {
                let bytes = bytes.try_into().unwrap_or_default();
                i32::from_le_bytes(bytes).to_string()
            }
            None => little_endian(bytes).to_string(),
        })?;
        usize::try_from(little_endian(bytes)).ok()
    }

    /// The name behind the code in a message's first or second byte.
    fn meaning(&self, field: &str) -> Option<String> {
        let code = *self.message.get(self.at)?;
        let kind = match field {
            "opcode" => Kind::Opcode,
            "command" => Kind::SysCommand,
            _ => return None,
        };
        let mut frames = self.registry?.frames();
        frames.find(|frame| frame.kind == kind && frame.code == Some(code)).map(|frame| frame.name.to_owned())
    }

    fn rest(&mut self, name: &str, item: Option<usize>) -> bool {
        let len = self.message.len().saturating_sub(self.at);
        let show = |bytes: &[u8]| format!("{}, {}", values::inline(bytes, SHOW), Count(bytes.len(), "byte"));
        self.take(len, name, item, show).is_some()
    }

    /// Lays out the next `len` bytes, or those that are left, which then are too few.
    fn take(
        &mut self,
        len: usize,
        name: &str,
        item: Option<usize>,
        show: impl FnOnce(&[u8]) -> String,
    ) -> Option<&[u8]> {
        let offset = self.at;
        let left = self.message.get(offset..).unwrap_or_default();
        let (bytes, whole) = match left.get(..len) {
            Some(bytes) => (bytes, true),
            None => (left, false),
        };
        let value = if whole {
            show(bytes)
        } else {
            format!("needs {}, but {} left", Count(len, "byte"), is_or_are(left.len()))
        };
        let field = name.to_owned();
        self.rows.push(Row { offset, bytes: spaced(bytes), field, item, value, fault: false });
        self.at = offset.saturating_add(bytes.len());
        whole.then_some(bytes)
    }
}

fn is_or_are(count: usize) -> String {
    if count == 1 { "1 is".into() } else { format!("{count} are") }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn spaced(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes.iter().take(BYTES_SHOWN) {
        // Writing to a string cannot fail.
        let _ = write!(text, "{}{byte:02x}", if text.is_empty() { "" } else { " " });
    }
    if bytes.len() > BYTES_SHOWN {
        text.push_str(" …");
    }
    text
}

/// Marks the field at fault, and leaves out what a decoder does not look at any more. A field without a row of its own gets one.
fn mark(rows: &mut Vec<Row>, message: &[u8], error: Option<&DecodeError>) {
    let Some(error) = error else { return };
    let at = |row: &Row| row.offset == error.offset && row.field == error.field;
    let at_fault = rows.iter().position(at).unwrap_or_else(|| {
        rows.retain(|row| row.offset < error.offset);
        let left = message.get(error.offset..).unwrap_or_default();
        let field = error.field.to_owned();
        rows.push(Row {
            offset: error.offset,
            bytes: spaced(left),
            field,
            item: None,
            value: String::new(),
            fault: true,
        });
        rows.len().saturating_sub(1)
    });
    rows.truncate(at_fault.saturating_add(1));
    if let Some(row) = rows.last_mut() {
        row.fault = true;
        let gap = if row.value.is_empty() { "" } else { "  " };
        let _ = write!(row.value, "{gap}<- {} [{}]", error.class, error.rule);
    }
}
