//! What counts as bounded. The theorems ask for a bound that does not depend on the program, whatever it is;
//! a program alone has no such thing, so that numbers have to be chosen.

use super::measures::Measures;

/// Up to where a program counts as bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bits that pass into and out of a procedure, for a program that is I/O bounded; and bits that are open
    /// at the start, for one that has few initial states.
    pub io_bits: usize,
    /// Procedures on a chain of calls, for a hierarchy of bounded depth.
    pub depth: usize,
    /// Copies of bodies with all calls written out, for a hierarchy that is small without calls.
    pub bodies: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { io_bits: 8, depth: 8, bodies: 1_000 }
    }
}

impl Bounds {
    /// Little information passes between procedures.
    pub fn is_io_bounded(&self, measures: &Measures) -> bool {
        measures.io_bits <= self.io_bits
    }

    /// A hierarchy of bounded depth (Godefroid Theorem 4): of few levels, or of one, once its calls are
    /// written out, which does not make it large.
    pub fn is_shallow(&self, measures: &Measures) -> bool {
        !measures.recursive && (measures.depth <= self.depth || self.can_be_inlined(measures))
    }

    /// A hierarchy that is not large with all calls written out.
    pub fn can_be_inlined(&self, measures: &Measures) -> bool {
        !measures.recursive && measures.inlined <= self.bodies
    }
}
