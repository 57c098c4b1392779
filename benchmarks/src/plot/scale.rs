//! From values to places on an axis, and which values are written beside it.

use super::Place;

/// How values lie on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equally long; begins at zero.
    Linear,
    /// Equal ratios are equally long. Values that are not positive lie at the beginning.
    Log,
}

/// A part of an axis that has all its values, from a round one to a round one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    scale: Scale,
    first: f64,
    last: f64,
}

/// A value that is written at an axis, or only marked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) text: Option<String>,
}

/// So many texts fit.
const MOST_TEXTS: f64 = 8.0;

impl Range {
    /// The range of these places.
    pub(super) fn of(scale: Scale, places: impl Iterator<Item = Place>) -> Range {
        let values = places.filter_map(|place| match place {
            Place::At(value) if value.is_finite() && (scale == Scale::Linear || value > 0.0) => Some(value),
            _ => None,
        });
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let (least, most) = if least > most { (1.0, 1.0) } else { (least, most) };
        match scale {
            Scale::Linear => {
                let step = step(most.max(1e-9));
                Range { scale, first: 0.0, last: (most / step).ceil().max(1.0) * step }
            }
            Scale::Log => {
                let (first, last) = (floor(least), -floor_negative(most));
                // An axis of one value would have no length.
                if first < last { Range { scale, first, last } } else { Range { scale, first, last: last * 10.0 } }
            }
        }
    }

    /// The place of a value, from 0 to 1.
    pub(super) fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (value - self.first) / (self.last - self.first),
            Scale::Log => (value.max(self.first) / self.first).ln() / (self.last / self.first).ln(),
        };
        place.clamp(0.0, 1.0)
    }

    /// The smallest and the largest value.
    pub(super) fn ends(&self) -> (f64, f64) {
        (self.first, self.last)
    }

    /// What is marked at the axis.
    pub(super) fn ticks(&self) -> Vec<Tick> {
        let tick = |value: f64, is_told: bool| Tick { value, text: is_told.then(|| text(value)) };
        match self.scale {
            Scale::Linear => {
                let step = step(self.last);
                let count = (self.last / step).round() as usize;
                (0..=count).map(|number| tick(number as f64 * step, true)).collect()
            }
            Scale::Log => {
                let decades = (self.last / self.first).log10();
                let (low, high) = (self.first.log10().floor() as i32, self.last.log10().ceil() as i32);
                // A few decades have more texts than one each, many have fewer.
                let every = (decades / MOST_TEXTS).ceil().max(1.0) as i32;
                let values = (low..=high).flat_map(|power| (1..10).map(move |digit| (digit, power)));
                let told = |digit: i32, power: i32| match decades {
                    d if d <= 1.1 => [1, 2, 3, 5, 7].contains(&digit),
                    d if d <= 2.4 => [1, 2, 5].contains(&digit),
                    _ => digit == 1 && power.rem_euclid(every) == 0,
                };
                let is_inside = |value: f64| value >= self.first * 0.999 && value <= self.last * 1.001;
                let marked = values.map(|(digit, power)| (digit, power, f64::from(digit) * 10f64.powi(power)));
                let marked = marked.filter(|(.., value)| is_inside(*value));
                // Marks without texts would be a grey area where there are many decades.
                let shown = marked.filter(|(digit, ..)| *digit == 1 || decades <= MOST_TEXTS);
                shown.map(|(digit, power, value)| tick(value, told(digit, power))).collect()
            }
        }
    }
}

/// The largest of 1, 2, 5 times a power of ten that is at most the value.
fn floor(value: f64) -> f64 {
    let power = 10f64.powi(value.log10().floor() as i32);
    let fits = [5.0, 2.0, 1.0].map(|digit| digit * power).into_iter().find(|round| *round <= value * 1.000_001);
    fits.unwrap_or(power)
}

/// Minus the smallest of 1, 2, 5 times a power of ten that is at least the value.
fn floor_negative(value: f64) -> f64 {
    -1.0 / floor(1.0 / value)
}

/// A round step by which some texts get to the value.
fn step(most: f64) -> f64 {
    -floor_negative(most / MOST_TEXTS)
}

/// A value as a text: short, and without rounding errors.
pub(super) fn text(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let power = value.abs().log10().floor() as i32;
    match power {
        6.. => {
            let digit = value / 10f64.powi(power);
            let digit = format!("{digit:.1}").trim_end_matches(".0").to_owned();
            if digit == "1" { format!("1e{power}") } else { format!("{digit}e{power}") }
        }
        0..6 => format!("{value:.1}").trim_end_matches(".0").to_owned(),
        -6..0 => format!("{value:.*}", (-power) as usize),
        _ => format!("1e{power}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(scale: Scale, values: &[f64]) -> Range {
        Range::of(scale, values.iter().map(|&value| Place::At(value)))
    }

    fn texts(range: &Range) -> Vec<String> {
        range.ticks().into_iter().filter_map(|tick| tick.text).collect()
    }

    #[test]
    fn ranges_are_round_and_have_all_values() {
        assert_eq!(range(Scale::Log, &[0.003, 47.0]).ends(), (0.002, 50.0));
        assert_eq!(range(Scale::Log, &[10.0, 160.0]).ends(), (10.0, 200.0));
        assert_eq!(range(Scale::Linear, &[3.0, 47.0]).ends(), (0.0, 50.0));
        for exponent in -12..12 {
            let value = 3.7 * 10f64.powi(exponent);
            for scale in [Scale::Linear, Scale::Log] {
                let (first, last) = range(scale, &[value]).ends();
                assert!(first <= value && value <= last && first < last, "{scale:?} {value}: {first} {last}");
            }
        }
        assert!(Range::of(Scale::Log, [Place::Beyond, Place::At(0.0)].into_iter()).ends().0 > 0.0);
    }

    #[test]
    fn places_go_from_one_end_to_the_other() {
        for scale in [Scale::Linear, Scale::Log] {
            let range = range(scale, &[0.5, 100.0]);
            let (first, last) = range.ends();
            assert_eq!((range.place(first), range.place(last)), (0.0, 1.0));
            let places: Vec<f64> = range.ticks().iter().map(|tick| range.place(tick.value)).collect();
            assert!(places.is_sorted() && places.len() > 3, "{places:?}");
            assert_eq!(range.place(-3.0), 0.0);
        }
    }

    #[test]
    fn there_are_some_texts_but_not_too_many() {
        assert_eq!(texts(&range(Scale::Log, &[0.001, 100.0])), ["0.001", "0.01", "0.1", "1", "10", "100"]);
        assert_eq!(texts(&range(Scale::Log, &[10.0, 160.0])), ["10", "20", "50", "100", "200"]);
        assert_eq!(texts(&range(Scale::Linear, &[47.0])), ["0", "10", "20", "30", "40", "50"]);
        for (first, exponent) in [(1.0, 30), (1e-9, 3), (5.0, 6), (2.0, 9)] {
            let range = range(Scale::Log, &[first, 10f64.powi(exponent)]);
            assert!((3..=11).contains(&texts(&range).len()), "{:?}", texts(&range));
        }
    }

    #[test]
    fn values_are_written_as_one_would() {
        let written = [0.0, 0.001, 0.02, 1.0, 2.5, 50.0, 200_000.0, 1e6, 2e7, 0.000_5].map(text);
        assert_eq!(written, ["0", "0.001", "0.02", "1", "2.5", "50", "200000", "1e6", "2e7", "0.0005"]);
    }
}
