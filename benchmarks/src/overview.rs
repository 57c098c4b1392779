//! The classes at a glance: for each family, as the rows of Figs 4 and 6 of Godefroid and Yannakakis have it, the bound of its class and what each engine made of
//! it. [`summary`](crate::summary) has the details.

use crate::SummaryRow;

/// A row for each family, a column for each contender, with the largest program (TRUE, or where there is none FALSE) that it solved and
/// how its time grew; the first row has the headings.
pub fn overview(rows: &[SummaryRow]) -> Vec<Vec<String>> {
    let mut names: Vec<&str> = Vec::new();
    let mut families: Vec<Vec<&SummaryRow>> = Vec::new();
    for row in rows {
        if !names.contains(&row.who.as_str()) {
            names.push(&row.who);
        }
        match families.last_mut().filter(|family| family[0].family.name == row.family.name) {
            Some(family) => family.push(row),
            None => families.push(vec![row]),
        }
    }
    let headings = ["class", "theorem", "family"].into_iter().chain(names.iter().copied()).map(str::to_owned);
    let mut table: Vec<Vec<String>> = vec![headings.collect()];
    let mut before = "";
    for family in families {
        let [class, theorem] = family[0].class();
        let told = if class == before { "" } else { class };
        let cell = |name: &&str| family.iter().find(|row| row.who == **name).map_or(String::new(), |row| row.told());
        let about = [told, theorem, family[0].family.name].map(str::to_owned);
        table.push(about.into_iter().chain(names.iter().map(cell)).collect());
        before = class;
    }
    table
}

/// The same in Markdown.
pub fn overview_table(rows: &[SummaryRow]) -> String {
    let mut table = overview(rows);
    let rule = vec!["---".to_owned(); table[0].len()];
    table.insert(1, rule);
    table.iter().map(|cells| format!("| {} |\n", cells.join(" | "))).collect()
}

impl SummaryRow {
    /// What it made of the family, in a few words.
    fn told(&self) -> String {
        let of = |(solved, tried): (Option<u32>, Option<u32>)| match (solved, tried) {
            (_, None) => None,
            (None, Some(_)) => Some("none".to_owned()),
            (Some(solved), tried) if Some(solved) == tried => Some(format!("**{solved}**")),
            (Some(solved), _) => Some(solved.to_string()),
        };
        let largest = self.largest.into_iter().find_map(of).unwrap_or_default();
        let time = self.time.map_or(String::new(), |growth| format!(", {growth}"));
        largest + &time
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{COLUMNS, read_records, summary};

    #[test]
    fn a_row_for_each_family_and_a_column_for_each_engine() {
        let mut text = COLUMNS.join(",") + "\n";
        for (engine, task, end) in [
            ("sat", "tn:4+safe", "TRUE,done"),
            ("sat", "tn:8+safe", "UNKNOWN,timeout"),
            ("bdd", "tn:8+safe", "TRUE,done"),
            ("bdd", "xn:8+unsafe", "FALSE,done"),
        ] {
            let expected = if task.ends_with("+safe") { "TRUE" } else { "FALSE" };
            text += &format!("epitome,1,,{engine},,{task},unreach-call,{expected},{end},1.0,1.0,,,,,,\n");
        }
        let table = overview_table(&summary(&read_records(&text).unwrap()));
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines[0], "| class | theorem | family | sat | bdd |");
        let theorem = "PSPACE (Godefroid, Theorem 7); linear in N by summaries (Ball, section 4)";
        assert_eq!(lines[2], format!("| I/O bounded EHSM | {theorem} | tn | 4 | **8** |"));
        assert_eq!(lines[3], format!("|  | {theorem} | xn |  | **8** |"));
    }
}
