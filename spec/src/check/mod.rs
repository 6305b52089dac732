//! What must hold of the registry and the chapters. Every check returns all that it finds, not only the first.

mod chapters;
mod layouts;
mod rows;

use std::collections::BTreeMap;

pub use chapters::chapters;
pub(crate) use rows::in_opcode_space;

use crate::problem::Problem;
use crate::registry::Registry;

/// Checks the registry by itself. Nothing is rendered from a registry that has a problem here.
pub fn registry(registry: &Registry) -> Vec<Problem> {
    let mut out = rows::check(registry);
    for frame in registry.frames() {
        layouts::check(registry, &frame, &mut out);
    }
    layouts::same_rule_same_range(registry, &mut out);
    out
}

/// Where a problem of a row is: `registry.toml, opcode STATE_SET`.
fn row(table: impl ToString, name: &str) -> String {
    format!("spec/registry.toml, {} {name}", table.to_string())
}

/// Tells of each value that stands a second time; `items` are value and place.
fn unique<T: Ord + ToString>(what: &str, items: impl Iterator<Item = (T, String)>, out: &mut Vec<Problem>) {
    let mut seen: BTreeMap<T, String> = BTreeMap::new();
    for (value, place) in items {
        if let Some(first) = seen.get(&value) {
            let text =
                format!("{what} {} is taken by {}", value.to_string(), first.trim_start_matches("spec/"));
            out.push(Problem::new(place, text));
        } else {
            seen.insert(value, place);
        }
    }
}
