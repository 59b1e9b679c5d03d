//! A file of nothing but secrets. After enough findings a rule about secrets has said what it has to say of a file: it is not
//! asked about each of a million lines more. The finding that stands for the rest says how many lines nobody looked at.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use crate::scan::FoundHit;

/// The most findings of one rule in one file: more than an answer lists.
const MAX_HITS: usize = 256;

/// Lines of a file that a rule was not asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnreadLines {
    pub(crate) count: usize,
    /// Tells these lines from others: whoever dismisses the rest has not dismissed what is added to it later.
    pub(crate) digest: [u8; 32],
}

/// What each rule has found in one file so far, and what it was not asked about since.
#[derive(Debug, Default)]
pub(crate) struct FloodGate {
    found: BTreeMap<&'static str, usize>,
    unread: BTreeMap<&'static str, Unread>,
}

/// What a rule was not asked about so far.
#[derive(Debug, Default)]
struct Unread {
    count: usize,
    /// The last of the lines: parts of a file overlap.
    last: u32,
    digest: Sha256,
}

impl FloodGate {
    /// Whether a rule is to be asked about a line that has a word of it; keeps count of the others.
    pub(crate) fn admits(&mut self, rule: &'static str, number: u32, line: &str) -> bool {
        if self.found.get(rule).is_none_or(|found| *found < MAX_HITS) {
            return true;
        }
        let unread = self.unread.entry(rule).or_default();
        unread.count += usize::from(number > unread.last);
        unread.last = unread.last.max(number);
        unread.digest.update((line.len() as u64).to_le_bytes());
        unread.digest.update(line);
        false
    }

    /// Counts a finding that nothing takes back, and that is as severe as any of its rule.
    pub(crate) fn count(&mut self, rule: &'static str) {
        *self.found.entry(rule).or_default() += 1;
    }

    /// Tells the last finding of each rule what its rule was not asked about.
    pub(crate) fn tell(self, found: &mut [FoundHit]) {
        for (rule, Unread { count, digest, .. }) in self.unread {
            let digest = digest.finalize().into();
            if let Some(last) = found.iter_mut().rfind(|f| f.rule.info.id == rule) {
                last.unread = Some(UnreadLines { count, digest });
            }
        }
    }
}
