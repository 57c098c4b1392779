//! The parts of the page, as HTML: who did how well, growth by class, engine against engine, tasks solved in time, and all runs.

use super::super::super::html::escape;
use super::super::super::units;
use super::super::machine;
use super::{Charts, Shown, slug};
use epitome_benchmarks::charts::{MEASURES, contenders};
use epitome_benchmarks::{NOTHING, Record, SUMMARY_COLUMNS, SummaryRow, Verdict, overview};
use std::fmt::Write;

/// What the parts are made of.
pub(super) struct Sections<'s> {
    pub(super) shown: &'s Shown<'s>,
    pub(super) medians: &'s [Record],
    pub(super) charts: &'s Charts,
    /// A row for each family and engine.
    pub(super) rows: &'s [SummaryRow],
}

impl Sections<'_> {
    pub(super) fn body(&self) -> String {
        [self.head(), self.glance(), self.growth(), self.scatter(), self.cactus(), self.scores(), self.runs()].concat()
    }

    fn head(&self) -> String {
        let shown = self.shown;
        let lines = machine::lines(&shown.runs()).map(|line| format!("<p class=\"faint\">{}</p>", escape(&line)));
        let (class, word) = match shown.contradictions.len() {
            0 => ("good", "no disagreement".to_owned()),
            count => ("bad", units::count(count, "disagreement")),
        };
        let told: String = shown.contradictions.iter().map(|told| format!("<li>{}</li>", escape(told))).collect();
        format!(
            "<header class=\"card\"><h1>{}</h1><p><span class=\"badge {class}\">{word}</span> {}</p><ul class=\"told\">{told}</ul>{}</header>\n",
            escape(shown.title),
            escape(&shown.counts(self.medians)),
            lines.concat()
        )
    }

    /// Families by engines; nothing if there are none.
    fn glance(&self) -> String {
        let table = overview(self.rows);
        let [headings, rows @ ..] = &table[..] else { return String::new() };
        if rows.is_empty() {
            return String::new();
        }
        // What stands between asterisks is bold.
        let bold = |text: &str| escape(text).replacen("**", "<b>", 1).replacen("**", "</b>", 1);
        let row = |cells: &Vec<String>| {
            let class = if cells[0].is_empty() { "" } else { " class=\"first\"" };
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", bold(cell))).collect();
            format!("<tr{class}>{cells}</tr>\n")
        };
        let headings: String = headings.iter().map(|name| format!("<th>{}</th>", escape(name))).collect();
        let rows: String = rows.iter().map(row).collect();
        format!(
            "<section id=\"glance\" aria-label=\"At a glance\"><h2>At a glance</h2><p class=\"faint\">The largest program of each family that was solved (bold: all that were tried), \
             and how its time grew with the parameter.</p><div class=\"scroll\"><table class=\"families\"><thead><tr>{headings}</tr></thead><tbody>{rows}</tbody></table></div></section>\n"
        )
    }

    /// Curves of each family, under its class; one measure at a time is seen.
    fn growth(&self) -> String {
        let charts = &self.charts.growth;
        if charts.is_empty() {
            return String::new();
        }
        let measures = MEASURES.iter().filter(|measure| charts.iter().any(|(_, name, _)| *name == measure.name));
        let options: String = measures
            .map(|measure| format!("<option value=\"{}\">{}</option>", slug(measure.name), measure.name))
            .collect();
        let mut out = format!(
            "<section id=\"growth\" aria-label=\"Growth\"><h2>Growth by class</h2><p class=\"screen\"><label>Measure <select id=\"measure\">{options}</select></label> \
             <span class=\"faint\">Both versions of a program: filled marks and full lines where the answer is TRUE, open marks and broken lines where it is FALSE.</span></p>\n"
        );
        let mut class = "";
        for (place, (family, measure, chart)) in charts.iter().enumerate() {
            let (own, bound) = family.theorem.split_once(": ").unwrap_or((family.theorem, ""));
            if place == 0 || charts[place - 1].0.name != family.name {
                if own != class {
                    let _ = writeln!(out, "<h3>{}</h3>", escape(own));
                    class = own;
                }
                let _ = writeln!(
                    out,
                    "<p class=\"about\"><b>{}</b>: {}<br><span class=\"faint\">{}</span></p>",
                    family.name,
                    escape(bound),
                    escape(family.description)
                );
            }
            let _ = writeln!(out, "<figure data-measure=\"{}\">{}</figure>", slug(measure), chart.svg());
        }
        out + &self.summary() + "</section>\n"
    }

    /// The table of growth.
    fn summary(&self) -> String {
        let rows = self.rows;
        let head: String = SUMMARY_COLUMNS.iter().map(|name| format!("<th>{name}</th>")).collect();
        let row = |(place, row): (usize, &SummaryRow)| {
            let is_first = place == 0 || rows[place - 1].family.name != row.family.name;
            let cells: String = row.cells(is_first).iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
            let class = if is_first { " class=\"first\"" } else { "" };
            format!("<tr{class}>{cells}</tr>\n")
        };
        let body: String = rows.iter().enumerate().map(row).collect();
        format!(
            "<h3>Curves and largest programs</h3><p class=\"faint\">Fitted to the logarithms of what was measured of the TRUE version; times below 0.01 s are left out, and \
             four sizes are needed, and what is constant is taken away.</p><div class=\"scroll\"><table id=\"curves\" class=\"families\"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
        )
    }

    /// One pair of engines at a time is seen.
    fn scatter(&self) -> String {
        if self.charts.scatter.is_empty() {
            return String::new();
        }
        let pair = |(place, ([across, up], _)): (usize, &([String; 2], _))| {
            format!("<option value=\"{place}\">{} against {}</option>", escape(up), escape(across))
        };
        let options: String = self.charts.scatter.iter().enumerate().map(pair).collect();
        let figure = |(place, (_, chart)): (usize, &([String; 2], epitome_benchmarks::plot::Chart))| {
            format!("<figure data-pair=\"{place}\">{}</figure>\n", chart.svg())
        };
        let figures: String = self.charts.scatter.iter().enumerate().map(figure).collect();
        format!(
            "<section id=\"scatter\" aria-label=\"Engine against engine\"><h2>Engine against engine</h2><p class=\"screen\"><label>Pair <select id=\"pair\">{options}</select></label> \
             <span class=\"faint\">A point is a task; below the line the engine of the vertical axis is faster. Broken lines: ten times. On the border: no answer.</span></p>\n{figures}</section>\n"
        )
    }

    fn cactus(&self) -> String {
        format!(
            "<section id=\"cactus\" aria-label=\"Tasks solved\"><h2>Tasks solved</h2><figure>{}</figure></section>\n",
            self.charts.cactus.svg()
        )
    }

    fn scores(&self) -> String {
        let row = |who: &String| {
            let own: Vec<&Record> = self.medians.iter().filter(|record| record.who() == *who).collect();
            let count = |is: &dyn Fn(&Record) -> bool| own.iter().filter(|record| is(record)).count();
            let solved = |verdict| count(&|record| record.verdict == Some(verdict) && record.is_solved());
            let wrong = count(&Record::is_wrong);
            let nothing = count(&has_nothing_to_check);
            let limit = own.iter().find_map(|record| limit(record));
            let par2 = limit.map_or("–".to_owned(), |limit| {
                let time = |record: &&Record| {
                    if record.is_solved() { record.time().as_secs_f64() } else { 2.0 * limit }
                };
                let asked = own.iter().filter(|record| !has_nothing_to_check(record));
                format!("{:.3}", asked.map(time).sum::<f64>() / (own.len() - nothing).max(1) as f64)
            });
            let version = own.first().map_or(String::new(), |record| format!("{} {}", record.tool[0], record.tool[1]));
            let none = count(&|record| record.verdict.is_none());
            let tasks = own.len();
            let numbers = [tasks, solved(Verdict::Safe), solved(Verdict::Unsafe), none, nothing, wrong]
                .map(|number| format!("<td class=\"number\">{number}</td>"));
            let class = if wrong > 0 { " class=\"bad\"" } else { "" };
            let (who, version, numbers) = (escape(who), escape(&version), numbers.concat());
            format!("<tr{class}><td>{who}</td><td>{version}</td>{numbers}<td class=\"number\">{par2}</td></tr>\n")
        };
        let rows: String = contenders(self.medians).iter().map(row).collect();
        format!(
            "<section id=\"scores\" aria-label=\"Scores\"><h2>Scores</h2><div class=\"scroll\"><table><thead><tr><th>engine</th><th>tool</th><th class=\"number\">tasks</th><th class=\"number\">TRUE</th><th class=\"number\">FALSE</th>\
             <th class=\"number\">no answer</th><th class=\"number\">nothing to check</th><th class=\"number\">wrong</th><th class=\"number\">PAR-2 (s)</th></tr></thead><tbody>{rows}</tbody></table></div></section>\n"
        )
    }

    /// All runs, which the script sorts and filters.
    fn runs(&self) -> String {
        const COLUMNS: [(&str, bool); 12] = [
            ("task", false),
            ("engine", false),
            ("property", false),
            ("verdict", false),
            ("status", false),
            ("time (s)", true),
            ("wall (s)", true),
            ("memory (MB)", true),
            ("rounds", true),
            ("BDD nodes", true),
            ("variables", true),
            ("clauses", true),
        ];
        let head: String = COLUMNS
            .iter()
            .map(|(name, is_number)| {
                let class = if *is_number { " class=\"number\"" } else { "" };
                format!("<th{class} aria-sort=\"none\"><button type=\"button\">{name}</button></th>")
            })
            .collect();
        let rows: String = self.shown.records.iter().map(run).collect();
        let options = |names: Vec<String>| -> String {
            names.iter().map(|name| format!("<option>{}</option>", escape(name))).collect()
        };
        let mut ends: Vec<String> = self.shown.records.iter().map(end).collect();
        ends.sort();
        ends.dedup();
        format!(
            "<section id=\"runs-section\" aria-label=\"Runs\"><h2>Runs</h2><p class=\"screen filters\"><label>Task <input id=\"search\" type=\"search\" placeholder=\"part of a name\"></label> \
             <label>Engine <select id=\"engine\"><option value=\"\">all</option>{}</select></label> <label>End <select id=\"end\"><option value=\"\">all</option>{}</select></label> \
             <span id=\"found\" class=\"faint\" aria-live=\"polite\"></span></p><div class=\"scroll\"><table id=\"all\"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></section>\n",
            options(contenders(self.shown.records)),
            options(ends)
        )
    }
}

