//! Looks for itself: is the quote there, is it new, does it stand in a test, a comment or a string, and does a rule of
//! its own say the same?

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use council_protocol::answer::{Evidence, Stance};
use council_protocol::evidence::Proof;
use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, Finding, Packet, RepoPath, Side};

use super::Checked;
use super::claim::{is_about_code, needle_in, rules_about};
use super::text::Text;
use crate::lexer::Part;
use crate::review::place;
use crate::rule::{Check, Hits, Rule, Scope};
use crate::scan::{Bench, Found, scan_file, scan_whole};
use crate::secret::without_secret;
use crate::view::{ChangeView, FileView, LineView};

/// A judge that checks what others say, with all rules and not only those of its perspective.
pub(crate) struct Witness<'a> {
    change: ChangeView<'a>,
    blobs: &'a dyn BlobSource,
    bench: Bench,
    /// What all rules find, file by file, made for the files that somebody speaks of.
    by_file: Vec<OnceCell<Vec<Found>>>,
    whole: OnceCell<Vec<Found>>,
    texts: RefCell<HashMap<RepoPath, Option<Rc<Text>>>>,
}

impl<'a> Witness<'a> {
    pub(crate) fn new(
        packet: &'a Packet,
        blobs: &'a dyn BlobSource,
        settings: &RuleSettings,
    ) -> Self {
        let change = ChangeView::new(packet, blobs);
        let by_file = change.files.iter().map(|_| OnceCell::new()).collect();
        let bench = Bench::new("", settings);
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
    fn found<'s>(
        &'s self,
        file: &FileView<'_>,
        about: &'s [&'static Rule],
    ) -> impl Iterator<Item = &'s Found> {
        let whole = about
            .iter()
            .any(|rule| matches!(rule.check, Check::Change(_)));
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
        all.filter(move |f| f.hit.file == index && about.iter().any(|rule| is(rule, f.rule)))
    }

    /// Checks one finding.
    pub(crate) fn check(&self, finding: &Finding) -> Checked {
        let file = self
            .change
            .files
            .iter()
            .find(|file| file.change.path == finding.location.path);
        if finding.location.line == 0 && finding.quote.trim().is_empty() {
            return self.check_file(finding, file);
        }
        if finding.quote.trim().is_empty() {
            return open(format!(
                "{} quotes nothing, so there is nothing that I could check.",
                place(finding)
            ));
        }
        let Some(lines) = self.text(&finding.location.path, file) else {
            let path = finding.location.path.display();
            return open(format!(
                "I cannot read `{path}`, neither in the change nor in the reviewed tree."
            ));
        };
        match lines.prove(finding.location.line, &finding.quote) {
            Proof::Unverified { .. } => missing(finding, &lines),
            Proof::Verified => self.check_place(finding, file, &lines, finding.location.line),
            Proof::Relocated { line } => self.check_place(finding, file, &lines, line),
        }
    }

    /// The reviewed text: the file of the change, else of the tree, else the new side of the hunks.
    fn text(&self, path: &RepoPath, file: Option<&FileView<'_>>) -> Option<Rc<Text>> {
        let mut texts = self.texts.borrow_mut();
        let text = texts.entry(path.clone()).or_insert_with(|| {
            let whole = match file {
                Some(file) => file.after().map(Text::of),
                None => {
                    let read = self.blobs.read(Side::New, path).ok().flatten();
                    read.map(|bytes| Text::of(&String::from_utf8_lossy(&bytes)))
                }
            };
            whole.or_else(|| file.map(Text::of_hunks)).map(Rc::new)
        });
        text.clone()
    }

    fn check_file(&self, finding: &Finding, file: Option<&FileView<'_>>) -> Checked {
        let Some(file) = file else {
            return Checked {
                stance: Stance::Disagreed,
                ..open(format!(
                    "`{}` is not part of the change.",
                    finding.location.path.display()
                ))
            };
        };
        let about = rules_about(finding);
        let confirmed = self.found(file, &about).next();
        match confirmed {
            Some(found) => Checked {
                stance: Stance::Agreed,
                confirmed: Some(found.severity),
                ..open(format!(
                    "I looked at the file myself: {}",
                    found.hit.description
                ))
            },
            None => open(format!(
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
        lines: &Text,
        line: u32,
    ) -> Checked {
        let here = format!("{}:{line}", finding.location.path.display());
        let Some(file) = file else {
            return open(format!(
                "The quote stands at {here}, in a file that the change does not touch; the claim itself I cannot check."
            ));
        };
        let last = line
            + u32::try_from(finding.quote.trim().lines().count().saturating_sub(1)).unwrap_or(0);
        let about = rules_about(finding);
        let near = line.saturating_sub(1)..=last + 1;
        let confirmed = self
            .found(file, &about)
            .find(|found| near.contains(&found.hit.line));
        if let Some(found) = confirmed {
            return self.confirm(finding, file, lines, found);
        }
        if let Some(checked) = self.exempt(file, lines, line, &about) {
            return checked;
        }
        let silent: Vec<String> = about
            .iter()
            .filter(|rule| self.bench.runs(rule))
            .map(|rule| format!("`{}`", rule.info.id))
            .collect();
        let news = match (line..=last).any(|number| file.is_added(number)) {
            true => "is added by this change",
            false => "stood there before this change",
        };
        match silent.as_slice() {
            [] => open(format!(
                "The quote stands at {here} and {news}; for the claim itself I have no rule."
            )),
            rules => open(format!(
                "The quote stands at {here} and {news}; {} looks for such things and does not speak there.",
                rules.join(", ")
            )),
        }
    }

    /// A rule of its own finds the same.
    fn confirm(
        &self,
        finding: &Finding,
        file: &FileView<'_>,
        lines: &Text,
        found: &Found,
    ) -> Checked {
        let (own, claimed) = (found.severity, finding.severity);
        let id = found.rule.info.id;
        let said = format!("My rule `{id}` finds the same: {}", found.hit.description);
        let (stance, reasoning) = match own >= claimed {
            true => (Stance::Agreed, said),
            false => (
                Stance::PartiallyAgreed,
                format!(
                    "{said} I hold it to be {}, not {}.",
                    own.word(),
                    claimed.word()
                ),
            ),
        };
        let evidence = match found.hit.line {
            0 => None,
            line if found.rule.info.category == "secrets" => Some((line, found.hit.quote.clone())),
            line => Some((line, lines.around(line, &finding.quote))),
        };
        let evidence = evidence.map(|(line, quote)| Evidence {
            path: file.change.path.clone(),
            line,
            quote,
        });
        Checked {
            stance,
            reasoning,
            evidence,
            confirmed: Some(own),
        }
    }

    /// What the claim is about stands where it is no problem: in a test, in a comment, in a string.
    fn exempt(
        &self,
        file: &FileView<'_>,
        lines: &Text,
        line: u32,
        about: &[&'static Rule],
    ) -> Option<Checked> {
        let view = file.added().find(|added| added.number() == line)?;
        let text = view.text();
        let show = |line: u32, quote: String| Evidence {
            path: file.change.path.clone(),
            line,
            quote,
        };
        for rule in about
            .iter()
            .filter(|rule| is_about_code(rule) && self.bench.runs(rule))
        {
            let Some(at) = needle_in(rule, text) else {
                continue;
            };
            let id = rule.info.id;
            if let Some(part) = part_at(file, line, at) {
                let what = if part == Part::Comment {
                    "in a comment"
                } else {
                    "inside a literal"
                };
                return Some(Checked {
                    evidence: Some(show(line, lines.around(line, text))),
                    stance: Stance::Disagreed,
                    ..open(format!(
                        "At {}:{line} this stands {what}, so nothing runs it (rule `{id}`).",
                        file.path
                    ))
                });
            }
            if view.in_test() && rule.scope == Scope::Production && speaks(rule, &view) {
                let (number, opening) = test_above(file, line);
                return Some(Checked {
                    evidence: Some(show(number, opening)),
                    stance: Stance::Disagreed,
                    ..open(format!(
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
fn is(one: &Rule, other: &Rule) -> bool {
    one.info.id == other.info.id
}

/// No agreement and no refusal, and nothing to show.
fn open(reasoning: String) -> Checked {
    Checked {
        stance: Stance::PartiallyAgreed,
        reasoning,
        evidence: None,
        confirmed: None,
    }
}

/// The quote is not in the file: what stands there instead is the evidence.
fn missing(finding: &Finding, lines: &Text) -> Checked {
    let path = finding.location.path.display();
    let line = finding.location.line;
    let there = lines.get(line).filter(|text| text.chars().count() >= 4);
    let (stands, evidence) = match there {
        Some(text) => {
            let quote = without_secret(text).to_owned();
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
    Checked {
        stance: Stance::Disagreed,
        evidence,
        ..open(format!(
            "The quoted text does not stand in `{path}` after the change.{stands}"
        ))
    }
}

/// Whether a rule would speak at a line if nothing but the line counted.
fn speaks(rule: &Rule, line: &LineView<'_, '_>) -> bool {
    let mut hits = Hits::default();
    if let Check::Line { look, .. } = rule.check {
        look(line, &mut hits);
    }
    !hits.0.is_empty()
}

/// The part of a line that a byte stands in, when it is not code.
fn part_at(file: &FileView<'_>, line: u32, at: usize) -> Option<Part> {
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
        file.line(first).unwrap_or_default().trim().to_owned(),
    )
}
