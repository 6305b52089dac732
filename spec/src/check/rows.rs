//! The registry's rows: codes, names, versions, close reasons.

use super::{row, unique};
use crate::problem::Problem;
use crate::registry::{Kind, Registry};

/// The six opcodes that existing games use; every other one has bit 3 set.
const FIRST_SIX: std::ops::RangeInclusive<u8> = 0xF1..=0xF6;
/// The bit that no Godot packet sets in its first byte.
const ROOMWIRE_BIT: u8 = 0b1000;
/// The bits in which Godot keeps its command; all of them set is a SYS packet.
const GODOT_COMMAND: u8 = 0b0111;

/// Whether a first byte may be an opcode of Roomwire: it is one of the first six, or no Godot packet begins with it.
pub(crate) fn in_opcode_space(code: u8) -> bool {
    FIRST_SIX.contains(&code) || (code & ROOMWIRE_BIT != 0 && code & GODOT_COMMAND != GODOT_COMMAND)
}

pub(super) fn check(registry: &Registry) -> Vec<Problem> {
    let mut out = Vec::new();
    versions(registry, &mut out);
    codes(registry, &mut out);
    names(registry, &mut out);
    closes(registry, &mut out);
    sys(registry, &mut out);
    out
}

fn versions(registry: &Registry, out: &mut Vec<Problem>) {
    let known = &registry.protocol.versions;
    if known.is_empty() || !known.is_sorted_by(|a, b| a < b) {
        out.push(Problem::new(
            "spec/registry.toml, protocol",
            "`versions` must ascend and hold at least one",
        ));
    }
    let frames = registry.frames().map(|f| (row(f.kind, f.name), f.since, f.until));
    let closes = registry.closes.iter().map(|c| (row("close", &c.name), c.since, c.until));
    for (place, since, until) in frames.chain(closes) {
        for version in [Some(since), until].into_iter().flatten().filter(|version| !known.contains(version)) {
            out.push(Problem::new(place.clone(), format!("version {version} is not in `protocol.versions`")));
        }
        if until.is_some_and(|until| until < since) {
            out.push(Problem::new(place, "`until` is before `since`"));
        }
    }
}

fn codes(registry: &Registry, out: &mut Vec<Problem>) {
    for opcode in registry.opcodes.iter().filter(|opcode| !in_opcode_space(opcode.code)) {
        out.push(Problem::new(
            row("opcode", &opcode.name),
            format!(
                "code {:#04x} can begin a Godot packet: an opcode is F1 to F6, or has bit 3 set and low three bits \
                 other than 7",
                opcode.code
            ),
        ));
    }
    // Version 1 is what the existing games speak: there, every other byte with bit 3 is reserved (OP-SPACE-2).
    let reserved = |code: u8| in_opcode_space(code) && !FIRST_SIX.contains(&code);
    for opcode in registry.opcodes.iter().filter(|opcode| opcode.since == 1 && reserved(opcode.code)) {
        out.push(Problem::new(
            row("opcode", &opcode.name),
            format!("code {:#04x} is reserved in version 1: it can be used since version 2", opcode.code),
        ));
    }
    unique("code", registry.opcodes.iter().map(|o| (o.code, row("opcode", &o.name))), out);
    unique("code", registry.sys_commands.iter().map(|c| (c.code, row("sys_command", &c.name))), out);
    unique("code", registry.closes.iter().map(|c| (c.code, row("close", &c.name))), out);
}

fn names(registry: &Registry, out: &mut Vec<Problem>) {
    // Names of layouts share one space: `<!-- generated: layout NAME -->` finds them without saying the table.
    unique("name", registry.frames().map(|f| (f.name, row(f.kind, f.name))), out);
    unique(
        "name",
        registry.error_classes.iter().map(|e| (e.name.as_str(), row("error_class", &e.name))),
        out,
    );
    unique("name", registry.closes.iter().map(|c| (c.name.as_str(), row("close", &c.name))), out);
    unique("name", registry.limits.iter().map(|l| (l.name.as_str(), row("limit", &l.name))), out);

    let frames = registry.frames().map(|f| (row(f.kind, f.name), f.name, f.summary, true));
    let classes =
        registry.error_classes.iter().map(|e| (row("error_class", &e.name), &*e.name, &*e.summary, false));
    let closes = registry.closes.iter().map(|c| (row("close", &c.name), &*c.name, &*c.summary, true));
    let limits = registry.limits.iter().map(|l| (row("limit", &l.name), &*l.name, &*l.summary, false));
    for (place, name, summary, upper) in frames.chain(classes).chain(closes).chain(limits) {
        if !is_name(name, upper) {
            let case = if upper { "upper" } else { "lower" };
            out.push(Problem::new(
                place.clone(),
                format!("a name here is {case}-case letters, digits and `_`"),
            ));
        }
        if summary.trim().is_empty() {
            out.push(Problem::new(place, "the summary is empty"));
        }
    }
    let reserved = registry.sys_commands.iter().filter(|c| c.name.starts_with("LEAD"));
    out.extend(
        reserved
            .map(|c| Problem::new(row("sys_command", &c.name), "the name is one of the lead's constants")),
    );
}

/// Whether a name can be a constant of the codec, or a field.
pub(super) fn is_name(name: &str, upper: bool) -> bool {
    let letter = |c: char| if upper { c.is_ascii_uppercase() } else { c.is_ascii_lowercase() };
    name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit() || c == '_')
}

fn closes(registry: &Registry, out: &mut Vec<Problem>) {
    unique("reason", registry.closes.iter().map(|c| (c.reason.as_str(), row("close", &c.name))), out);
    let Some(longest) = registry.limit("close_reason_max") else {
        out.push(Problem::new("spec/registry.toml", "the limit `close_reason_max` is missing"));
        return;
    };
    for close in &registry.closes {
        let place = row("close", &close.name);
        // RFC 6455, section 7.4: what an endpoint may send.
        if !matches!(close.code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
            out.push(Problem::new(
                place.clone(),
                format!("{} is no close code that may be sent", close.code),
            ));
        }
        let length = close.reason.len() as u64;
        if length > longest.value {
            let text = format!("the reason has {length} bytes, above `close_reason_max` ({})", longest.value);
            out.push(Problem::new(place.clone(), text));
        }
        if close.reason.is_empty() || close.reason.contains(':') {
            out.push(Problem::new(
                place,
                "a reason prefix is not empty and holds no colon, since a colon ends it",
            ));
        }
    }
}

fn sys(registry: &Registry, out: &mut Vec<Problem>) {
    let sys = registry.sys;
    if sys.lead & sys.lead_mask != sys.lead_low_bits {
        out.push(Problem::new("spec/registry.toml, sys", "`lead` under `lead_mask` is not `lead_low_bits`"));
    }
    for opcode in registry.opcodes.iter().filter(|o| o.code & sys.lead_mask == sys.lead_low_bits) {
        out.push(Problem::new(row(Kind::Opcode, &opcode.name), "the code is the first byte of a SYS packet"));
    }
}
