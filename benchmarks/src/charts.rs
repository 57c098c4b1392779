//! The charts of an experiment: growth curves of families, engine against engine, and how many tasks were solved in which time.

use crate::plot::{Axis, Chart, Place, Point, Scale, Series};
use crate::{Family, NOTHING, Record, Verdict};
use std::collections::BTreeMap;

/// Something that is measured.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// What it is called, with its unit.
    pub name: &'static str,
    /// What it is in a run.
    pub of: fn(&Record) -> Option<f64>,
    /// A run without an answer has reached a limit of it.
    is_limited: bool,
}

/// All that is measured, time first.
pub const MEASURES: [Measure; 7] = [
    Measure { name: "time (s)", of: |run| run.verdict.map(|_| seconds(run)), is_limited: true },
    Measure { name: "memory (MB)", of: |run| Some(run.memory? as f64 / 1e6), is_limited: false },
    Measure { name: "variables", of: |run| Some(run.sizes.variables? as f64), is_limited: false },
    Measure { name: "clauses", of: |run| Some(run.sizes.clauses? as f64), is_limited: false },
    Measure { name: "BDD nodes", of: |run| Some(run.sizes.nodes? as f64), is_limited: false },
    Measure { name: "SAT conflicts", of: |run| Some(run.sizes.conflicts? as f64), is_limited: false },
    Measure { name: "rounds or queries", of: |run| Some(run.sizes.iterations? as f64), is_limited: false },
];

/// A time that axes can show: processes take longer than this.
fn seconds(run: &Record) -> f64 {
    run.time().as_secs_f64().max(1e-4)
}

/// Of the runs of the same engine on the same task, the one with the median time; in the order of the first ones. Options that all engines of a tool had
/// which were asked about a task are about the task, and not told.
pub fn medians(records: &[Record]) -> Vec<Record> {
    let mut records = records.to_vec();
    name_versions(&mut records);
    let mut places: BTreeMap<(&str, String, &str), usize> = BTreeMap::new();
    let mut cells: Vec<Vec<&Record>> = Vec::new();
    for record in &records {
        let place = *places.entry((&record.task, record.who(), &record.property)).or_insert_with(|| {
            cells.push(Vec::new());
            cells.len() - 1
        });
        cells[place].push(record);
    }
    let median = |mut cell: Vec<&Record>| {
        cell.sort_by_key(|record| record.time());
        cell[(cell.len() - 1) / 2].clone()
    };
    let mut medians: Vec<Record> = cells.into_iter().map(median).collect();
    forget_common(&mut medians);
    medians
}

/// Where an engine ran in several versions, its name says in which.
fn name_versions(records: &mut [Record]) {
    let mut versions: BTreeMap<String, Vec<[String; 3]>> = BTreeMap::new();
    for record in records.iter() {
        let known = versions.entry(record.engine.clone()).or_default();
        if !known.contains(&record.tool) {
            known.push(record.tool.clone());
        }
    }
    for record in records {
        if versions[&record.engine].len() > 1 {
            record.engine = format!("{} ({})", record.engine, record.tool.join(" ").trim_end());
        }
    }
}

fn forget_common(records: &mut [Record]) {
    let mut asked: BTreeMap<[String; 3], Vec<&mut Record>> = BTreeMap::new();
    for record in records {
        let question = [&record.task, &record.property, &record.tool[0]].map(String::clone);
        asked.entry(question).or_default().push(record);
    }
    for runs in asked.values_mut().filter(|runs| runs.iter().any(|run| run.engine != runs[0].engine)) {
        let mut common = runs[0].settings();
        common.retain(|setting| runs.iter().all(|run| run.settings().contains(setting)));
        runs.iter_mut().for_each(|run| run.forget(&common));
    }
}

