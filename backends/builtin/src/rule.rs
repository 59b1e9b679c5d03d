//! What a rule is: its identity for people, where it looks, and the function that looks.

use council_protocol::Severity;
use serde::Serialize;

use crate::language::Language;
use crate::view::{ChangeView, FileView, LineView};

/// A rule as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleInfo {
    /// Kebab-case; also the name of its file, its fixture and its heading in `docs/rules.md`.
    pub id: &'static str,
    /// The perspective that runs it.
    pub perspective: &'static str,
    /// The class that its findings carry, e.g. `secrets`.
    pub category: &'static str,
    /// The severity that it reports at most, unless configuration says otherwise.
    pub severity: Severity,
    /// What it finds, as a noun phrase without a full stop.
    pub summary: &'static str,
    /// Why that is a problem, in whole sentences. Behind a line break stands what a finding need not say: where the rule
    /// looks, and where it says less.
    pub why: &'static str,
    /// What to do about it, in whole sentences.
    pub fix: &'static str,
    /// Code on which it speaks, beside code on which it is silent.
    pub examples: &'static [RuleExample],
}

impl RuleInfo {
    /// Why that is a problem, for whoever reads a finding.
    pub fn reason(&self) -> &'static str {
        self.why.split('\n').next().unwrap_or_default()
    }

    /// All of it, for whoever reads about the rule.
    pub fn whole_why(&self) -> String {
        self.why.replace('\n', " ")
    }
}

/// Added code on which a rule speaks, and the same code mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RuleExample {
    /// Where such code might stand.
    pub path: &'static str,
    /// The rule speaks.
    pub bad: &'static str,
    /// The rule is silent.
    pub good: &'static str,
}

/// A rule: information, and where and how it looks.
#[derive(Debug)]
pub(crate) struct BuiltinRule {
    pub(crate) info: RuleInfo,
    pub(crate) scope: RuleScope,
    pub(crate) guards: Guarded,
    /// The languages it knows; empty for all.
    pub(crate) languages: &'static [Language],
    /// Words by which another judge's finding is recognised as being about the same thing, in lower case.
    pub(crate) claims: &'static [&'static str],
    pub(crate) check: RuleCheck,
}

/// What a rule protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guarded {
    /// The code under review.
    Code,
    /// The review itself, or the machine that reviews: judges that are attacked are no witnesses, and their silence takes
    /// nothing away.
    Review,
}

/// Which files and lines a rule looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RuleScope {
    /// Every file, whoever is said to have written it, and every added line: no name of a file is a way past these.
    Always,
    /// As `Always`, but a line that the same change removes somewhere else is not news.
    AnyFile,
    /// As `AnyFile`, tests and their data aside.
    OutsideTests,
    /// As `OutsideTests`, in files that are text: names stand side by side in a library, and none of them has a value.
    TextOutsideTests,
    /// Every file that is not somebody else's, and every added line, moved ones too.
    Everywhere,
    /// As `Everywhere`, but a line that the same change removes somewhere else is not news.
    Fresh,
    /// Fresh lines of production files, outside tests.
    Production,
    /// Fresh lines of tests.
    Tests,
    /// Every added line of a GitHub workflow or action.
    Workflows,
}

/// How a rule looks.
#[derive(Debug)]
pub(crate) enum RuleCheck {
    /// At each added line that contains one of the needles, ASCII case aside.
    Line {
        /// In lower case; as rare as can be, since each hit costs a call.
        needles: &'static [&'static str],
        /// Looks at one line.
        look: fn(&LineView<'_, '_>, &mut HitList),
    },
    /// At each added line with a character outside ASCII.
    NonAscii(fn(&LineView<'_, '_>, &mut HitList)),
    /// At each file, once.
    File(fn(&FileView<'_>, &mut HitList)),
    /// At the change as a whole, once.
    Change(fn(&ChangeView<'_>, &mut HitList)),
}

/// Something that a rule has found, before the severities of the configuration.
#[derive(Debug, Clone)]
pub(crate) struct RuleHit {
    /// Index of the file in the packet.
    pub(crate) file: usize,
    /// From 1; 0 for the file as a whole.
    pub(crate) line: u32,
    pub(crate) end_line: Option<u32>,
    /// Text of that line; empty only with line 0.
    pub(crate) quote: String,
    pub(crate) description: String,
    /// Below the rule's own.
    pub(crate) severity: Option<Severity>,
    pub(crate) suggestion: Option<String>,
    /// With which others it is told as one finding, where they are worse than notes.
    pub(crate) group: Option<HitGroup>,
}

/// Hits of one cause: one answer does for all of them. They are joined at the very end, so that an excuse for one of
/// them, or an older one in its place, hides no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HitGroup {
    pub(crate) name: String,
    /// What the finding says of this one where another one leads; may be empty.
    pub(crate) part: String,
}

impl RuleHit {
    /// Told as one with the others of that name.
    pub(crate) fn grouped(mut self, name: String, part: &str) -> Self {
        let part = part.to_owned();
        self.group = Some(HitGroup { name, part });
        self
    }

    /// Reports less than the rule's own severity.
    pub(crate) fn with_severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Quotes only a part of the line: what shows the problem without showing a secret.
    pub(crate) fn with_quote(mut self, quote: &str) -> Self {
        quote.trim().clone_into(&mut self.quote);
        self
    }

    /// The text that should replace exactly the lines of the finding.
    pub(crate) fn with_suggestion(mut self, text: impl Into<String>) -> Self {
        self.suggestion = Some(text.into());
        self
    }
}

/// Where a rule puts what it finds.
#[derive(Debug, Default)]
pub(crate) struct HitList(pub(crate) Vec<RuleHit>);

impl HitList {
    pub(crate) fn push(&mut self, hit: RuleHit) {
        self.0.push(hit);
    }
}
