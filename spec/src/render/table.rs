//! Markdown tables whose source reads well too: columns are padded, but for the last, which may be long.

pub(crate) fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> =
        rows.into_iter().map(|row| row.map(|cell| cell.replace('|', "\\|"))).collect();
    let mut widths = head.map(width);
    for row in &rows {
        for (most, cell) in widths.iter_mut().zip(row) {
            *most = width(cell).max(*most);
        }
    }
    let mut out = line(&head, &widths);
    let rules =
        std::array::from_fn::<_, N, _>(|index| "-".repeat(if index + 1 == N { 3 } else { widths[index] }));
    out.push_str(&line(&rules, &widths));
    for row in &rows {
        out.push_str(&line(row, &widths));
    }
    out
}

fn line(cells: &[impl AsRef<str>], widths: &[usize]) -> String {
    let mut out = String::from("|");
    for (index, (cell, most)) in cells.iter().zip(widths).enumerate() {
        let cell = cell.as_ref();
        let padded = if index + 1 == cells.len() { 0 } else { *most };
        out.push_str(&format!(" {cell:padded$}"));
        out.push_str(if cell.is_empty() && padded == 0 { "|" } else { " |" });
    }
    out.push('\n');
    out
}

fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    #[test]
    fn pads_all_but_the_last_column() {
        let rows = [
            ["`a`".into(), "x|y".into()],
            ["long name".into(), "a longer last cell".into()],
            ["".into(), "".into()],
        ];
        let expected = "\
| Name      | What |
| --------- | --- |
| `a`       | x\\|y |
| long name | a longer last cell |
|           | |
";
        assert_eq!(super::table(["Name", "What"], rows), expected);
    }
}
