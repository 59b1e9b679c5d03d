//! What stands behind the sentence of a headline: what nobody lists, reads or was shown.

use std::collections::BTreeMap;

use council_protocol::Vote;

use crate::council::outcome::{JudgedFinding, Verdict};
use crate::council::standing_objections;
use crate::report::bottom_line::{count_noun, count_with_verb, vote_tally};
use crate::report::whole::Report;

impl Report {
    /// What counts and is in no list: `; 5 more findings are not listed`.
    pub(super) fn unlisted_clause(&self) -> String {
        let counts = self.weighty_findings().map(JudgedFinding::count_unlisted);
        match counts.fold(0, usize::saturating_add) {
            0 => String::new(),
            many => {
                let findings = count_with_verb(many, "more finding", "more findings");
                format!("; {findings} not listed")
            }
        }
    }

    /// What nobody can read as text, by its kind: `; content not read: 2 binary, 1 submodule`.
    pub(super) fn opaque_clause(&self) -> String {
        // A report from elsewhere may say anything here, and a headline holds no untrusted text.
        let plain = |c: &char| c.is_ascii_alphanumeric() || " -".contains(*c);
        let mut kinds: BTreeMap<String, usize> = Default::default();
        for (_, what) in self.outcome.coverage.opaque_files() {
            let what: String = what.chars().filter(plain).take(24).collect();
            *kinds.entry(what).or_default() += 1;
        }
        let counts: Vec<String> = kinds
            .iter()
            .map(|(what, n)| format!("{n} {what}"))
            .collect();
        if counts.is_empty() {
            String::new()
        } else {
            format!("; content not read: {}", counts.join(", "))
        }
    }

    /// `votes over findings that are still open stand, 1 FAIL`: nobody has to cast them again.
    pub(super) fn standing_clause(&self) -> String {
        let standing = standing_objections(&self.outcome).into_iter();
        let votes: Vec<Vote> = standing.map(|one| one.vote).collect();
        match votes.is_empty() {
            true => "what the last review objected to stands; see the notes".to_owned(),
            false => {
                let tally = vote_tally(&votes);
                format!("votes over findings that are still open stand, {tally}")
            }
        }
    }

    /// What no reviewer was shown of the lines that are new, so that a PASS is not taken for more than it says.
    pub(super) fn hidden_clause(&self) -> String {
        let hidden = self.receipt.run.brief.as_ref().map_or(0, |b| b.hidden);
        match (self.outcome.verdict, usize::try_from(hidden)) {
            (Verdict::Pass, Ok(count)) if count > 0 => {
                let values = count_noun(count, "secret value", "secret values");
                format!("; {values} hidden from the models")
            }
            _ => String::new(),
        }
    }
}
