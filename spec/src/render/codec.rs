//! `codec/src/registry.rs`: the registry and the rule ids as Rust constants, laid out as rustfmt would.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::text::{grouped, rustdoc};
use crate::clauses::Clause;
use crate::registry::{Direction, Registry};

const HEAD: &str = "\
//! Every number of the protocol, from `spec/registry.toml`, and the rule ids, from the chapters in `spec/`.
//!
//! GENERATED: do not edit. After a change of the registry or of a chapter run `cargo run -p roomwire-spec -- bless`.
";

const TYPES: &str = "
/// A row of [`OPCODES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpcodeRow {
    /// First byte of the frame.
    pub code: u8,
    /// Name, as in the specification.
    pub name: &'static str,
    /// The capability it belongs to, e.g. `room`.
    pub class: &'static str,
    /// Who may send it.
    pub direction: Travel,
    /// First protocol version that has it.
    pub since: u16,
}

/// Which way a frame travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Travel {
    /// From a member to the relay.
    ToRelay,
    /// From the relay to a member.
    ToClient,
    /// Both ways.
    Both,
}
";

const CLOSE_TYPE: &str = "
    /// A close code and the stable prefix of its reason text.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Close {
        /// WebSocket close code.
        pub code: u16,
        /// Name, as in the specification.
        pub name: &'static str,
        /// Stable prefix of the reason text; `: ` and a text for people may follow.
        pub reason: &'static str,
    }
";

/// The whole file.
pub fn codec<'a>(registry: &Registry, clauses: impl Iterator<Item = &'a Clause>) -> String {
    let mut out = Source(HEAD.to_owned());
    let versions: Vec<_> = registry.protocol.versions.iter().map(u16::to_string).collect();
    out.line(0, "");
    out.doc(0, "The protocol's versions, ascending.");
    out.array(0, "pub const VERSIONS: &[u16]", &versions);
    out.opcodes(registry);
    out.sys(registry);
    out.limits(registry);
    out.closes(registry);
    out.rules(clauses);
    out.0
}

struct Source(String);

impl Source {
    fn opcodes(&mut self, registry: &Registry) {
        self.module("opcode", "First bytes of the frames.", |out| {
            for row in &registry.opcodes {
                out.doc(1, &row.summary);
                out.line(1, &format!("pub const {}: u8 = {:#04X};", row.name, row.code).replace("0X", "0x"));
            }
        });
        self.0.push_str(TYPES);
        self.line(0, "");
        self.doc(0, "Every opcode, in the registry's order.");
        let rows = registry.opcodes.iter().map(|row| {
            let travel = match row.direction {
                Direction::ToRelay => "ToRelay",
                Direction::ToClient => "ToClient",
                Direction::Both => "Both",
            };
            let (name, class, since) = (&row.name, row.class, row.since);
            format!(
                "OpcodeRow {{ code: opcode::{name}, name: \"{name}\", class: \"{class}\", direction: Travel::{travel}, \
                 since: {since} }}"
            )
        });
        self.rows("pub const OPCODES: &[OpcodeRow]", rows);
        self.line(0, "");
        self.doc(0, "Names of the classes of a decode error, in the registry's order.");
        let names: Vec<_> = registry.error_classes.iter().map(|row| format!("\"{}\"", row.name)).collect();
        self.array(0, "pub const ERROR_CLASSES: &[&str]", &names);
    }

    fn sys(&mut self, registry: &Registry) {
        let sys = registry.sys;
        self.module(
            "sys",
            "Godot's SYS packets: a byte with certain low bits, a command, its fields.",
            |out| {
                out.doc(1, "What the relay writes as byte 0.");
                out.line(1, &format!("pub const LEAD: u8 = 0x{:02X};", sys.lead));
                out.line(1, "/// What byte 0 of a SYS packet holds under [`LEAD_MASK`].");
                out.line(1, &format!("pub const LEAD_LOW_BITS: u8 = 0x{:02X};", sys.lead_low_bits));
                out.doc(1, "The bits of byte 0 that make a packet SYS.");
                out.line(1, &format!("pub const LEAD_MASK: u8 = 0x{:02X};", sys.lead_mask));
                for row in &registry.sys_commands {
                    out.doc(1, &row.summary);
                    out.line(1, &format!("pub const {}: u8 = {};", row.name, row.code));
                }
            },
        );
    }

