//! A chart as SVG. Title above, legend on the right, the border for what has no answer beyond the axis, and its name outside of the frame: nothing lies
//! on anything else.

use super::scale::{Range, Tick};
use super::{Axis, Chart, Place, Point, Series};
use std::fmt::Write;

/// Colours: of texts and frames, of the grid, of the paper, and of the styles.
struct Palette {
    ink: &'static str,
    faint: &'static str,
    paper: &'static str,
    styles: [&'static str; STYLES],
}

const LIGHT: Palette = Palette {
    ink: "#1b1f24",
    faint: "#d8dde3",
    paper: "#ffffff",
    styles: ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#b8860b", "#4a4a4a", "#56b4e9", "#882255"],
};

const DARK: Palette = Palette {
    ink: "#e6e8eb",
    faint: "#3a414a",
    paper: "#16191d",
    styles: ["#4da6e0", "#ff8c42", "#2fc79a", "#e08ac8", "#e5b93c", "#b9c0c8", "#9bd3f7", "#e07a9f"],
};

/// Fonts and lines.
const SHAPES: &str = "\
.plot{font:12px system-ui,'DejaVu Sans',sans-serif}.plot text{stroke:none}.plot .title{font-weight:600;font-size:14px}.plot .frame{fill:none;stroke-opacity:.5}\
.plot .even{stroke-opacity:.6}.plot .tenfold{stroke-opacity:.35;stroke-dasharray:4 4}.plot .beyond{stroke-dasharray:2 3}\
.plot polyline{fill:none;stroke-width:1.6}.plot .second polyline{stroke-dasharray:5 4}.plot .mark{stroke-width:1.4}";

impl Palette {
    /// Rules with the colours themselves: variables are for browsers only, and other programs draw what has
    /// one in black.
    fn rules(&self) -> String {
        let Palette { ink, faint, paper, styles } = self;
        let mut rules = format!(
            ".plot{{color:{ink}}}.plot text{{fill:{ink}}}.plot .paper{{fill:{paper}}}.plot .frame,.plot .even,.plot .tenfold{{stroke:{ink}}}\
             .plot .grid{{stroke:{faint}}}.plot .beyond{{stroke:{}}}",
            styles[1]
        );
        for (number, color) in styles.iter().enumerate() {
            let _ = write!(rules, ".plot .s{number}{{stroke:{color};fill:{color}}}");
        }
        let _ = write!(rules, ".plot .second .mark{{fill:{paper}}}");
        rules
    }
}

/// Styles of charts, light and dark, for the page that they are part of.
pub fn page_style() -> String {
    format!("{SHAPES}{}\n@media(prefers-color-scheme:dark){{{}}}", LIGHT.rules(), DARK.rules())
}

/// Different styles.
const STYLES: usize = 8;

/// The area of the points, its place, and the border beyond.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 74.0;
const TOP: f64 = 52.0;
const BEYOND: f64 = 26.0;
/// Below the area: ticks and the label.
const BOTTOM: f64 = 52.0;
/// A line of the legend, and a letter at most.
const LINE: f64 = 20.0;
const LETTER: f64 = 7.4;
/// A longer name is cut in the legend.
const LONGEST: usize = 44;

/// The chart with its ranges.
struct Layout<'c> {
    chart: &'c Chart,
    x: Range,
    y: Range,
    /// Room for what has no answer, on both axes.
    beyond: [f64; 2],
}

pub(super) fn draw(chart: &Chart, is_file: bool) -> String {
    let layout = Layout::new(chart);
    let legend =
        chart.series.iter().map(|series| name(series).chars().count()).max().unwrap_or(0) as f64 * LETTER + 44.0;
    let width = (layout.legend_at() + legend).max(LEFT + chart.title.chars().count() as f64 * 8.6 + 10.0);
    let rows = chart.series.len() as f64 * LINE;
    let height = TOP + layout.height().max(rows) + BOTTOM;
    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\"><title>{}</title>",
        escape(&chart.title)
    );
    if is_file {
        let _ = write!(out, "<style>{SHAPES}{}</style>", LIGHT.rules());
    }
    let _ = writeln!(out, "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>");
    let _ = writeln!(out, "<text class=\"title\" x=\"{LEFT}\" y=\"24\">{}</text>", escape(&chart.title));
    layout.axes(&mut out);
    layout.guides(&mut out);
    chart.series.iter().for_each(|series| layout.series(&mut out, series));
    layout.legend(&mut out);
    out.push_str("</svg>\n");
    out
}

