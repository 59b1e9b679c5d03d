//! Looks for itself: is the quote there, is it new, does it stand in a test, a comment or a string, and does a rule of
//! its own say the same?

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use council_protocol::answer::{Evidence, Stance};
use council_protocol::evidence::Proof;
use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, Finding, Packet, RepoPath, Side};

use super::CheckedFinding;
use super::claim::{is_about_code, keyword_in, rules_about};
use super::text::ReviewedText;
use crate::applicable::ActiveRules;
use crate::lexer::SpanKind;
use crate::review::{clip_quote, format_place};
use crate::rule::{BuiltinRule, HitList, RuleCheck, RuleScope};
use crate::scan::{FoundHit, scan_file, scan_whole};
use crate::secret::without_secrets;
use crate::view::{ChangeView, FileView, LineView};

/// A judge that checks what others say, with all rules and not only those of its perspective.
pub(crate) struct ClaimChecker<'a> {
    change: ChangeView<'a>,
    blobs: &'a dyn BlobSource,
    bench: ActiveRules,
    /// What all rules find, file by file, made for the files that somebody speaks of.
    by_file: Vec<OnceCell<Vec<FoundHit>>>,
    whole: OnceCell<Vec<FoundHit>>,
    texts: RefCell<HashMap<RepoPath, Option<Rc<ReviewedText>>>>,
}

impl<'a> ClaimChecker<'a> {
    pub(crate) fn new(
        packet: &'a Packet,
        blobs: &'a dyn BlobSource,
        settings: &RuleSettings,
    ) -> Self {
        let change = ChangeView::new(packet, blobs);
        let by_file = change.files.iter().map(|_| OnceCell::new()).collect();
        let bench = ActiveRules::all(settings);
        Self {
            change,
            blobs,
            bench,
            by_file,
            whole: OnceCell::new(),
            texts: RefCell::default(),
        }
    }

