//! What commands write as a page for a browser: one file each, with its styles, its scripts and its data inside, that works
//! without a network and from a disk.

mod page;

pub(super) use page::{Page, escape};
