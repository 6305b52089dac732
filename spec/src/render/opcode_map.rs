//! The map of first bytes: 16 lines of 16, and what the marks mean.

use std::collections::BTreeMap;

use super::Context;
use crate::check::in_opcode_space;

const GODOT: &str = ".";
const SYS: &str = "s";
const RESERVED: &str = "R";

pub(super) fn opcode_map(context: &Context<'_>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut map = String::from("```text\n      ");
    map.push_str(&(0..16).map(|low| format!("x{low:X}")).collect::<Vec<_>>().join("  "));
    map.push('\n');
    for high in 0..16u8 {
        let marks: Vec<String> = (0..16u8).map(|low| mark(context, high << 4 | low)).collect();
        map.push_str(&format!("{high:X}x     {}\n", marks.join("   ")));
        for mark in marks {
            *counts.entry(mark).or_default() += 1;
        }
    }
    map.push_str("```\n\n");
    let rows = counts.into_iter().map(|(mark, count)| {
        let meaning = meaning(&mark);
        [format!("`{mark}`"), count.to_string(), meaning]
    });
    map + &super::table::table(["Mark", "Bytes", "A message that begins so is"], rows)
}

fn mark(context: &Context<'_>, byte: u8) -> String {
    let sys = context.registry.sys;
    match context.registry.opcodes.iter().find(|row| row.code == byte) {
        Some(row) => row.since.to_string(),
        None if in_opcode_space(byte) => RESERVED.to_owned(),
        None if byte & sys.lead_mask == sys.lead_low_bits => SYS.to_owned(),
        None => GODOT.to_owned(),
    }
}

fn meaning(mark: &str) -> String {
    match mark {
        GODOT => "a packet of Godot's".to_owned(),
        SYS => "a SYS packet of Godot's".to_owned(),
        RESERVED => "reserved for opcodes of Roomwire to come".to_owned(),
        version => format!("a frame of Roomwire, since version {version}"),
    }
}
