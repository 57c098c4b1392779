//! Cubes of a predicate's arguments.

use crate::engine::system::Point;

/// Values of some arguments: all points that have them. A literal is twice the number of an argument, plus
/// its value; they are in increasing order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Cube(Box<[u32]>);

impl Cube {
    pub(super) fn new(literals: impl IntoIterator<Item = (usize, bool)>) -> Cube {
        let mut literals: Vec<u32> = literals.into_iter().map(|(index, value)| literal(index, value)).collect();
        literals.sort_unstable();
        Cube(literals.into())
    }

    pub(super) fn literals(&self) -> impl DoubleEndedIterator<Item = (usize, bool)> + Clone + '_ {
        self.0.iter().map(|&literal| ((literal >> 1) as usize, literal & 1 == 1))
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn contains(&self, point: &Point) -> bool {
        self.literals().all(|(index, value)| point.get(index) == value)
    }

    /// The same as masks of words, to look through many points.
    pub(super) fn mask(&self) -> Mask {
        let mut words: Vec<(usize, u64, u64)> = Vec::new();
        for (index, value) in self.literals() {
            if words.last().is_none_or(|(word, ..)| *word != index / 64) {
                words.push((index / 64, 0, 0));
            }
            if let Some((_, mask, values)) = words.last_mut() {
                *mask |= 1 << (index % 64);
                *values |= u64::from(value) << (index % 64);
            }
        }
        Mask(words)
    }

    /// Every point of the other one is in this one.
    pub(super) fn includes(&self, other: &Cube) -> bool {
        let mut others = other.0.iter();
        self.0.len() <= other.0.len() && self.0.iter().all(|literal| others.any(|other| other == literal))
    }

    /// Without one of its literals.
    pub(super) fn without(&self, (index, value): (usize, bool)) -> Cube {
        let dropped = literal(index, value);
        Cube(self.0.iter().copied().filter(|&literal| literal != dropped).collect())
    }

    pub(super) fn has(&self, (index, value): (usize, bool)) -> bool {
        self.0.binary_search(&literal(index, value)).is_ok()
    }
}

/// A cube, word by word of points: the word, the arguments in it that have a value, and the values.
pub(super) struct Mask(Vec<(usize, u64, u64)>);

impl Mask {
    pub(super) fn contains(&self, point: &Point) -> bool {
        self.0.iter().all(|&(word, mask, values)| point.words()[word] & mask == values)
    }
}

fn literal(index: usize, value: bool) -> u32 {
    (index as u32) << 1 | u32::from(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cubes_are_sets_of_points() {
        let points: Vec<Point> = (0..16u32).map(|row| Point::new((0..4).map(|bit| row >> bit & 1 == 1))).collect();
        let cube = |code: u32| {
            // Two bits for each argument: left out, 0 or 1.
            let literals = (0..4).filter_map(|index| match code >> (2 * index) & 3 {
                0 | 3 => None,
                value => Some((index, value == 1)),
            });
            Cube::new(literals)
        };
        let inside = |cube: &Cube| {
            let mask = cube.mask();
            points.iter().for_each(|point| assert_eq!(mask.contains(point), cube.contains(point)));
            points.iter().map(|point| cube.contains(point)).collect::<Vec<_>>()
        };
        for (a, b) in (0..256).step_by(3).flat_map(|a| (0..256).step_by(5).map(move |b| (cube(a), cube(b)))) {
            let (in_a, in_b) = (inside(&a), inside(&b));
            assert_eq!(a.includes(&b), in_a.iter().zip(&in_b).all(|(a, b)| *a || !*b), "{a:?} {b:?}");
        }
    }
}
