//! Lists for some vertices of a procedure. Procedures that are alike share their tables, and a table that
//! a reduction does not change is handed on as it is.

use crate::model::Vertex;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Lists for some vertices of a procedure.
#[derive(Clone, Debug)]
pub struct Table<T> {
    /// `None` if there are none, as in most procedures.
    lists: Option<Arc<FxHashMap<Vertex, Box<[T]>>>>,
}

impl<T> Table<T> {
    /// The list of a vertex, if it has one.
    pub fn get(&self, vertex: Vertex) -> Option<&[T]> {
        self.lists.as_ref()?.get(&vertex).map(|list| &**list)
    }

    /// The same for tables that are shared.
    pub(super) fn identity(&self) -> usize {
        self.lists.as_ref().map_or(0, |lists| Arc::as_ptr(lists) as usize)
    }

    /// No vertex has a list.
    pub fn is_empty(&self) -> bool {
        self.lists.is_none()
    }

    /// The vertices that have lists, in any order.
    pub fn vertices(&self) -> impl Iterator<Item = Vertex> + '_ {
        self.lists.iter().flat_map(|lists| lists.keys().copied())
    }
}

impl<T> Default for Table<T> {
    fn default() -> Table<T> {
        Table { lists: None }
    }
}

impl<T> FromIterator<(Vertex, Box<[T]>)> for Table<T> {
    fn from_iter<I: IntoIterator<Item = (Vertex, Box<[T]>)>>(lists: I) -> Table<T> {
        let lists: FxHashMap<Vertex, Box<[T]>> = lists.into_iter().collect();
        Table { lists: (!lists.is_empty()).then(|| Arc::new(lists)) }
    }
}
