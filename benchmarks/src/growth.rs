//! How times and sizes grow with the parameter of a family: a curve fitted to what was measured.
//!
//! There are two curves, c + a·n^e and c + a·2^(b·n). Without c they are lines where both axes are logarithmic, or one is, and are fitted by least
//! squares to the logarithms. What does not grow, such as the memory of a process that does nothing, would make every curve flat: c takes it away, if there are
//! sizes enough to tell and the curve comes much nearer. What is nearer to the points is told; where neither is much nearer it is the power: over a small
//! range an exponential looks like one.

use std::fmt;

/// A curve through measured points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Growth {
    /// n^e
    Power(f64),
    /// 2^(c n)
    Exponential(f64),
}

/// Fewer sizes make no curve.
const FEWEST: usize = 4;

/// What grows less over all sizes may be noise.
const LEAST: f64 = 1.2;

/// Constants that are tried: what each leaves of the least value is so much of what the one before does.
const CONSTANTS: i32 = 60;
const REST: f64 = 0.9;

/// An exponential must be so many times nearer than a power, and a curve with a constant than one without.
const NEARER: f64 = 2.0;
const NEARER_WITH_CONSTANT: f64 = 4.0;

/// The exponent above which a power is doubted.
const STEEPEST: f64 = 6.0;

/// The least factor of an exponential: it doubles once in a hundred steps.
const SLOWEST: f64 = 0.01;

impl Growth {
    /// The curve through points, of sizes and of what was measured; none through fewer than four sizes, or if it hardly changes.
    ///
    /// ```
    /// use epitome_benchmarks::Growth;
    /// let points = |f: fn(f64) -> f64| [2.0, 4.0, 6.0, 8.0].map(|n| (n, f(n)));
    /// assert_eq!(Growth::fit(&points(|n| 3.0 * n * n)).unwrap().to_string(), "n^2.0");
    /// assert_eq!(Growth::fit(&points(|n| 0.1 * (0.5 * n).exp2())).unwrap().to_string(), "2^(0.50 n)");
    /// assert_eq!(Growth::fit(&[(1.0, 1.0), (2.0, 2.0)]), None);
    /// ```
    pub fn fit(points: &[(f64, f64)]) -> Option<Growth> {
        let points: Vec<(f64, f64)> = points.iter().copied().filter(|&(n, value)| n > 0.0 && value > 0.0).collect();
        let mut sizes: Vec<f64> = points.iter().map(|point| point.0).collect();
        sizes.sort_by(f64::total_cmp);
        sizes.dedup();
        if sizes.len() < FEWEST {
            return None;
        }
        let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
        let greatest = points.iter().map(|point| point.1).fold(0.0, f64::max);
        if greatest < LEAST * least {
            return (greatest == least).then_some(Growth::Power(0.0));
        }
        let nearest = |x: fn(f64) -> f64| {
            let curves = (0..CONSTANTS).map(|step| through(&points, x, least * (1.0 - REST.powi(step))));
            curves.min_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or_default()
        };
        let ((power, far), (exponential, near)) = (nearest(f64::log2), nearest(|n| n));
        // A curve that hardly rises is no exponential, and one that rises very steeply mostly is.
        let much_nearer = if power > STEEPEST { 1.0 / NEARER_WITH_CONSTANT } else { NEARER };
        if exponential >= SLOWEST && near * much_nearer < far {
            Some(Growth::Exponential(exponential))
        } else {
            // What becomes less does not grow.
            Some(Growth::Power(power.max(0.0)))
        }
    }
}

/// The exponent of the curve with this constant, and how far it is from the points: the sum of the squares of distances between logarithms.
fn through(points: &[(f64, f64)], x: fn(f64) -> f64, constant: f64) -> (f64, f64) {
    let (slope, start) = line(points.iter().map(|&(n, value)| (x(n), (value - constant).log2())));
    let distance = |&(n, value): &(f64, f64)| ((constant + (start + slope * x(n)).exp2()) / value).log2();
    let far: f64 = points.iter().map(|point| distance(point) * distance(point)).sum();
    (slope, if constant > 0.0 { far * NEARER_WITH_CONSTANT } else { far })
}

/// The slope of the line next to the points, and its height at zero.
fn line(points: impl Iterator<Item = (f64, f64)> + Clone) -> (f64, f64) {
    let count = points.clone().count() as f64;
    let (mean_x, mean_y) = points.clone().fold((0.0, 0.0), |(a, b), (x, y)| (a + x / count, b + y / count));
    let (xx, xy) = points
        .fold((0.0, 0.0), |(xx, xy), (x, y)| (xx + (x - mean_x) * (x - mean_x), xy + (x - mean_x) * (y - mean_y)));
    let slope = if xx > 0.0 { xy / xx } else { 0.0 };
    (slope, mean_y - slope * mean_x)
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a sign at zero.
        let rounded = |value: f64, digits: f64| (value * digits).round() / digits + 0.0;
        match self {
            Growth::Power(exponent) => write!(f, "n^{:.1}", rounded(*exponent, 10.0)),
            Growth::Exponential(factor) => write!(f, "2^({:.2} n)", rounded(*factor, 100.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_between_is_a_power() {
        let points = |f: fn(f64) -> f64, sizes: &[f64]| sizes.iter().map(|&n| (n, f(n))).collect::<Vec<_>>();
        let told = |points: &[(f64, f64)]| Growth::fit(points).unwrap().to_string();
        let sizes: Vec<f64> = (4..12).map(f64::from).collect();
        assert_eq!(told(&points(|n| 7.0 * n, &sizes)), "n^1.0");
        assert_eq!(told(&points(|_| 7.0, &sizes)), "n^0.0");
        assert_eq!(told(&points(f64::exp2, &sizes)), "2^(1.00 n)");
        // Noise makes nothing exponential.
        let noise = [(100.0, 1.05), (200.0, 1.9), (400.0, 4.2), (800.0, 7.9)];
        assert_eq!(told(&noise), "n^1.0");
        // What is there for nothing does not hide what grows.
        assert_eq!(told(&[5.0, 10.0, 20.0, 40.0, 80.0].map(|n| (n, 211.0 + 4.0 * n))), "n^1.0");
        let doubled = Growth::fit(&points(|n| 1000.0 + n.exp2(), &sizes)).unwrap();
        assert!(matches!(doubled, Growth::Exponential(factor) if (0.95..1.05).contains(&factor)), "{doubled}");
        assert_eq!(Growth::fit(&[(2.0, 1.0), (2.0, 3.0), (4.0, 2.0), (8.0, 0.0)]), None, "two sizes");
        assert_eq!(Growth::fit(&points(|n| 11.0 + n / 50.0, &sizes)), None, "next to nothing");
        assert_eq!(told(&points(|n| 9.0 / n, &sizes)), "n^0.0");
    }
}