/// Whose runs there are, in the order of the first ones.
pub fn contenders(records: &[Record]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in records.iter().map(Record::who) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The runs on programs of a family, in the order of the first ones.
pub fn families(records: &[Record]) -> Vec<(&'static Family, Vec<&Record>)> {
    let mut found: Vec<(&'static Family, Vec<&Record>)> = Vec::new();
    for record in records {
        let Some(instance) = record.instance() else { continue };
        match found.iter_mut().find(|(family, _)| family.name == instance.family().name) {
            Some((_, runs)) => runs.push(record),
            None => found.push((instance.family(), vec![record])),
        }
    }
    found
}

/// How a measure grows with the size of a family's programs; `runs` are those of [`families`], `names` the contenders. Nothing if nobody measured it, or
/// there is one size.
pub fn growth(family: &Family, runs: &[&Record], names: &[String], measure: Measure) -> Option<Chart> {
    let mut series = Vec::new();
    for (style, name) in names.iter().enumerate() {
        for verdict in Verdict::ALL {
            let points = curve(runs, name, verdict, measure);
            if points.iter().any(|point| point.y != Place::Beyond) {
                let version = if verdict == Verdict::Safe { "TRUE" } else { "FALSE" };
                let (name, is_second) = (format!("{name}, {version}"), verdict == Verdict::Unsafe);
                series.push(Series { name, style, is_second, is_line: true, points });
            }
        }
    }
    let sizes = series.iter().flat_map(|series| &series.points).filter_map(|point| match point.x {
        Place::At(size) => Some(size),
        Place::Beyond => None,
    });
    let (least, most) = sizes.fold((f64::INFINITY, 0.0f64), |(a, b), size| (a.min(size), b.max(size)));
    if most <= least {
        return None;
    }
    let scale = if most > 6.0 * least { Scale::Log } else { Scale::Linear };
    let parameter = family.parameter.split(", ").next().unwrap_or("n");
    Some(Chart {
        title: format!("{}: {}", family.name, measure.name),
        x: Axis { label: family.parameter.to_owned(), scale, beyond: parameter.to_owned() },
        y: axis(measure.name),
        compares: false,
        series,
    })
}

fn axis(label: &str) -> Axis {
    Axis { label: label.to_owned(), scale: Scale::Log, beyond: "no answer within the limits".to_owned() }
}

/// A curve by size. It ends where there is no answer any more: further ones would lie on the border, too.
fn curve(runs: &[&Record], name: &str, verdict: Verdict, measure: Measure) -> Vec<Point> {
    let of_size = |run: &&Record| {
        let instance = run.instance().filter(|instance| instance.verdict() == verdict && run.who() == name)?;
        let value = (measure.of)(run).filter(|_| run.verdict.is_some());
        Some((instance.size(), value, format!("{}: {}", run.task, told(run, value, measure))))
    };
    let mut points: Vec<(u32, Option<f64>, String)> = runs.iter().filter_map(of_size).collect();
    points.sort_by_key(|point| point.0);
    let mut curve = Vec::new();
    for (size, value, note) in points {
        let x = Place::At(f64::from(size));
        match value {
            Some(value) => curve.push(Point { x, y: Place::At(value), note }),
            None if measure.is_limited => {
                curve.push(Point { x, y: Place::Beyond, note });
                break;
            }
            None => {}
        }
    }
    curve
}

/// A run, when the mouse is over it.
fn told(run: &Record, value: Option<f64>, measure: Measure) -> String {
    let unit = measure.name.split_once(" (").map_or(measure.name, |(_, unit)| unit.trim_end_matches(')'));
    match value {
        Some(value) => format!("{value:.3} {unit} by {}", run.who()),
        None => format!("{} by {}", run.status, run.who()),
    }
}

/// The times of two contenders against each other, a point for each task that one of them solved. Colours are verdicts.
pub fn scatter(records: &[Record], [across, up]: [&str; 2]) -> Chart {
    let mut times: BTreeMap<(&str, &str), [Option<&Record>; 2]> = BTreeMap::new();
    for record in records.iter().filter(|record| record.status != NOTHING) {
        let name = record.who();
        for (place, _) in [across, up].iter().enumerate().filter(|(_, wanted)| **wanted == name) {
            times.entry((&record.task, &record.property)).or_default()[place] = Some(record);
        }
    }
    let mut points: [Vec<Point>; 2] = Default::default();
    for ((task, _), runs) in times {
        let [Some(one), Some(other)] = runs else { continue };
        let Some(verdict) = one.verdict.or(other.verdict) else { continue };
        let place = |run: &Record| run.verdict.map_or(Place::Beyond, |_| Place::At(seconds(run)));
        let said =
            |run: &Record| (MEASURES[0].of)(run).map_or_else(|| run.status.clone(), |time| format!("{time:.3} s"));
        let note = format!("{task}: {across} {}, {up} {}", said(one), said(other));
        points[usize::from(verdict == Verdict::Unsafe)].push(Point { x: place(one), y: place(other), note });
    }
    let series = |(style, points): (usize, Vec<Point>)| {
        let name = Verdict::ALL[style].expected().to_owned();
        Series { name, style, is_second: false, is_line: false, points }
    };
    Chart {
        title: format!("{up} against {across}"),
        x: axis(&format!("{across}: time (s)")),
        y: axis(&format!("{up}: time (s)")),
        compares: true,
        series: points.into_iter().enumerate().map(series).collect(),
    }
}

/// For each contender, in which time so many tasks were solved, each alone.
pub fn cactus(records: &[Record]) -> Chart {
    let series = |(style, name): (usize, String)| {
        let solved = |run: &&Record| run.who() == name && run.is_solved();
        let mut runs: Vec<&Record> = records.iter().filter(solved).collect();
        runs.sort_by(|one, other| (one.time(), &one.task).cmp(&(other.time(), &other.task)));
        let point = |(number, run): (usize, &&Record)| {
            let note = format!("{} in {:.3} s by {name}: {}", number + 1, seconds(run), run.task);
            Point { x: Place::At((number + 1) as f64), y: Place::At(seconds(run)), note }
        };
        let points = runs.iter().enumerate().map(point).collect();
        Series { name: name.clone(), style, is_second: false, is_line: true, points }
    };
    Chart {
        title: "Tasks solved, each within a time".to_owned(),
        x: Axis { label: "tasks solved".to_owned(), scale: Scale::Linear, beyond: String::new() },
        y: axis("time (s)"),
        compares: false,
        series: contenders(records).into_iter().enumerate().map(series).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DONE, RecordSizes};
    use std::time::Duration;

    fn run(engine: &str, task: &str, time: Option<u64>) -> Record {
        Record {
            tool: Default::default(),
            engine: engine.to_owned(),
            options: "--timeout 9s".to_owned(),
            task: task.to_owned(),
            property: "unreach-call".to_owned(),
            expected: None,
            verdict: time.map(|_| Verdict::Safe),
            status: if time.is_some() { DONE } else { "timeout" }.to_owned(),
            cpu: None,
            wall: Duration::from_secs(time.unwrap_or(9)),
            memory: Some(1),
            sizes: RecordSizes::default(),
        }
    }

    fn runs() -> Vec<Record> {
        let times = [(10, Some(1)), (20, Some(2)), (40, None), (80, None)];
        let sat = times.map(|(size, time)| run("sat", &format!("tn:{size}+safe"), time));
        let bdd = times.map(|(size, _)| run("bdd", &format!("tn:{size}+safe"), Some(3)));
        [&sat[..], &bdd[..], &[run("bdd", "a.bp", Some(1)), run("bdd", "a.bp", Some(5)), run("bdd", "a.bp", Some(7))]]
            .concat()
    }

    #[test]
    fn curves_end_where_there_is_no_answer() {
        let records = runs();
        let families = families(&records);
        assert_eq!(families.len(), 1);
        let (family, runs) = &families[0];
        let chart = growth(family, runs, &contenders(&records), MEASURES[0]).unwrap();
        assert_eq!(chart.series.iter().map(|series| series.points.len()).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(chart.series[0].points[2].y, Place::Beyond);
        assert_eq!(chart.x.scale, Scale::Log);
        assert!(growth(family, runs, &contenders(&records), MEASURES[3]).is_none(), "nobody counted clauses");
    }

    #[test]
    fn what_is_solved_by_one_is_compared() {
        let records = runs();
        let chart = scatter(&records, ["sat", "bdd"]);
        let points = &chart.series[0].points;
        assert_eq!((points.len(), chart.series[1].points.len()), (4, 0));
        assert_eq!(points.iter().filter(|point| point.x == Place::Beyond).count(), 2);
        assert!(chart.compares && chart.x.label.starts_with("sat"));
    }

    #[test]
    fn the_median_stands_for_repetitions_and_solved_tasks_are_counted() {
        let records = medians(&runs());
        assert_eq!(records.len(), 9);
        assert_eq!(records[8].wall.as_secs(), 5);
        let with = |engine: &str, options: &str| Record { options: options.to_owned(), ..run(engine, "b.bp", Some(1)) };
        let both = medians(&[
            with("sat", "--no-reduce all --timeout 1s"),
            with("bdd", "--bdd all --timeout 1s --no-reduce all"),
        ]);
        assert_eq!(contenders(&both), ["sat", "bdd --bdd all"]);
        assert!(both.iter().all(|run| run.options.ends_with("--timeout 1s")));
        let alone = medians(&[with("sat", "--no-reduce all"), with("sat", "--no-reduce all --sat inline")]);
        assert_eq!(contenders(&alone), ["sat --no-reduce all", "sat --no-reduce all --sat inline"]);
        let old = Record { tool: ["t", "1", ""].map(str::to_owned), ..run("sat", "b.bp", Some(1)) };
        assert_eq!(contenders(&medians(&[run("sat", "b.bp", Some(2)), old])), ["sat ()", "sat (t 1)"]);
        let chart = cactus(&records);
        let solved = |place: usize| (chart.series[place].name.clone(), chart.series[place].points.len());
        assert_eq!((solved(0), solved(1)), (("sat".to_owned(), 2), ("bdd".to_owned(), 5)));
    }
}
