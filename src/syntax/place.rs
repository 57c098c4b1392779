//! Places where control can rest, in the terms of the source.

/// A place of a procedure of the source program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// Before a statement of a Boolean program (an index into the procedure's body).
    Statement(u32),
    /// At the end of a procedure of a Boolean program.
    End,
    /// After the failed assertion with this index.
    Failed(u32),
    /// At a node of a machine.
    Node(u32),
    /// At a call port of a machine: box and entry (an index into the callee's entries).
    Port(u32, u32),
}
