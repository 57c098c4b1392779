//! The numbers of variables, from 1: whoever hands out numbers for the same clauses shares one of these.

/// Variables given so far.
///
/// ```
/// let mut variables = epitome_encodings::Variables::default();
/// assert_eq!([variables.fresh(), variables.fresh()], [1, 2]);
/// assert_eq!(variables.count(), 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Variables {
    count: u32,
}

impl Variables {
    /// So many variables are in use already, by somebody else.
    pub fn after(count: u32) -> Variables {
        Variables { count }
    }

    /// A variable that nobody uses. (Two thousand million of them do not fit into a memory.)
    pub fn fresh(&mut self) -> i32 {
        self.count += 1;
        self.count as i32
    }

    /// Variables given so far: those with numbers up to this.
    pub fn count(&self) -> u32 {
        self.count
    }
}
