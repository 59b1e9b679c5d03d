//! Looks for itself: is the quote there, is it new, does it stand in a test, a comment or a string, and does a rule of
//! its own say the same?

use council_protocol::answer::{Evidence, Stance};
use council_protocol::evidence::{Lines, Proof};
use council_protocol::seat::RuleSettings;
use council_protocol::{BlobSource, Finding, Packet, Side};

use super::Checked;
use super::claim::{is_about_code, needle_in, rules_about};
use crate::lexer::Part;
use crate::review::place;
use crate::rule::{Check, Hits, Rule, Scope};
use crate::scan::{Bench, Found, scan};
use crate::secret::{find, without_secret};
use crate::view::{ChangeView, FileView, LineView};

/// A judge that checks what others say, with all rules and not only those of its perspective.
pub(crate) struct Witness<'a> {
    change: ChangeView<'a>,
    blobs: &'a dyn BlobSource,
    bench: Bench,
    found: Vec<Found>,
}

impl<'a> Witness<'a> {
    pub(crate) fn new(
        packet: &'a Packet,
        blobs: &'a dyn BlobSource,
        settings: &RuleSettings,
    ) -> Self {
        let change = ChangeView::new(packet, blobs);
        let bench = Bench::new("", settings);
        let found = scan(&change, &bench);
        Self {
            change,
            blobs,
            bench,
            found,
        }
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
        let Some(lines) = self.lines(finding, file) else {
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
    fn lines(&self, finding: &Finding, file: Option<&FileView<'_>>) -> Option<Text> {
        let whole = match file {
            Some(file) => file.after().map(str::to_owned),
            None => {
                let read = self
                    .blobs
                    .read(Side::New, &finding.location.path)
                    .ok()
                    .flatten();
                read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            }
        };
        whole
            .map(|text| Text::of(&text))
            .or_else(|| file.map(Text::of_hunks))
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
        let same = |found: &&Found| {
            found.hit.file == file.index && about.iter().any(|rule| is(rule, found.rule))
        };
        match self.found.iter().find(same) {
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
        let confirmed = self.found.iter().find(|found| {
            let near = (line.saturating_sub(1)..=last + 1).contains(&found.hit.line);
            found.hit.file == file.index && near && about.iter().any(|rule| is(rule, found.rule))
        });
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

/// The lines of a file after the change, with their numbers.
struct Text {
    lines: Lines,
    /// Number of the n-th line; empty where they are counted from 1.
    numbers: Vec<u32>,
}

impl Text {
    fn of(text: &str) -> Self {
        Self {
            lines: Lines::of(text),
            numbers: Vec::new(),
        }
    }

    /// The new side of the hunks: all that is known of a patch.
    fn of_hunks(file: &FileView<'_>) -> Self {
        let new_side = file
            .lines
            .iter()
            .filter_map(|line| line.new_no.map(|number| (number, line.text)));
        let (numbers, text): (Vec<u32>, Vec<&str>) = new_side.unzip();
        Self {
            lines: Lines::of(&text.join("\n")),
            numbers,
        }
    }

    fn index(&self, line: u32) -> Option<usize> {
        match self.numbers.as_slice() {
            [] => (line as usize).checked_sub(1),
            numbers => numbers.binary_search(&line).ok(),
        }
    }

    fn get(&self, line: u32) -> Option<&str> {
        self.lines.get(self.index(line)?)
    }

    fn prove(&self, line: u32, quote: &str) -> Proof {
        let claimed = self.index(line).and_then(|at| u32::try_from(at + 1).ok());
        let proof = self.lines.prove(claimed.unwrap_or(0), quote);
        match (proof, self.numbers.as_slice()) {
            (Proof::Relocated { line }, [_, ..]) => {
                let number = self.numbers.get((line as usize).saturating_sub(1)).copied();
                Proof::Relocated {
                    line: number.unwrap_or(line),
                }
            }
            (proof, _) => proof,
        }
    }

    /// A line, and the next one where the line alone would only repeat what was quoted already.
    fn around(&self, line: u32, quoted: &str) -> String {
        let text = self.get(line).unwrap_or_default();
        let same = text.split_whitespace().eq(quoted.split_whitespace());
        if find(text).is_some() {
            return without_secret(text).to_owned();
        }
        match self
            .get(line + 1)
            .filter(|below| same && !below.is_empty() && find(below).is_none())
        {
            Some(below) => format!("{text}\n{below}"),
            None => text.to_owned(),
        }
    }
}