/// The limit of time that the options of a run have, in seconds.
fn limit(record: &Record) -> Option<f64> {
    let (_, rest) = record.options.split_once("--timeout")?;
    let word = rest.trim_start_matches(['=', ' ']).split_whitespace().next()?;
    units::duration(word).ok().map(|limit| limit.as_secs_f64())
}

/// Its verdict is right, but there was nothing to check.
fn has_nothing_to_check(record: &Record) -> bool {
    record.status == NOTHING && !record.is_wrong()
}

/// How a run ended: a verdict, wrong or not, why it is none of an engine, or why there is none.
fn end(record: &Record) -> String {
    match record.verdict {
        Some(_) if record.is_wrong() => "wrong".to_owned(),
        Some(_) if has_nothing_to_check(record) => record.status.clone(),
        Some(verdict) => verdict.expected().to_owned(),
        None => record.status.clone(),
    }
}

/// A row of all runs.
fn run(record: &Record) -> String {
    let end = end(record);
    let class = match end.as_str() {
        "wrong" | "crash" | "error" => " class=\"bad\"",
        "TRUE" | "FALSE" => "",
        _ => " class=\"unsure\"",
    };
    let number = |value: Option<f64>, digits: usize| match value {
        Some(value) => format!("<td class=\"number\" data-value=\"{value}\">{value:.digits$}</td>"),
        None => "<td class=\"number\"></td>".to_owned(),
    };
    let count = |value: Option<u64>| number(value.map(|value| value as f64), 0);
    let text = |text: &str| format!("<td>{}</td>", escape(text));
    let sizes = record.sizes;
    let cells = [
        text(&record.task),
        text(&record.who()),
        text(&record.property),
        format!("<td{class}>{}</td>", record.verdict.map_or("UNKNOWN", Verdict::expected)),
        text(&record.status),
        number(record.cpu.map(|time| time.as_secs_f64()), 3),
        number(Some(record.wall.as_secs_f64()), 3),
        number(record.memory.map(|bytes| bytes as f64 / 1e6), 0),
        count(sizes.iterations),
        count(sizes.nodes),
        count(sizes.variables),
        count(sizes.clauses),
    ];
    format!("<tr data-end=\"{}\">{}</tr>\n", escape(&end), cells.concat())
}