impl Layout<'_> {
    fn new(chart: &Chart) -> Layout<'_> {
        let points: Vec<&Point> = chart.series.iter().flat_map(|series| &series.points).collect();
        let (xs, ys) = (points.iter().map(|point| point.x), points.iter().map(|point| point.y));
        let room = |is_needed: bool| if is_needed { BEYOND } else { 0.0 };
        let beyond = [
            room(points.iter().any(|point| point.x == Place::Beyond)),
            room(points.iter().any(|point| point.y == Place::Beyond)),
        ];
        let (x, y) = if chart.compares {
            let both = Range::of(chart.x.scale, xs.chain(ys));
            (both, both)
        } else {
            (Range::of(chart.x.scale, xs), Range::of(chart.y.scale, ys))
        };
        Layout { chart, x, y, beyond }
    }

    /// How far the area goes to the right, and down.
    fn right(&self) -> f64 {
        WIDTH + self.beyond[0]
    }

    fn height(&self) -> f64 {
        HEIGHT + self.beyond[1]
    }

    /// Where the legend begins: beside the frame, and the name of the border if there is one.
    fn legend_at(&self) -> f64 {
        LEFT + self.right() + if self.beyond[0] > 0.0 { 32.0 } else { 16.0 }
    }

    /// Where a place is in the picture.
    fn x(&self, place: Place) -> f64 {
        LEFT + match place {
            Place::At(value) => self.x.place(value) * WIDTH,
            Place::Beyond => WIDTH + BEYOND / 2.0,
        }
    }

    fn y(&self, place: Place) -> f64 {
        TOP + match place {
            Place::At(value) => self.beyond[1] + (1.0 - self.y.place(value)) * HEIGHT,
            Place::Beyond => BEYOND / 2.0,
        }
    }

    /// The frame, what is written beside it, and the grid.
    fn axes(&self, out: &mut String) {
        let (right, bottom) = (LEFT + self.right(), TOP + self.height());
        for Tick { value, text } in self.x.ticks() {
            let x = self.x(Place::At(value));
            line(out, "grid", [x, TOP, x, bottom]);
            if let Some(text) = text {
                let _ =
                    writeln!(out, "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{text}</text>", bottom + 19.0);
            }
        }
        for Tick { value, text } in self.y.ticks() {
            let y = self.y(Place::At(value));
            line(out, "grid", [LEFT, y, right, y]);
            if let Some(text) = text {
                let _ = writeln!(
                    out,
                    "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{text}</text>",
                    LEFT - 6.0,
                    y + 4.0
                );
            }
        }
        let _ = writeln!(
            out,
            "<rect class=\"frame\" x=\"{LEFT}\" y=\"{TOP}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            self.right(),
            self.height()
        );
        let middle = LEFT + WIDTH / 2.0;
        let label = |axis: &Axis| escape(&axis.label);
        let _ = writeln!(
            out,
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 40.0,
            label(&self.chart.x)
        );
        let (x, y) = (18.0, TOP + self.height() / 2.0);
        let _ = writeln!(
            out,
            "<text transform=\"translate({x:.1} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            label(&self.chart.y)
        );
    }

    /// Borders of what has no answer, and lines that compare.
    fn guides(&self, out: &mut String) {
        let (right, bottom) = (LEFT + self.right(), TOP + self.height());
        if self.beyond[0] > 0.0 {
            let x = LEFT + WIDTH + BEYOND / 2.0;
            line(out, "beyond", [x, TOP, x, bottom]);
            let (x, text) = (right + 16.0, escape(&self.chart.x.beyond));
            let _ = writeln!(out, "<text transform=\"translate({x:.1} {bottom:.1}) rotate(-90)\">{text}</text>");
        }
        if self.beyond[1] > 0.0 {
            let y = TOP + BEYOND / 2.0;
            line(out, "beyond", [LEFT, y, right, y]);
            let (y, text) = (TOP - 6.0, escape(&self.chart.y.beyond));
            let _ = writeln!(out, "<text x=\"{right:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{text}</text>");
        }
        if self.chart.compares {
            let (first, last) = self.x.ends();
            let at = |x: f64, y: f64| [self.x(Place::At(x)), self.y(Place::At(y))];
            let mut guide = |class: &str, [from, to]: [[f64; 2]; 2]| line(out, class, [from[0], from[1], to[0], to[1]]);
            guide("even", [at(first, first), at(last, last)]);
            if last > 10.0 * first {
                guide("tenfold", [at(first, 10.0 * first), at(last / 10.0, last)]);
                guide("tenfold", [at(10.0 * first, first), at(last, last / 10.0)]);
            }
        }
    }

    fn series(&self, out: &mut String, series: &Series) {
        let _ = writeln!(out, "<g class=\"{}\">", class(series));
        if series.is_line && series.points.len() > 1 {
            let places: Vec<String> = series.points.iter().map(|point| self.pair(point)).collect();
            let _ = writeln!(out, "<polyline points=\"{}\"/>", places.join(" "));
        }
        for point in &series.points {
            let mark = mark(series.style, self.x(point.x), self.y(point.y));
            let _ = writeln!(out, "<path class=\"mark\" d=\"{mark}\"><title>{}</title></path>", escape(&point.note));
        }
        out.push_str("</g>\n");
    }

    fn pair(&self, point: &Point) -> String {
        format!("{:.1},{:.1}", self.x(point.x), self.y(point.y))
    }

    fn legend(&self, out: &mut String) {
        let x = self.legend_at();
        for (row, series) in self.chart.series.iter().enumerate() {
            let y = TOP + 8.0 + row as f64 * LINE;
            let _ = writeln!(out, "<g class=\"{}\">", class(series));
            if series.is_line {
                let _ = writeln!(out, "<polyline points=\"{x:.1},{y:.1} {:.1},{y:.1}\"/>", x + 24.0);
            }
            let mark = mark(series.style, x + 12.0, y);
            let text = escape(&name(series));
            let _ = writeln!(out, "<path class=\"mark\" d=\"{mark}\"/></g>");
            let _ = writeln!(out, "<text x=\"{:.1}\" y=\"{:.1}\">{text}</text>", x + 32.0, y + 4.0);
        }
    }
}

