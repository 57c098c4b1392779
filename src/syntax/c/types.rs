//! Types of C: integers of a data model, and what is built of them.
//!
//! Only widths and signs matter to what a program computes (C11 6.3.1.8 with ranks read as widths: types of the same
//! width and sign behave alike), so `long` and `int` of ILP32 are one type here. Sizes in bytes are kept for `sizeof`
//! alone; in memory, an object is a list of *cells*, one integer each, since no pointer can look between them.

use std::cell::Cell;
use std::rc::Rc;

/// How wide the types are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    #[default]
    Ilp32,
    /// `int` has 32 bits, `long` and pointers 64.
    Lp64,
}

impl DataModel {
    /// Its name in task definitions.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}

/// What the bits of an integer mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// Two's complement.
    Signed,
    /// Natural numbers.
    Unsigned,
    /// `_Bool`: one bit, and whatever is not 0 becomes 1.
    Bool,
}

/// An integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct IntType {
    /// Width, 1 to 64.
    pub bits: u8,
    /// What the bits mean.
    pub sign: Sign,
}

/// Bits of a value of this width.
pub fn mask(bits: u8) -> u64 {
    u64::MAX >> (64 - u32::from(bits.clamp(1, 64)))
}

impl IntType {
    /// `_Bool`, and what comparisons give.
    pub const BOOL: IntType = IntType { bits: 1, sign: Sign::Bool };

    /// Signed with this width.
    pub fn signed(bits: u8) -> IntType {
        IntType { bits, sign: Sign::Signed }
    }

    /// Unsigned with this width.
    pub fn unsigned(bits: u8) -> IntType {
        IntType { bits, sign: Sign::Unsigned }
    }

    /// Two's complement.
    pub fn is_signed(self) -> bool {
        self.sign == Sign::Signed
    }

    /// The integer that a pattern of bits stands for.
    ///
    /// ```
    /// use epitome::syntax::c::IntType;
    /// assert_eq!(IntType::signed(8).number(0xff), -1);
    /// assert_eq!(IntType::unsigned(8).number(0xff), 255);
    /// ```
    pub fn number(self, pattern: u64) -> i128 {
        let pattern = pattern & mask(self.bits);
        let negative = self.is_signed() && pattern >> (self.bits - 1) & 1 == 1;
        i128::from(pattern) - if negative { 1i128 << self.bits } else { 0 }
    }

    /// The least value.
    pub fn least(self) -> i128 {
        if self.is_signed() { -(1i128 << (self.bits - 1)) } else { 0 }
    }

    /// The greatest value.
    pub fn greatest(self) -> i128 {
        (1i128 << (self.bits - u8::from(self.is_signed()))) - 1
    }

    /// The type in which an operator on values of both types computes (the usual arithmetic conversions).
    pub fn common(self, other: IntType, int: u8) -> IntType {
        let (a, b) = (self.promoted(int), other.promoted(int));
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal if a.is_signed() => b,
            std::cmp::Ordering::Equal => a,
        }
    }

    /// The type of a value of this type in an expression: at least `int`, which has so many bits.
    pub fn promoted(self, int: u8) -> IntType {
        if self.bits < int || self.sign == Sign::Bool { IntType::signed(int) } else { self }
    }
}

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Void,
    Int(IntType),
    Array(Rc<Type>, usize),
    /// An array whose length is not known: a parameter, or one that its initialiser completes.
    Open(Rc<Type>),
    /// An array whose length is not constant.
    Variable,
    Struct(Rc<Struct>),
    Pointer(Rc<Type>),
    Function(Rc<Signature>),
    /// A structure or enumeration that was named before it was declared, by its number.
    Incomplete(usize),
    /// A type that is not supported, by its name.
    Other(&'static str),
}

/// Members of a structure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Struct {
    /// Name, type, and the first cell.
    pub(super) members: Vec<(String, Type, usize)>,
    pub(super) cells: usize,
    /// There are no bit-fields and nothing is packed, so that its size in bytes is known. (Attributes that say otherwise
    /// stand behind the declaration.)
    pub(super) is_plain: Cell<bool>,
}

impl Struct {
    /// A member, its type and its first cell; members without a name are looked into.
    pub(super) fn find(&self, name: &str) -> Option<(Type, usize)> {
        self.members.iter().find_map(|(member, ty, at)| match ty {
            _ if member == name => Some((ty.clone(), *at)),
            Type::Struct(inner) if member.is_empty() => inner.find(name).map(|(ty, inside)| (ty, at + inside)),
            _ => None,
        })
    }
}

/// Results and parameters of a function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Signature {
    pub(super) result: Type,
    /// Names (some parameters have none) and types.
    pub(super) parameters: Vec<(Option<String>, Type)>,
    /// `f()`: nothing is said about parameters.
    pub(super) open: bool,
}

impl Type {
    /// Cells of an object, if it has a size.
    pub(super) fn cells(&self) -> Option<usize> {
        match self {
            Type::Int(_) => Some(1),
            Type::Array(element, length) => element.cells()?.checked_mul(*length),
            Type::Struct(members) => Some(members.cells),
            // Nothing that is kept: an error where somebody uses it.
            Type::Pointer(_) | Type::Variable | Type::Other(_) | Type::Incomplete(_) | Type::Function(_) => Some(0),
            Type::Void | Type::Open(_) => None,
        }
    }

    /// The types of an object's cells in order, with what is written after its name to name each.
    pub(super) fn layout(&self) -> Vec<(String, IntType)> {
        let mut cells = Vec::new();
        let mut open = vec![(String::new(), self)];
        while let Some((path, ty)) = open.pop() {
            match ty {
                Type::Int(ty) => cells.push((path, *ty)),
                Type::Array(element, length) => {
                    open.extend((0..*length).rev().map(|index| (format!("{path}[{index}]"), &**element)));
                }
                Type::Struct(members) => {
                    let named = |name: &str| if name.is_empty() { path.clone() } else { format!("{path}.{name}") };
                    open.extend(members.members.iter().rev().map(|(name, ty, _)| (named(name), ty)));
                }
                _ => {}
            }
        }
        cells
    }

    /// What a user calls it, where it is not supported.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Type::Void => "void",
            Type::Int(_) => "an integer",
            Type::Array(..) | Type::Open(_) => "an array",
            Type::Variable => "an array of variable length",
            Type::Struct(_) => "a structure",
            Type::Pointer(_) => "a pointer",
            Type::Function(_) => "a function",
            Type::Incomplete(_) => "something of an incomplete type",
            Type::Other(name) => name,
        }
    }
}