    fn limits(&mut self, registry: &Registry) {
        self.module("limit", "Limits and times.", |out| {
            for row in &registry.limits {
                let kind = if row.fixed { "Fixed" } else { "Default" };
                out.doc(1, &format!("{} {kind}, in {}.", row.summary, row.unit));
                let (name, value) = (row.name.to_uppercase(), grouped(row.value, "_"));
                out.line(1, &format!("pub const {name}: {} = {value};", row.unit.rust_type()));
            }
        });
    }

    fn closes(&mut self, registry: &Registry) {
        self.module("close", "Close codes.", |out| {
            out.0.push_str(CLOSE_TYPE.trim_start_matches('\n'));
            out.line(0, "");
            for row in &registry.closes {
                let (code, name, reason) = (row.code, &row.name, &row.reason);
                out.doc(1, &row.summary);
                let value = format!("Close {{ code: {code}, name: \"{name}\", reason: {reason:?} }};");
                out.line(1, &format!("pub const {name}: Close = {value}"));
            }
            let names: Vec<_> = registry.closes.iter().map(|row| row.name.clone()).collect();
            out.line(0, "");
            out.doc(1, "Every close code, in the registry's order.");
            out.array(1, "pub const ALL: &[Close]", &names);
        });
    }

    fn rules<'a>(&mut self, clauses: impl Iterator<Item = &'a Clause>) {
        let mut seen = BTreeSet::new();
        self.module("rule", "Ids of the specification's clauses.", |out| {
            for clause in clauses.filter(|clause| seen.insert(&clause.id)) {
                out.doc(1, &clause.text);
                let name = clause.id.replace('-', "_");
                out.line(1, &format!("pub const {name}: &str = \"{}\";", clause.id));
            }
        });
    }

    fn module(&mut self, name: &str, doc: &str, body: impl FnOnce(&mut Self)) {
        self.line(0, "");
        self.doc(0, doc);
        let start = self.0.len();
        self.line(0, &format!("pub mod {name} {{"));
        let inside = self.0.len();
        body(self);
        if self.0.len() == inside {
            self.0.truncate(start);
            self.line(0, &format!("pub mod {name} {{}}"));
        } else {
            self.line(0, "}");
        }
    }

    fn doc(&mut self, indent: usize, text: &str) {
        for line in wrap(&rustdoc(text), WIDTH - indent * 4 - "/// ".len()) {
            self.line(indent, &format!("/// {line}"));
        }
    }

    fn line(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.0, "{:1$}{text}", "", if text.is_empty() { 0 } else { indent * 4 });
    }

    /// A constant slice of words: on one line, or packed if all are short, or one a line.
    fn array(&mut self, indent: usize, head: &str, items: &[String]) {
        let short = format!("{head} = &[{}];", items.join(", "));
        if indent * 4 + short.len() <= WIDTH {
            return self.line(indent, &short);
        }
        self.line(indent, &format!("{head} = &["));
        if items.iter().all(|item| item.len() <= SHORT_ITEM) {
            let all = items.iter().map(|item| format!("{item},")).collect::<Vec<_>>().join(" ");
            for line in wrap(&all, WIDTH - (indent + 1) * 4) {
                self.line(indent + 1, &line);
            }
        } else {
            for item in items {
                self.line(indent + 1, &format!("{item},"));
            }
        }
        self.line(indent, "];");
    }

    /// A constant slice of rows, one a line (or a field a line, where a row is too long).
    fn rows(&mut self, head: &str, rows: impl Iterator<Item = String>) {
        self.line(0, &format!("{head} = &["));
        for row in rows {
            if row.len() + "    ,".len() <= WIDTH {
                self.line(1, &format!("{row},"));
                continue;
            }
            let (name, fields) = row.split_once(" { ").unwrap_or((&row, ""));
            self.line(1, &format!("{name} {{"));
            for field in fields.trim_end_matches(" }").split(", ") {
                self.line(2, &format!("{field},"));
            }
            self.line(1, "},");
        }
        self.line(0, "];");
    }
}

/// `max_width` of rustfmt.toml.
const WIDTH: usize = 110;

/// `short_array_element_width_threshold` of rustfmt.
const SHORT_ITEM: usize = 10;

/// Greedy wrapping at spaces.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
