//! Which findings mean the same: same file, overlapping or near lines, and similar in what they say. Members stay as they
//! are; a cluster only groups.

use std::collections::BTreeSet;

use council_protocol::{Finding, Proof, RepoPath};

use super::bench::{SeatIndex, same_text};

/// Lines between two places that are still near.
const NEAR: u32 = 3;

/// What of a finding is compared.
pub(super) struct ComparedFinding<'a> {
    chair: SeatIndex,
    finding: &'a Finding,
    resolves: bool,
    first: u32,
    last: u32,
    words: BTreeSet<String>,
}

impl<'a> ComparedFinding<'a> {
    /// A finding of a judge, at the line where its quote was found.
    pub(super) fn new(chair: SeatIndex, finding: &'a Finding, proof: &Proof) -> Self {
        let claimed = finding.location.line;
        let length = finding
            .location
            .end_line
            .unwrap_or(claimed)
            .saturating_sub(claimed);
        let first = if let Proof::Relocated { line } = proof {
            *line
        } else {
            claimed
        };
        let words = description_words(&finding.description);
        Self {
            chair,
            finding,
            resolves: proof.resolves(),
            first,
            last: first.saturating_add(length),
            words,
        }
    }

    fn path(&self) -> &RepoPath {
        &self.finding.location.path
    }

    fn about_file(&self) -> bool {
        self.first == 0
    }

    /// Lines between the two; 0 where they touch or overlap.
    fn line_gap(&self, other: &Self) -> u32 {
        self.first
            .max(other.first)
            .saturating_sub(self.last.min(other.last))
    }

    /// Whether two findings mean the same. A judge's own findings never do, unless it gave one twice.
    pub(super) fn means_same(&self, other: &Self) -> bool {
        if self.path() != other.path()
            || self.resolves != other.resolves
            || self.about_file() != other.about_file()
            || self.line_gap(other) > NEAR
        {
            return false;
        }
        let overlap = self.first <= other.last && other.first <= self.last;
        let same_quote = same_text(&self.finding.quote, &other.finding.quote);
        if self.chair == other.chair {
            return overlap && same_quote && self.finding.description == other.finding.description;
        }
        self.same_rule(other) || self.is_similar(other, overlap, same_quote)
    }

    fn same_rule(&self, other: &Self) -> bool {
        self.finding.rule.is_some() && self.finding.rule == other.finding.rule
    }

    fn is_similar(&self, other: &Self, overlap: bool, same_quote: bool) -> bool {
        let shared = self.words.intersection(&other.words).count();
        let smaller = self.words.len().min(other.words.len()).max(1);
        let percent = shared * 100 / smaller;
        let category = &self.finding.category;
        let same_category =
            !category.is_empty() && category.eq_ignore_ascii_case(&other.finding.category);
        let same_place = overlap && same_quote && !self.finding.quote.trim().is_empty();
        match overlap {
            true => (same_category || same_place) && shared >= 1 || percent >= 30 && shared >= 2,
            false => same_category && percent >= 30 && shared >= 2 || percent >= 60 && shared >= 3,
        }
    }
}

/// Words too common to mean anything.
const STOP: [&str; 30] = [
    "the", "and", "for", "that", "this", "with", "from", "not", "are", "was", "has", "have", "can",
    "could", "will", "would", "should", "may", "might", "when", "which", "into", "its", "but",
    "without", "there", "here", "been", "being", "than",
];

/// The words that carry a description, lower case, without their commonest endings.
fn description_words(text: &str) -> BTreeSet<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric())
        .map(str::to_lowercase);
    words
        .filter(|w| w.chars().count() > 2 && !STOP.contains(&w.as_str()))
        .map(|w| stem_word(&w).to_owned())
        .collect()
}

/// Whether two sentences say much the same.
pub(super) fn is_alike(a: &str, b: &str) -> bool {
    let (a, b) = (description_words(a), description_words(b));
    let smaller = a.len().min(b.len());
    smaller > 0 && a.intersection(&b).count() * 100 >= smaller * 60
}

fn stem_word(word: &str) -> &str {
    let stems = ["ing", "ed", "es", "s"]
        .iter()
        .filter_map(|end| word.strip_suffix(end));
    stems
        .into_iter()
        .find(|stem| stem.chars().count() > 3)
        .unwrap_or(word)
}

