//! The layouts: fields refer to fields before them, ranges fit their types, a rest ends the frame.

use std::collections::BTreeMap;

use super::row;
use super::rows::is_name;
use crate::problem::Problem;
use crate::registry::{Bound, Field, FieldType, Frame, Registry};

pub(super) fn check(registry: &Registry, frame: &Frame<'_>, out: &mut Vec<Problem>) {
    let mut check = Check { registry, place: row(frame.kind, frame.name), out };
    check.head(frame);
    check.fields(frame.layout, "", true);
}

/// Where a rule's range was seen first: place, field, least and greatest.
type Seen = (String, String, Option<i64>, Option<i64>);

/// One rule says one thing: fields of one type that it governs have one range in every layout.
pub(super) fn same_rule_same_range(registry: &Registry, out: &mut Vec<Problem>) {
    let mut seen = BTreeMap::new();
    for frame in registry.frames() {
        ranges(registry, frame.layout, &row(frame.kind, frame.name), &mut seen, out);
    }
}

fn ranges(
    registry: &Registry,
    fields: &[Field],
    place: &str,
    seen: &mut BTreeMap<(String, &'static str), Seen>,
    out: &mut Vec<Problem>,
) {
    let value = |bound: &Option<Bound>| bound.as_ref().and_then(|bound| registry.bound(bound));
    for field in fields {
        if let Some(rule) = &field.rule {
            let (min, max) = (value(&field.min), value(&field.max));
            let first = seen
                .entry((rule.clone(), field.kind.name()))
                .or_insert_with(|| (place.to_owned(), field.name.clone(), min, max));
            if (first.2, first.3) != (min, max) {
                let text = format!(
                    "field {}: another range than {} in {}, though {rule} governs both",
                    field.name,
                    first.1,
                    first.0.trim_start_matches("spec/")
                );
                out.push(Problem::new(place, text));
            }
        }
        ranges(registry, &field.of, place, seen, out);
    }
}

struct Check<'a> {
    registry: &'a Registry,
    place: String,
    out: &'a mut Vec<Problem>,
}

impl Check<'_> {
    /// An opcode is the first byte of its frame, a command the second of its packet.
    fn head(&mut self, frame: &Frame<'_>) {
        let Some(name) = frame.kind.code_field() else { return };
        let position = frame.layout.iter().position(|field| field.name == name);
        let before = frame.layout.iter().take(position.unwrap_or(0));
        let offset: Option<usize> = before.map(|field| field.kind.size()).sum();
        let expected = if name == "command" { 1 } else { 0 };
        let is_byte = frame.layout.iter().any(|field| field.name == name && field.kind == FieldType::U8);
        if !is_byte || offset != Some(expected) {
            self.problem(format!("the layout needs a field `{name}` of type u8 at byte {expected}"));
        }
    }

    fn fields(&mut self, fields: &[Field], group: &str, outermost: bool) {
        if fields.is_empty() {
            self.problem(format!("{} has no fields", if outermost { "the layout" } else { group }));
        }
        for (index, field) in fields.iter().enumerate() {
            let before = &fields[..index];
            let name = format!("{group}{}{}", if outermost { "" } else { "." }, field.name);
            if !is_name(&field.name, false) {
                self.problem(format!("field {name}: a name here is lower-case letters, digits and `_`"));
            }
            if before.iter().any(|other| other.name == field.name) {
                self.problem(format!("field {name} stands twice"));
            }
            self.range(field, &name);
            self.reference(field, &name, before);
            if field.kind == FieldType::Rest && !(outermost && index + 1 == fields.len()) {
                self.problem(format!("field {name}: a rest must be the last field of the frame"));
            }
            if field.kind == FieldType::Repeat {
                self.fields(&field.of, &name, false);
            }
        }
    }

    fn range(&mut self, field: &Field, name: &str) {
        let (least, greatest) = field.kind.span();
        let min = self.bound(field, name, "min", &field.min).unwrap_or(least);
        let max = self.bound(field, name, "max", &field.max).unwrap_or(greatest);
        if min > max {
            self.problem(format!("field {name}: min {min} is above max {max}"));
        } else if min < least || max > greatest {
            self.problem(format!("field {name}: {min} to {max} does not fit in {}", field.kind));
        }
    }

    /// What a bound comes to. A limit's number is not written a second time, since the two would part one day.
    fn bound(&mut self, field: &Field, name: &str, word: &str, bound: &Option<Bound>) -> Option<i64> {
        let bound = bound.as_ref()?;
        let value = self.registry.bound(bound);
        match (bound, value) {
            (Bound::Limit(limit), None) => {
                self.problem(format!("field {name}: `{word}` names {limit}, which is no limit"));
            }
            (Bound::Number(number), _) if *number > 1 => {
                let same = self.registry.limits.iter().find(|limit| {
                    field.unit.as_deref() == Some(&limit.unit.to_string())
                        && u64::try_from(*number) == Ok(limit.value)
                });
                if let Some(limit) = same {
                    let text = format!(
                        "field {name}: {number} is the limit {0}: write `{word} = \"{0}\"`",
                        limit.name
                    );
                    self.problem(text);
                }
            }
            _ => {}
        }
        value
    }

    fn reference(&mut self, field: &Field, name: &str, before: &[Field]) {
        let has_len = matches!(field.kind, FieldType::Str | FieldType::Bytes);
        let has_count = field.kind == FieldType::Repeat;
        for (word, target, wanted) in [("len", &field.len, has_len), ("count", &field.count, has_count)] {
            match target {
                None if wanted => self.problem(format!("field {name}: {} needs `{word}`", field.kind)),
                Some(_) if !wanted => self.problem(format!("field {name}: {} has no `{word}`", field.kind)),
                Some(target) if !before.iter().any(|f| f.name == *target && f.kind.is_unsigned()) => {
                    self.problem(format!(
                        "field {name}: `{word}` names {target}, which is no unsigned field before it"
                    ));
                }
                _ => {}
            }
        }
        if !has_count && !field.of.is_empty() {
            self.problem(format!("field {name}: {} has no `of`", field.kind));
        }
    }

    fn problem(&mut self, text: String) {
        self.out.push(Problem::new(self.place.clone(), text));
    }
}
