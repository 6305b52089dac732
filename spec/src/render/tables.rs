//! The registry's tables, as Markdown.

use super::Context;
use super::table::table;
use super::text::grouped;
use crate::registry::{Frame, Kind};

/// The opcodes, or the SYS commands.
pub(super) fn coded(context: &Context<'_>, kind: Kind) -> String {
    let rows = context.registry.frames().filter(|frame| frame.kind == kind).map(|frame| {
        let code = frame.code.map(|code| match kind {
            Kind::Opcode => format!("`{code:02X}`"),
            _ => code.to_string(),
        });
        let [name, direction, class, since, summary] = common(context, &frame);
        [code.unwrap_or_default(), name, direction, class, since, summary]
    });
    table(["Code", "Name", "Direction", "Class", "Since", "What it is"], rows)
}

/// The messages without an opcode.
pub(super) fn messages(context: &Context<'_>) -> String {
    let rows = context.registry.frames().filter(|frame| frame.kind == Kind::Message);
    table(["Name", "Direction", "Class", "Since", "What it is"], rows.map(|frame| common(context, &frame)))
}

fn common(context: &Context<'_>, frame: &Frame<'_>) -> [String; 5] {
    let name = format!("[{}]({})", frame.name, context.frame_link(frame));
    let since = versions(frame.since, frame.until);
    [name, frame.direction.to_string(), frame.class.to_string(), since, frame.summary.to_owned()]
}

pub(super) fn error_classes(context: &Context<'_>) -> String {
    let rows = context.registry.error_classes.iter();
    table(["Class", "Meaning"], rows.map(|row| [format!("`{}`", row.name), row.summary.clone()]))
}

pub(super) fn closes(context: &Context<'_>) -> String {
    let rows = context.registry.closes.iter().map(|row| {
        let since = versions(row.since, row.until);
        [row.code.to_string(), row.name.clone(), format!("`{}`", row.reason), since, row.summary.clone()]
    });
    table(["Code", "Name", "The reason begins with", "Since", "When"], rows)
}

pub(super) fn limits(context: &Context<'_>) -> String {
    let rows = context.registry.limits.iter().map(|row| {
        let kind = if row.fixed { "fixed" } else { "default" };
        let value = grouped(row.value, ",");
        [format!("`{}`", row.name), value, row.unit.to_string(), kind.to_owned(), row.summary.clone()]
    });
    table(["Name", "Value", "Unit", "Kind", "What it is"], rows)
}

/// Every clause, in the order of the chapters.
pub(super) fn clauses(context: &Context<'_>) -> String {
    let rows = context.clauses().map(|clause| {
        [
            format!("[{}]({})", clause.id, clause.link()),
            clause.level.to_string(),
            clause.section_title.clone(),
        ]
    });
    table(["Clause", "Level", "Section"], rows)
}

fn versions(since: u16, until: Option<u16>) -> String {
    until.map_or_else(|| since.to_string(), |until| format!("{since} to {until}"))
}
