//! A run that some other process holds, as its journal tells it.

use std::time::SystemTime;

use crate::packet::sha256;
use crate::run::context::RunContext;
use crate::run::current_lookups::LookupReader;
use crate::run::redaction::{redactor_of_past, user_redactor_for};
use crate::run::store::StoredRun;
use crate::session::journal::{JOURNAL_FILE, PlanRef, RunJournal};
use crate::session::{JournalFollower, ProgressEvent, RunLabel, stored};

/// Follows the journal of a run.
pub(crate) struct RunWatcher<'a> {
    start: &'a RunContext,
    past: StoredRun,
    /// The bytes of the journal that were read.
    read: usize,
    followed: Option<(PlanRef, JournalFollower)>,
    lookups: LookupReader,
}

impl<'a> RunWatcher<'a> {
    pub(crate) fn new(past: StoredRun, start: &'a RunContext) -> Self {
        Self {
            start,
            past,
            read: 0,
            followed: None,
            lookups: LookupReader::default(),
        }
    }

    /// What has happened since the last call. A journal that cannot be read tells nothing: whoever waits is told later.
    pub(crate) fn poll(&mut self) -> Vec<ProgressEvent> {
        let mut told = self.read_news().unwrap_or_default();
        if self.followed.is_some() {
            told.extend(self.lookups.poll(&self.past));
        }
        told
    }

    /// How long the council has sat, in milliseconds, when its last entry was made at `last`.
    pub(crate) fn age_ms(&self, last: u64) -> u64 {
        let written = std::fs::metadata(self.past.folder.join(JOURNAL_FILE));
        let written = written.and_then(|meta| meta.modified()).ok();
        let since = written.and_then(|at| SystemTime::now().duration_since(at).ok());
        let since = since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(0));
        last.saturating_add(since)
    }

    fn read_news(&mut self) -> Option<Vec<ProgressEvent>> {
        let bytes = self.past.read_file(JOURNAL_FILE).ok()?;
        if bytes.len() == self.read {
            return None;
        }
        let journal = RunJournal::parse(&bytes).ok()?;
        let mut told = Vec::new();
        let is_same = |(plan, _): &(PlanRef, _)| *plan == journal.plan;
        if !self.followed.as_ref().is_some_and(is_same) {
            let (follower, events) = self.convene(&journal)?;
            self.followed = Some((journal.plan.clone(), follower));
            told = events;
        }
        self.read = bytes.len();
        let (_, follower) = self.followed.as_mut()?;
        told.extend(follower.hear_entries(&journal.entries));
        Some(told)
    }

    fn convene(&self, journal: &RunJournal) -> Option<(JournalFollower, Vec<ProgressEvent>)> {
        let plan = self.past.read_file(&journal.plan.file).ok()?;
        if sha256(&plan) != journal.plan.sha256 {
            return None;
        }
        let plan = stored::parse_plan(&plan).ok()?;
        let packet = self.past.read_file(crate::packet::PACKET_FILE).ok()?;
        let redactor = match stored::restore_packet(&packet, &journal.header, &plan) {
            Ok(packet) => redactor_of_past(&self.past, &packet, self.start).ok()?,
            Err(_) => user_redactor_for(&self.past, self.start).ok()?,
        };
        let label = RunLabel {
            run: self.past.name.clone(),
            target: journal.header.target.label.clone(),
            backend: journal.backend.clone(),
            max_usd: journal.max_usd,
        };
        Some(JournalFollower::convene(plan, label, redactor))
    }
}