/// Groups places: two belong together when a chain of equal meanings joins them. The order of `places` plays no part
/// beyond the order of the groups and of their members.
pub(super) fn group_findings(places: &[ComparedFinding<'_>]) -> Vec<Vec<usize>> {
    let mut sorted: Vec<usize> = (0..places.len()).collect();
    sorted.sort_by_key(|&i| (places[i].path(), places[i].first));
    let mut parent: Vec<usize> = (0..places.len()).collect();
    for (at, &a) in sorted.iter().enumerate() {
        let reach = places[a].last.saturating_add(NEAR);
        let near =
            |b: &&usize| places[**b].path() == places[a].path() && places[**b].first <= reach;
        for &b in sorted[at + 1..].iter().take_while(near) {
            if places[a].means_same(&places[b]) {
                let (ra, rb) = (find_root(&mut parent, a), find_root(&mut parent, b));
                parent[ra.max(rb)] = ra.min(rb);
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); places.len()];
    for i in 0..places.len() {
        let root = find_root(&mut parent, i);
        groups[root].push(i);
    }
    groups.retain(|g| !g.is_empty());
    groups
}

fn find_root(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

#[cfg(test)]
mod tests {
    use council_protocol::{Location, Severity};

    use super::*;

    fn finding(line: u32, category: &str, description: &str) -> Finding {
        Finding {
            severity: Severity::Significant,
            category: category.into(),
            rule: None,
            description: description.into(),
            location: Location {
                path: "a.rs".into(),
                line,
                end_line: None,
            },
            quote: format!("line {line}"),
            why: String::new(),
            fix: String::new(),
            suggestion: None,
            reference: None,
        }
    }

    fn groups(findings: &[(SeatIndex, Finding)]) -> usize {
        let places: Vec<_> = findings
            .iter()
            .map(|(c, f)| ComparedFinding::new(*c, f, &Proof::Verified))
            .collect();
        group_findings(&places).len()
    }

    const SQL: &str = "the SQL query is concatenated from user input";

    #[test]
    fn two_judges_on_one_line_mean_the_same_when_they_speak_of_the_same() {
        let a = finding(10, "injection", SQL);
        let b = finding(
            10,
            "security",
            "user input is concatenated into the query string",
        );
        assert_eq!(groups(&[(0, a.clone()), (1, b)]), 1);
        let other = finding(10, "naming", "this function wants a better name");
        assert_eq!(groups(&[(0, a), (1, other)]), 2);
    }

    #[test]
    fn distance_file_and_proof_keep_apart() {
        let a = finding(10, "injection", SQL);
        assert_eq!(
            groups(&[(0, a.clone()), (1, finding(13, "injection", SQL))]),
            1
        );
        assert_eq!(
            groups(&[(0, a.clone()), (1, finding(14, "injection", SQL))]),
            2
        );
        let mut elsewhere = a.clone();
        elsewhere.location.path = "b.rs".into();
        assert_eq!(groups(&[(0, a.clone()), (1, elsewhere)]), 2);
        let unconfirmed = Proof::Unverified {
            reason: String::new(),
        };
        let places = [
            ComparedFinding::new(0, &a, &Proof::Verified),
            ComparedFinding::new(1, &a, &unconfirmed),
        ];
        assert_eq!(group_findings(&places).len(), 2);
    }

    #[test]
    fn a_relocated_finding_stands_where_it_was_found() {
        let (a, b) = (finding(10, "injection", SQL), finding(90, "injection", SQL));
        let places = [
            ComparedFinding::new(0, &a, &Proof::Verified),
            ComparedFinding::new(1, &b, &Proof::Relocated { line: 10 }),
        ];
        assert_eq!(group_findings(&places).len(), 1);
    }

    #[test]
    fn a_judges_own_findings_stay_apart() {
        let (a, b) = (finding(10, "injection", SQL), finding(11, "injection", SQL));
        assert_eq!(groups(&[(0, a.clone()), (0, b)]), 2);
        assert_eq!(groups(&[(0, a.clone()), (0, a)]), 1);
    }
}
