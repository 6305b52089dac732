//! A layout as a diagram and a table.
//!
//! In the diagram, numbers above a field are the offset of its first byte; `-` edges a field of fixed size, `=` one
//! whose size varies. A repeated group has a diagram of its own below.

use super::Context;
use super::table::table;
use super::text::grouped;
use crate::registry::{Bound, Direction, Field, FieldType, Frame, Kind};

pub(super) fn layout(context: &Context<'_>, frame: &Frame<'_>) -> String {
    let mut out = format!("{}\n\n```text\n", caption(frame));
    let code = frame.code.zip(frame.kind.code_field());
    diagram(frame.layout, code, &mut out);
    out.push_str("```\n\n");
    let mut rows = Vec::new();
    table_rows(context, frame, frame.layout, "", &mut rows);
    out + &table(["Field", "Type", "Range", "Unit", "Notes", "Rule"], rows)
}

/// One line: what it is, which way it goes, and what it is for.
fn caption(frame: &Frame<'_>) -> String {
    let code = match (frame.kind, frame.code) {
        (Kind::Opcode, Some(code)) => format!(", opcode `{code:02X}`"),
        (Kind::SysCommand, Some(code)) => format!(", SYS command {code}"),
        _ => String::new(),
    };
    let direction = match frame.direction {
        Direction::Both => "in both directions".to_owned(),
        one => one.to_string(),
    };
    format!("**{}**{code}, {direction}, since version {}. {}", frame.name, frame.since, frame.summary)
}

struct Cell {
    offset: String,
    name: String,
    under: String,
    edge: &'static str,
    width: usize,
}

/// Where a field begins: known bytes, and the lengths to be added to them. None after a field of unknown size.
type Offset = Option<(usize, Vec<String>)>;

fn diagram(fields: &[Field], code: Option<(u8, &str)>, out: &mut String) {
    let mut at: Offset = Some((0, Vec::new()));
    let cells: Vec<Cell> = fields.iter().map(|field| cell(field, code, &mut at)).collect();
    let mut lines = [const { String::new() }; 4];
    for Cell { offset, name, under, edge, width } in cells {
        lines[0].push_str(&format!("{offset:<0$}", width + 1));
        lines[1].push_str(&format!("+{}", edge.repeat(width)));
        lines[2].push_str(&format!("| {name:<0$}", width - 1));
        lines[3].push_str(&format!("| {under:<0$}", width - 1));
    }
    lines[0].push_str(&label(&at));
    for (line, end) in lines.iter_mut().zip(["", "+", "|", "|"]) {
        line.push_str(end);
    }
    let [offsets, edge, names, unders] = &lines;
    for line in [offsets, edge, names, unders, edge] {
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for group in fields.iter().filter(|field| field.kind == FieldType::Repeat) {
        out.push_str(&format!("\neach {}:\n\n", group.name));
        diagram(&group.of, None, out);
    }
}

fn cell(field: &Field, code: Option<(u8, &str)>, at: &mut Offset) -> Cell {
    let offset = label(at);
    let under = match (field.kind, code) {
        (_, Some((code, name))) if name == field.name => format!("{code:02X}"),
        (FieldType::Rest, _) => "to the end".to_owned(),
        (FieldType::Repeat, _) => format!("{} times", field.count.as_deref().unwrap_or_default()),
        (FieldType::Str | FieldType::Bytes, _) => {
            format!("{} bytes", field.len.as_deref().unwrap_or_default())
        }
        (fixed, _) => fixed.to_string(),
    };
    let size = field.kind.size();
    *at = at.take().and_then(|(bytes, mut lengths)| match (size, &field.len) {
        (Some(size), _) => Some((bytes + size, lengths)),
        (None, Some(len)) => {
            lengths.push(len.clone());
            Some((bytes, lengths))
        }
        (None, None) => None,
    });
    // A byte takes four columns, so that the eye sees sizes; no more than four bytes' worth.
    let drawn = size.map_or(0, |size| 4 * size.min(4) - 1);
    let width = drawn.max(field.name.len() + 2).max(under.len() + 2).max(offset.len());
    Cell { offset, name: field.name.clone(), under, edge: if size.is_some() { "-" } else { "=" }, width }
}

fn label(at: &Offset) -> String {
    at.as_ref().map_or_else(String::new, |(bytes, lengths)| {
        std::iter::once(bytes.to_string()).chain(lengths.iter().cloned()).collect::<Vec<_>>().join("+")
    })
}

fn table_rows(
    context: &Context<'_>,
    frame: &Frame<'_>,
    fields: &[Field],
    group: &str,
    rows: &mut Vec<[String; 6]>,
) {
    for field in fields {
        let name = format!("{group}{}", field.name);
        rows.push([
            format!("`{name}`"),
            field.kind.to_string(),
            range(context, frame, field),
            unit(field),
            field.doc.clone().unwrap_or_default(),
            field.rule.as_deref().map(|rule| context.clause_link(rule)).unwrap_or_default(),
        ]);
        table_rows(context, frame, &field.of, &format!("{name}."), rows);
    }
}

fn range(context: &Context<'_>, frame: &Frame<'_>, field: &Field) -> String {
    if let Some(code) = frame.code.filter(|_| frame.kind.code_field() == Some(&field.name)) {
        return if frame.kind == Kind::Opcode { format!("`{code:02X}`") } else { code.to_string() };
    }
    let by = |what: &Option<String>| format!("`{}`", what.as_deref().unwrap_or_default());
    let value = |bound: &Option<Bound>| bound.as_ref().and_then(|bound| context.registry.bound(bound));
    match (value(&field.min), value(&field.max), field.kind) {
        (Some(min), Some(max), _) => format!("{} to {}", grouped(min, ","), grouped(max, ",")),
        (Some(min), None, _) => format!("{} or more", grouped(min, ",")),
        (None, Some(max), _) => format!("up to {}", grouped(max, ",")),
        (None, None, FieldType::Rest) => "0 or more".to_owned(),
        (None, None, FieldType::Repeat) => by(&field.count),
        (None, None, FieldType::Str | FieldType::Bytes) => by(&field.len),
        (None, None, _) => "any".to_owned(),
    }
}

fn unit(field: &Field) -> String {
    let natural = match field.kind {
        FieldType::Rest | FieldType::Str | FieldType::Bytes => "bytes",
        FieldType::Repeat => "times",
        _ => "",
    };
    field.unit.clone().unwrap_or_else(|| natural.to_owned())
}
