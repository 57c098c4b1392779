//! Charts of experiments as SVG: growth curves, scatter plots, cactus plots.
//!
//! Drawn here and not by a library for plots, because of what readers of experiments ask for: runs without an answer stand on a border of
//! their own beyond the axis, each point says what it is when the mouse is over it, colours follow a page that is light or dark, and marks differ in
//! shape as well as in colour. What is drawn is text: the same points give the same bytes.

mod scale;
mod svg;

pub use scale::Scale;
pub use svg::page_style;

/// Where a point is on an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// At a value.
    At(f64),
    /// On the border beyond all values: there was no answer.
    Beyond,
}

/// A measured point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// On the horizontal axis.
    pub x: Place,
    /// On the vertical axis.
    pub y: Place,
    /// What is shown when the mouse is over it.
    pub note: String,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The number of its colour and of the shape of its marks.
    pub style: usize,
    /// Drawn with open marks and a broken line, beside a series of the same style.
    pub is_second: bool,
    /// The points are joined, in their order.
    pub is_line: bool,
    /// The points.
    pub points: Vec<Point>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured, with its unit.
    pub label: String,
    /// How values lie on it.
    pub scale: Scale,
    /// What is said at the border where there was no answer.
    pub beyond: String,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What it shows.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// Both axes measure the same: they get the same range, and lines where one side is equal to the other, ten times it and a tenth.
    pub compares: bool,
    /// What is measured.
    pub series: Vec<Series>,
}

impl Chart {
    /// The chart as part of a page that has [`page_style`] among its own.
    ///
    /// ```
    /// use epitome_benchmarks::plot::{Axis, Chart, Place, Point, Scale, Series};
    /// let axis = |label: &str, scale| Axis { label: label.to_owned(), scale, beyond: "timeout".to_owned() };
    /// let points = [(10.0, 0.5), (20.0, 2.1)].map(|(x, y)| Point { x: Place::At(x), y: Place::At(y), note: String::new() });
    /// let series = Series { name: "bdd".to_owned(), style: 0, is_second: false, is_line: true, points: points.to_vec() };
    /// let (x, y) = (axis("size", Scale::Linear), axis("time (s)", Scale::Log));
    /// let chart = Chart { title: "T(N)".to_owned(), x, y, compares: false, series: vec![series] };
    /// assert!(chart.svg().contains("<polyline"));
    /// ```
    pub fn svg(&self) -> String {
        svg::draw(self, false)
    }

    /// The chart as a file of its own.
    pub fn file(&self) -> String {
        svg::draw(self, true)
    }
}