fn line(out: &mut String, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = writeln!(out, "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
}

fn class(series: &Series) -> String {
    format!("s{}{}", series.style % STYLES, if series.is_second { " second" } else { "" })
}

/// The name in the legend.
fn name(series: &Series) -> String {
    if series.name.chars().count() <= LONGEST {
        return series.name.clone();
    }
    let start: String = series.name.chars().take(LONGEST - 1).collect();
    format!("{start}…")
}

/// A mark around a place: circle, square, triangle, diamond, and so on.
fn mark(style: usize, x: f64, y: f64) -> String {
    let round = |radius: f64| {
        format!(
            "M{:.1} {y:.1}a{radius} {radius} 0 1 0 {:.1} 0a{radius} {radius} 0 1 0 -{:.1} 0z",
            x - radius,
            2.0 * radius,
            2.0 * radius
        )
    };
    let corners: &[(f64, f64)] = match style % STYLES {
        0 => return round(3.4),
        1 => &[(-3.2, -3.2), (3.2, -3.2), (3.2, 3.2), (-3.2, 3.2)],
        2 => &[(0.0, -4.2), (4.0, 3.0), (-4.0, 3.0)],
        3 => &[(0.0, -4.6), (4.6, 0.0), (0.0, 4.6), (-4.6, 0.0)],
        4 => &[(0.0, 4.2), (4.0, -3.0), (-4.0, -3.0)],
        5 => &[(-4.2, -1.4), (4.2, -1.4), (4.2, 1.4), (-4.2, 1.4)],
        6 => &[(-1.4, -4.2), (1.4, -4.2), (1.4, 4.2), (-1.4, 4.2)],
        _ => &[(-4.0, -4.0), (4.0, 4.0), (4.0, -4.0), (-4.0, 4.0)],
    };
    let corners: Vec<String> = corners.iter().map(|(dx, dy)| format!("{:.1} {:.1}", x + dx, y + dy)).collect();
    format!("M{}z", corners.join("L"))
}

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // What is no character of XML.
            c if c.is_control() && !matches!(c, '\n' | '\t') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::*;

    fn chart(points: &[(Place, Place)], compares: bool) -> Chart {
        let axis = |label: &str| Axis { label: label.to_owned(), scale: Scale::Log, beyond: "no answer".to_owned() };
        let points = points.iter().map(|&(x, y)| Point { x, y, note: "a <b> & \"c\"".to_owned() }).collect();
        let series = Series { name: "a <name>".repeat(20), style: 9, is_second: true, is_line: true, points };
        Chart { title: "<T>".to_owned(), x: axis("n"), y: axis("s"), compares, series: vec![series] }
    }

    /// The places of marks.
    fn marks(svg: &str) -> Vec<(f64, f64)> {
        let starts = svg.split("<path class=\"mark\" d=\"M").skip(1);
        let place = |text: &str| {
            let mut numbers = text.split([' ', 'L']).map(|number| number.parse::<f64>().unwrap());
            // The first corner of a square is above on the left.
            (numbers.next().unwrap() + 3.2, numbers.next().unwrap() + 3.2)
        };
        starts.map(|text| place(text.split('z').next().unwrap())).collect()
    }

    #[test]
    fn larger_is_further_right_and_up_and_no_answer_is_beyond() {
        let at = Place::At;
        let svg = chart(&[(at(1.0), at(1.0)), (at(9.0), at(8.0)), (Place::Beyond, Place::Beyond)], false).svg();
        let marks = marks(&svg);
        assert!(marks[0].0 < marks[1].0 && marks[1].0 < marks[2].0, "{marks:?}");
        assert!(marks[0].1 > marks[1].1 && marks[1].1 > marks[2].1, "{marks:?}");
        assert_eq!(svg.matches("class=\"beyond\"").count(), 2);
        assert!(!chart(&[(at(1.0), at(1.0))], false).svg().contains("class=\"beyond\""));
    }

    #[test]
    fn what_compares_has_equal_axes_and_guides() {
        let svg = chart(&[(Place::At(1.0), Place::At(1000.0))], true).svg();
        assert_eq!(svg.matches("class=\"tenfold\"").count(), 2);
        let texts = |anchor: &str| svg.matches(&format!("text-anchor=\"{anchor}\">100<")).count();
        assert_eq!((texts("middle"), texts("end")), (1, 1));
    }

    #[test]
    fn texts_are_escaped_and_cut() {
        let svg = chart(&[(Place::At(1.0), Place::At(2.0))], false).file();
        assert!(
            svg.contains("a &lt;b&gt; &amp; &quot;c&quot;") && !svg.contains("<b>") && !svg.contains("<T>"),
            "{svg}"
        );
        assert!(svg.contains('…') && svg.contains("<style>"));
        // What is drawn by others than browsers.
        assert!(!svg.contains("var(") && !svg.contains("@media") && svg.contains(LIGHT.styles[1]), "{svg}");
        assert_eq!(escape("\u{1}"), "\u{fffd}");
    }

    #[test]
    fn a_chart_without_points_is_drawn() {
        assert!(chart(&[], true).svg().ends_with("</svg>\n"));
    }
}
