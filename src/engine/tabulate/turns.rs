//! Which search is made, and what is made of what it found.
//!
//! Ball's search and the one that summarizes for all values are tried in turn, each with more patience
//! than before: no measure of a program tells beforehand which of them will be small.

use super::machine::Machine;
use super::search::{Search, Stop, Way};
use super::{Method, history, rings};
use crate::engine::Statistics;
use crate::engine::watch::Watch;
use crate::model::{Run, Vertex};
use crate::temporal::Head;
use std::time::Instant;

/// Patience with the first search: so much work in any case, and so much for each vertex.
const PATIENCE: u64 = 5_000;
const PATIENCE_BY_VERTEX: u64 = 20;

/// Work after something was found, in any case.
const GRACE: u64 = 1_000;

/// What a search found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) run: Option<Run<Vertex>>,
    /// A repeating head, if one was looked for.
    pub(super) head: Option<Head>,
    pub(super) statistics: Statistics,
}

/// A question to a machine, while it is being answered.
pub(super) struct Turns<'t, 'e, 'g> {
    machine: &'t Machine<'e>,
    /// Procedures in which, or in whose callees, there is something to find.
    enter: Vec<bool>,
    watch: &'t mut Watch<'g>,
    found: &'t mut Found,
}

impl<'t, 'e, 'g> Turns<'t, 'e, 'g> {
    pub(super) fn new(machine: &'t Machine<'e>, watch: &'t mut Watch<'g>, found: &'t mut Found) -> Turns<'t, 'e, 'g> {
        Turns { enter: watch.goal().finding(machine.ersm), machine, watch, found }
    }

    /// Answers by a method.
    pub(super) fn answer(&mut self, method: Method) -> Result<(), Stop> {
        let patience = self.watch.limits().patience();
        match method {
            Method::Auto => self.in_turn(patience),
            Method::Demanded => {
                let mut search = self.search(Way::Demanded);
                let end = self.begin(&mut search, patience);
                self.conclude(&mut search, end, method)
            }
            Method::Shortest => self.shortest(patience),
            Method::Summarizing => {
                let mut summarizer = self.search(Way::Summarizing);
                self.begin(&mut summarizer, patience)?;
                self.walk(&summarizer, patience)
            }
        }
    }

    fn search<'s>(&self, way: Way<'s, 'e>) -> Search<'s, 'e>
    where
        't: 's,
    {
        Search::new(self.machine, way, self.watch.wants_run())
    }

    fn begin(&mut self, search: &mut Search<'_, '_>, patience: u64) -> Result<(), Stop> {
        search.start(self.watch)?;
        search.run(patience, self.watch)
    }

    /// Both ways in turn.
    fn in_turn(&mut self, most: u64) -> Result<(), Stop> {
        let mut search = self.search(Way::Demanded);
        let mut patience = most.min(PATIENCE + PATIENCE_BY_VERTEX * self.machine.places.len() as u64);
        let mut end = self.begin(&mut search, patience);
        while let Err(Stop::Impatient) = end {
            if self.machine.callers.iter().any(|callers| !callers.is_empty()) {
                let mut summarizer = self.search(Way::Summarizing);
                let end = self.begin(&mut summarizer, patience).and_then(|()| self.walk(&summarizer, 2 * patience));
                match end {
                    Err(Stop::Impatient | Stop::Full) => {}
                    end => return end,
                }
            }
            if patience == most {
                break;
            }
            patience = most.min(patience.saturating_mul(8));
            end = search.run(patience, self.watch);
        }
        self.conclude(&mut search, end, Method::Demanded)
    }

    /// Explores everything, then finds a shortest run.
    fn shortest(&mut self, patience: u64) -> Result<(), Stop> {
        let mut search = self.search(Way::Demanded);
        self.watch.exhaust(true);
        let end = self.begin(&mut search, patience);
        self.watch.exhaust(false);
        self.count(&search, Method::Shortest);
        end?;
        if self.watch.wants_run() {
            let start = Instant::now();
            self.found.run = self.ring_run(&search, patience)?;
            self.found.statistics.trace_time = start.elapsed();
        }
        Ok(())
    }

    /// With all summaries known: what can be reached.
    fn walk(&mut self, summarizer: &Search<'_, 'e>, patience: u64) -> Result<(), Stop> {
        let enter = self.enter.clone();
        let mut search = self.search(Way::Walking { known: summarizer, enter: &enter });
        let end = self.begin(&mut search, patience);
        self.conclude(&mut search, end, Method::Summarizing)?;
        let statistics = &mut self.found.statistics;
        statistics.iterations += summarizer.rounds;
        statistics.path_edges += summarizer.table.count;
        statistics.entries += summarizer.entry_count;
        statistics.summary_edges = summarizer.summary_count;
        statistics.largest_nodes = statistics.largest_nodes.max(summarizer.largest() as u64);
        Ok(())
    }

    fn count(&mut self, search: &Search<'_, '_>, method: Method) {
        let statistics = &mut self.found.statistics;
        statistics.algorithm = method.name();
        statistics.iterations = search.rounds;
        statistics.path_edges = search.table.count;
        statistics.entries = search.entry_count;
        statistics.summary_edges = search.summary_count;
        statistics.largest_nodes = search.largest() as u64;
    }

    /// Puts the answer together, and the run if there is one.
    fn conclude(&mut self, search: &mut Search<'_, 'e>, end: Result<(), Stop>, method: Method) -> Result<(), Stop> {
        self.count(search, method);
        match end {
            Err(Stop::Found(vertex)) if self.watch.wants_run() => {
                let start = Instant::now();
                self.go_on(search)?;
                let patience = PATIENCE + 4 * search.rounds;
                // A short run is worth no second search in a larger store.
                self.found.run = match self.ring_run(search, patience) {
                    Ok(Some(run)) => Some(run),
                    Ok(None) | Err(Stop::Full) => Some(history::run_to(search, vertex, self.watch.limits())?),
                    Err(stop) => return Err(stop),
                };
                self.found.statistics.trace_time = start.elapsed();
                Ok(())
            }
            Ok(()) | Err(Stop::Found(_)) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    /// Goes on for a while after something was found: if the search ends by then, all summaries are known
    /// and the run in rings is a shortest one.
    fn go_on(&mut self, search: &mut Search<'_, '_>) -> Result<(), Stop> {
        self.watch.exhaust(true);
        let end = search.run(GRACE + 2 * search.rounds, self.watch);
        self.watch.exhaust(false);
        match end {
            Ok(()) | Err(Stop::Impatient | Stop::Found(_) | Stop::Full) => Ok(()),
            Err(stop) => Err(stop),
        }
    }

    /// A run that is shortest with the summaries that were found; `None` if there is none or it takes long.
    fn ring_run(&mut self, search: &Search<'_, 'e>, patience: u64) -> Result<Option<Run<Vertex>>, Stop> {
        let way = Way::Walking { known: search.summarizer(), enter: &self.enter };
        let mut rings = Search::new(search.machine, way, true);
        match rings::explore(&mut rings, patience, self.watch) {
            Err(Stop::Found(vertex)) => history::run_to(&rings, vertex, self.watch.limits()).map(Some),
            Ok(()) | Err(Stop::Impatient) => Ok(None),
            Err(stop) => Err(stop),
        }
    }
}
