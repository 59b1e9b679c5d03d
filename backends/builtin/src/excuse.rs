//! Excuses in place: `council: allow(rule-id) reason` in a comment on the line or the line before.
//!
//! One counts only where it stood before the change: what is under review cannot excuse itself. One that the change
//! adds is not obeyed, and the rule `added-excuse` reports it.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, LineKind, Packet, Severity};

use crate::applicable::ActiveRules;
use crate::pattern::pattern;
use crate::review::{format_place, to_finding};
use crate::scan::scan_excused;
use crate::view::{ChangeView, FileView};

/// What every excuse begins with.
pub(crate) const MARK: &str = "council:";

/// An excuse as it is written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Suppression {
    /// The rules that it names.
    pub(crate) rules: Vec<String>,
    /// Why; empty where none is given, and then it does not count.
    pub(crate) reason: String,
}

pattern!(SHAPE, r"council:\s*allow\(([a-z0-9, -]+)\)([^\r\n]*)");

impl Suppression {
    /// The excuse that stands in a line or comment, if one does.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let found = SHAPE.captures(text)?;
        let rules = found[1].split(',').map(|id| id.trim().to_owned()).collect();
        let reason = found[2]
            .trim()
            .trim_end_matches(['*', '/', '-', '>', '}', '#']);
        Some(Self {
            rules,
            reason: reason.trim_matches([' ', ':', '-']).to_owned(),
        })
    }

    fn covers_rule(&self, rule: &str) -> bool {
        self.reason.chars().any(char::is_alphabetic) && self.rules.iter().any(|id| id == rule)
    }
}

/// A finding that a comment in the code silences. It does not count, and the reader is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExcusedFinding {
    /// The rule that spoke.
    pub rule: &'static str,
    /// What it would have counted as.
    pub severity: Severity,
    /// `path:line`, or the path for the file as a whole. Untrusted.
    pub place: String,
}

/// The findings of the rules that comments in the code silence, the worst first.
pub fn excused_findings(
    packet: &Packet,
    blobs: &dyn BlobSource,
    settings: &RuleSettings,
) -> Vec<ExcusedFinding> {
    let mut hunks = packet.files.iter().flat_map(|file| &file.hunks);
    if !hunks.any(|hunk| hunk.body.contains(MARK)) {
        return Vec::new();
    }
    let change = ChangeView::new(packet, blobs);
    let found = scan_excused(&change, &ActiveRules::new("", settings));
    let excused = found.iter().map(|found| ExcusedFinding {
        rule: found.rule.info.id,
        severity: found.severity,
        place: format_place(&to_finding(&change, found)),
    });
    excused.collect()
}

/// Whether nothing but the comment stands on the line: one behind code is for its own line.
fn is_alone(text: &str) -> bool {
    let before = text.split(MARK).next().unwrap_or_default();
    !before.contains(char::is_alphanumeric)
}

/// Decides which findings are excused.
#[derive(Debug, Default)]
pub(crate) struct SuppressionLedger {
    /// Excuses on removed lines, by file and block of changed lines, that an edited line may have kept.
    kept: BTreeMap<(usize, usize), Vec<Suppression>>,
    /// Added lines whose excuse was found among those: file and number.
    granted: BTreeSet<(usize, u32)>,
    /// Of each file: where the block of changed lines begins that a line stands in.
    blocks: BTreeMap<usize, Vec<usize>>,
}

/// For each line of all hunks, the first line of its block. Once for a file: 20,000 excused lines in one block would each
/// walk back to its start.
fn block_starts(file: &FileView<'_>) -> Vec<usize> {
    let mut first = 0;
    let start_of = |(at, kind)| {
        let start = first;
        if kind == LineKind::Context {
            first = at + 1;
        }
        start
    };
    let kinds = file.lines.iter().map(|line| line.kind).enumerate();
    kinds.map(start_of).collect()
}

impl SuppressionLedger {
    /// Whether a finding of `rule` at `line` is excused by a comment that stood there before the change.
    pub(crate) fn is_suppressed(&mut self, file: &FileView<'_>, rule: &str, line: u32) -> bool {
        let here = file.line_text(line);
        let above = line
            .checked_sub(1)
            .and_then(|number| file.line_text(number).filter(|text| is_alone(text)));
        [(line, here), (line.saturating_sub(1), above)]
            .into_iter()
            .any(|(number, text)| {
                let excuse = text
                    .filter(|text| text.contains(MARK))
                    .and_then(Suppression::parse);
                excuse.is_some_and(|e| {
                    e.covers_rule(rule)
                        && (!file.is_added(number) || self.was_kept(file, number, &e))
                })
            })
    }

    /// Whether the same excuse stood on a removed line of the same block: the line was edited, its excuse was not.
    fn was_kept(&mut self, file: &FileView<'_>, number: u32, excuse: &Suppression) -> bool {
        if self.granted.contains(&(file.index, number)) {
            return true;
        }
        let Some(at) = file.line_index(number) else {
            return false;
        };
        let starts = self
            .blocks
            .entry(file.index)
            .or_insert_with(|| block_starts(file));
        let first = starts[at];
        let kept = self.kept.entry((file.index, first)).or_insert_with(|| {
            let block = file.lines[first..]
                .iter()
                .take_while(|line| line.kind != LineKind::Context);
            let removed = block.filter(|line| line.kind == LineKind::Removed);
            removed
                .filter_map(|line| Suppression::parse(line.text))
                .collect()
        });
        match kept.iter().position(|e| e == excuse) {
            // Each old excuse covers one line: a change cannot multiply it.
            Some(found) => {
                kept.remove(found);
                self.granted.insert((file.index, number));
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excuse_names_rules_and_a_reason() {
        let excuse =
            Suppression::parse("foo(); // council: allow(new-unwrap, new-panic) checked above")
                .unwrap();
        assert_eq!(excuse.rules, ["new-unwrap", "new-panic"]);
        assert!(excuse.covers_rule("new-panic") && !excuse.covers_rule("new-unsafe"));
        let html =
            Suppression::parse("<!-- council: allow(todo-without-reference): draft -->").unwrap();
        assert_eq!(html.reason, "draft");
    }

    #[test]
    fn without_a_reason_it_does_not_count() {
        for text in [
            "// council: allow(new-unwrap)",
            "/* council: allow(new-unwrap) */",
            "# council: allow(new-unwrap): --",
        ] {
            assert!(
                !Suppression::parse(text).unwrap().covers_rule("new-unwrap"),
                "{text}"
            );
        }
        assert_eq!(Suppression::parse("// council allow new-unwrap"), None);
    }
}
