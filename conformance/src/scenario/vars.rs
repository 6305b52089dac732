//! Variables of a running scenario and the small expressions over them.

use std::collections::BTreeMap;

/// Names and their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vars(BTreeMap<String, i64>);

impl Vars {
    /// Gives a name a value, new or not.
    pub fn set(&mut self, name: &str, value: i64) {
        self.0.insert(name.to_owned(), value);
    }

    /// The value of a name.
    ///
    /// # Errors
    /// A text if it has none.
    pub fn get(&self, name: &str) -> Result<i64, String> {
        self.0.get(name).copied().ok_or_else(|| format!("${name} has no value here"))
    }

    /// A copy in which one name has another value.
    #[must_use]
    pub fn with(&self, name: &str, value: i64) -> Self {
        let mut copy = self.clone();
        copy.set(name, value);
        copy
    }

    /// Takes over the values of `other`.
    pub fn extend(&mut self, other: Vars) {
        self.0.extend(other.0);
    }

    /// Puts values in the place of each `{name}`; `{{` is a brace.
    ///
    /// # Errors
    /// A text if a name has no value or a brace is not closed.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            out.push_str(before);
            if let Some(after) = after.strip_prefix('{') {
                out.push('{');
                rest = after;
                continue;
            }
            let (name, after) = after.split_once('}').ok_or_else(|| format!("no }} in {text:?}"))?;
            out.push_str(&self.get(name)?.to_string());
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }
}

/// Evaluates terms (`12`, `$name`) joined by `+` and `-`; a sign may stand in front.
///
/// # Errors
/// A text if it is not such an expression or a variable has no value.
pub fn eval(text: &str, vars: &Vars) -> Result<i64, String> {
    let mut total = 0_i64;
    let mut rest = text.trim();
    let mut first = true;
    while !rest.is_empty() {
        let (sign, after) = match (rest.strip_prefix('-'), rest.strip_prefix('+')) {
            (Some(after), _) => (-1, after),
            (_, Some(after)) => (1, after),
            _ if first => (1, rest),
            _ => return Err(format!("not an expression: {text:?}")),
        };
        let end = after.find(['+', '-']).unwrap_or(after.len());
        let (term, after) = after.split_at(end);
        let term = term.trim();
        let value = match term.strip_prefix('$') {
            Some(name) => vars.get(name)?,
            None => term.parse().map_err(|_| format!("not an expression: {text:?}"))?,
        };
        total = total.checked_add(sign * value).ok_or_else(|| format!("overflow in {text:?}"))?;
        rest = after;
        first = false;
    }
    if first { Err("an empty expression".into()) } else { Ok(total) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions() {
        let mut vars = Vars::default();
        vars.set("a.id", 7);
        for (text, want) in [("1", 1), ("$a.id", 7), ("-$a.id", -7), ("$a.id + 2-1", 8), (" 3 ", 3)] {
            assert_eq!(eval(text, &vars), Ok(want), "{text}");
        }
        for bad in ["", "$b", "1 2", "x", "1+", "$"] {
            assert!(eval(bad, &vars).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn texts() {
        let mut vars = Vars::default();
        vars.set("i", 12);
        assert_eq!(vars.fill("k{i}-{{x}"), Ok("k12-{x}".to_owned()));
        assert!(vars.fill("k{j}").is_err());
        assert!(vars.fill("k{i").is_err());
    }
}