    /// What the rules of `about` find in a file.
    fn found_in<'s>(
        &'s self,
        file: &FileView<'_>,
        about: &'s [&'static BuiltinRule],
    ) -> impl Iterator<Item = &'s FoundHit> {
        let whole = about
            .iter()
            .any(|rule| matches!(rule.check, RuleCheck::Change(_)));
        let whole = whole.then(|| {
            self.whole
                .get_or_init(|| scan_whole(&self.change, &self.bench))
        });
        let own = self.by_file.get(file.index).map(|cell| {
            cell.get_or_init(|| {
                scan_file(&self.change, &self.change.files[file.index], &self.bench)
            })
        });
        let index = file.index;
        let all = whole.into_iter().flatten().chain(own.into_iter().flatten());
        all.filter(move |f| {
            f.hit.file == index && about.iter().any(|rule| is_same_rule(rule, f.rule))
        })
    }

    /// Checks one finding.
    pub(crate) fn check_finding(&self, finding: &Finding) -> CheckedFinding {
        let file = self
            .change
            .files
            .iter()
            .find(|file| file.change.path == finding.location.path);
        if finding.location.line == 0 && finding.quote.trim().is_empty() {
            return self.check_file(finding, file);
        }
        if finding.quote.trim().is_empty() {
            return undecided(format!(
                "{} quotes nothing, so there is nothing that I could check.",
                format_place(finding)
            ));
        }
        let Some(lines) = self.reviewed_text(&finding.location.path, file) else {
            let path = finding.location.path.display();
            return undecided(format!(
                "I cannot read `{path}`, neither in the change nor in the reviewed tree."
            ));
        };
        match lines.prove_quote(finding.location.line, &finding.quote) {
            Proof::Unverified { .. } => quote_missing(finding, &lines),
            Proof::Verified => self.check_place(finding, file, &lines, finding.location.line),
            Proof::Relocated { line } | Proof::Removed { line, .. } => {
                self.check_place(finding, file, &lines, line)
            }
        }
    }

    /// The reviewed text: the file of the change, else of the tree, else the new side of the hunks.
    fn reviewed_text(
        &self,
        path: &RepoPath,
        file: Option<&FileView<'_>>,
    ) -> Option<Rc<ReviewedText>> {
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry(path.clone()).or_insert_with(|| {
            let name = path.display();
            let whole = match file {
                Some(file) => file
                    .text_after()
                    .map(|text| ReviewedText::from_text(&name, text)),
                None => {
                    let read = self.blobs.read(Side::New, path).ok().flatten();
                    read.map(|bytes| {
                        ReviewedText::from_text(&name, &String::from_utf8_lossy(&bytes))
                    })
                }
            };
            whole
                .or_else(|| file.map(ReviewedText::from_hunks))
                .map(Rc::new)
        });
        text.clone()
    }

    fn check_file(&self, finding: &Finding, file: Option<&FileView<'_>>) -> CheckedFinding {
        let Some(file) = file else {
            return CheckedFinding {
                stance: Stance::Disagreed,
                ..undecided(format!(
                    "`{}` is not part of the change.",
                    finding.location.path.display()
                ))
            };
        };
        let about = rules_about(finding);
        let confirmed = self.found_in(file, &about).next();
        match confirmed {
            Some(found) => CheckedFinding {
                stance: Stance::Agreed,
                confirmed: Some(found.severity),
                ..undecided(format!(
                    "I looked at the file myself: {}",
                    found.hit.description
                ))
            },
            None => undecided(format!(
                "`{}` is part of the change; more I have no means to check.",
                file.path
            )),
        }
    }

    /// The quote stands at `line`: what do the rules say there, and if nothing, why?
    fn check_place(
        &self,
        finding: &Finding,
        file: Option<&FileView<'_>>,
        lines: &ReviewedText,
        line: u32,
    ) -> CheckedFinding {
        let here = format!("{}:{line}", finding.location.path.display());
        let Some(file) = file else {
            return undecided(format!(
                "The quote stands at {here}, in a file that the change does not touch; the claim itself I cannot check."
            ));
        };
        let last = line
            + u32::try_from(finding.quote.trim().lines().count().saturating_sub(1)).unwrap_or(0);
        let about = rules_about(finding);
        // A hit beside the quote is about something else, unless the finding names that very rule.
        let says_the_same = |found: &&FoundHit| {
            let hit = found.hit.line..=found.hit.end_line.unwrap_or(found.hit.line);
            let here = *hit.start() <= last && line <= *hit.end();
            let named = finding.rule.as_deref() == Some(found.rule.info.id);
            here || (named && (line.saturating_sub(1)..=last + 1).contains(hit.start()))
        };
        let confirmed = self.found_in(file, &about).find(says_the_same);
        if let Some(found) = confirmed {
            return self.confirm_claim(finding, file, lines, found);
        }
        if let Some(checked) = self.find_exemption(file, lines, line, &about) {
            return checked;
        }
        let silent: Vec<String> = about
            .iter()
            .filter(|rule| self.bench.is_active(rule))
            .map(|rule| format!("`{}`", rule.info.id))
            .collect();
        let news = if (line..=last).any(|number| file.is_added(number)) {
            "is added by this change"
        } else {
            "stood there before this change"
        };
        match silent.as_slice() {
            [] => undecided(format!(
                "The quote stands at {here} and {news}; for the claim itself I have no rule."
            )),
            rules => undecided(format!(
                "The quote stands at {here} and {news}; {} looks for such things and does not speak there.",
                rules.join(", ")
            )),
        }
    }

    /// A rule of its own finds the same.
    fn confirm_claim(
        &self,
        finding: &Finding,
        file: &FileView<'_>,
        lines: &ReviewedText,
        found: &FoundHit,
    ) -> CheckedFinding {
        let (own, claimed) = (found.severity, finding.severity);
        let id = found.rule.info.id;
        let said = format!("My rule `{id}` finds the same: {}", found.hit.description);
        let (stance, reasoning) = if own >= claimed {
            (Stance::Agreed, said)
        } else {
            (
                Stance::PartiallyAgreed,
                format!(
                    "{said} I hold it to be {}, not {}.",
                    own.as_str(),
                    claimed.as_str()
                ),
            )
        };
        let evidence = match found.hit.line {
            0 => None,
            line if found.rule.info.category == "secrets" => {
                let quote = without_secrets(&finding.location.path.display(), &found.hit.quote);
                Some((line, clip_quote(&quote)))
            }
            line => Some((line, lines.evidence_at(line, &finding.quote))),
        };
        let evidence = evidence.map(|(line, quote)| Evidence {
            path: file.change.path.clone(),
            line,
            quote,
        });
        CheckedFinding {
            stance,
            reasoning,
            evidence,
            confirmed: Some(own),
        }
    }

    /// What the claim is about stands where it is no problem: in a test, in a comment, in a string.
    fn find_exemption(
        &self,
        file: &FileView<'_>,
        lines: &ReviewedText,
        line: u32,
        about: &[&'static BuiltinRule],
    ) -> Option<CheckedFinding> {
        let view = file.added_lines().find(|added| added.number() == line)?;
        let text = view.text();
        let show = |line: u32, quote: String| Evidence {
            path: file.change.path.clone(),
            line,
            quote,
        };
        for rule in about
            .iter()
            .filter(|rule| is_about_code(rule) && self.bench.is_active(rule))
        {
            let Some(at) = keyword_in(rule, text) else {
                continue;
            };
            let id = rule.info.id;
            if let Some(part) = part_at(file, line, at) {
                let what = if part == SpanKind::Comment {
                    "in a comment"
                } else {
                    "inside a literal"
                };
                return Some(CheckedFinding {
                    evidence: Some(show(line, lines.evidence_at(line, text))),
                    stance: Stance::Disagreed,
                    ..undecided(format!(
                        "At {}:{line} this stands {what}, so nothing runs it (rule `{id}`).",
                        file.path
                    ))
                });
            }
            if view.in_test() && rule.scope == RuleScope::Production && rule_matches(rule, &view) {
                let (number, opening) = test_above(file, line);
                return Some(CheckedFinding {
                    evidence: Some(show(number, opening)),
                    stance: Stance::Disagreed,
                    ..undecided(format!(
                        "At {}:{line} this stands in a test, where `{id}` does not hold.",
                        file.path
                    ))
                });
            }
        }
        None
    }
}

