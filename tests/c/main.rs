//! C programs: what they compute, against gcc; what they say where they are wrong.

mod execute;
mod generate;
mod random;