/// Whether two rules are one.
fn is_same_rule(one: &BuiltinRule, other: &BuiltinRule) -> bool {
    one.info.id == other.info.id
}

/// No agreement and no refusal, and nothing to show.
fn undecided(reasoning: String) -> CheckedFinding {
    CheckedFinding {
        stance: Stance::PartiallyAgreed,
        reasoning,
        evidence: None,
        confirmed: None,
    }
}

/// The quote is not in the file: what stands there instead is the evidence.
fn quote_missing(finding: &Finding, lines: &ReviewedText) -> CheckedFinding {
    let path = finding.location.path.display();
    let line = finding.location.line;
    let there = lines
        .shown_line(line)
        .filter(|text| text.chars().count() >= 4);
    let (stands, evidence) = match there {
        Some(text) => {
            let quote = clip_quote(text);
            (
                format!(" Line {line} reads otherwise."),
                Some(Evidence {
                    path: finding.location.path.clone(),
                    line,
                    quote,
                }),
            )
        }
        None => (format!(" There is no such line {line}."), None),
    };
    CheckedFinding {
        stance: Stance::Disagreed,
        evidence,
        ..undecided(format!(
            "The quoted text does not stand in `{path}` after the change.{stands}"
        ))
    }
}

/// Whether a rule would speak at a line if nothing but the line counted.
fn rule_matches(rule: &BuiltinRule, line: &LineView<'_, '_>) -> bool {
    let mut hits = HitList::default();
    if let RuleCheck::Line { look, .. } = rule.check {
        look(line, &mut hits);
    }
    !hits.0.is_empty()
}

/// The part of a line that a byte stands in, when it is not code.
fn part_at(file: &FileView<'_>, line: u32, at: usize) -> Option<SpanKind> {
    let span = file
        .syntax()
        .spans(line)
        .iter()
        .find(|span| (span.start..span.end).contains(&at))?;
    Some(span.part)
}

/// The line that opens the test around a line, or the line itself in a file of tests.
fn test_above(file: &FileView<'_>, line: u32) -> (u32, String) {
    let region = |number: &u32| file.syntax().in_test(*number);
    let first = (1..=line).rev().take_while(region).last().unwrap_or(line);
    (
        first,
        file.line_text(first).unwrap_or_default().trim().to_owned(),
    )
}
