//! One finding at a terminal, in the shape of a compiler's message.

use anstyle::Style;
use council_protocol::answer::Stance;
use council_protocol::{Finding, Severity};

use super::clean;
use crate::council::outcome::{Disposition, JudgedFinding};
use crate::report::group::{self, FindingGroup, SharedOpinion};
use crate::report::page::{TerminalPage, colours};
use crate::report::words::{self, JudgeNames};
use crate::report::{DisplayOptions, Verbosity};
use crate::text::{self, Ellipsis, Untrusted};

/// The most lines of a quote or suggestion that are shown.
const MOST_LINES: usize = 8;

/// The most places that are named of one finding.
const MOST_PLACES: usize = 8;

/// The most characters of a description that stand in a brief finding.
const MOST_BRIEF: usize = 240;

/// The whole finding: what, where, the quoted lines, why, fix, who holds it and who does not.
pub(super) fn full(page: &mut TerminalPage, group: &FindingGroup<'_>, names: &JudgeNames<'_>) {
    let found = group.first;
    let finding = &found.finding;
    page.push_gap();
    let (label, style) = label(finding, page.look());
    page.push_hanging(
        &label,
        style,
        &Untrusted::new(&finding.description).line(),
        4,
    );
    let gutter = LineGutter::of(finding);
    gutter.place(page, finding);
    if finding.location.line > 0 && !finding.quote.trim().is_empty() {
        gutter.empty(page);
        gutter.code(page, finding.location.line, "|", &finding.quote);
    }
    gutter.empty(page);
    let words::FindingRemarks { why, fix, see } = words::finding_remarks(finding);
    for (name, text) in [("why", why), ("fix", fix), ("see", see)] {
        gutter.remark(page, name, text);
    }
    if let Some(suggestion) = &finding.suggestion {
        gutter.remark(page, "suggestion", "replace the quoted lines with");
        gutter.code(page, finding.location.line, "+", suggestion);
    }
    gutter.remark(
        page,
        words::disposition_word(found.disposition),
        &held(found, names),
    );
    for (who, words) in words::other_words(found, names) {
        gutter.remark(page, "", &format!("{who} puts it: {words}"));
    }
    let verbose = page.look().verbosity == Verbosity::Verbose;
    for voices in group::group_opinions(found, names)
        .iter()
        .filter(|v| verbose || !v.is_idle())
    {
        gutter.remark(page, "", &said(voices, verbose));
    }
    gutter.remark(page, "also at", &group.other_places(MOST_PLACES).join(", "));
    gutter.remark(page, "id", &format!("{} {}", found.id, found.fingerprint));
}

/// What, where, and the description.
pub(super) fn brief(page: &mut TerminalPage, group: &FindingGroup<'_>) {
    let found = group.first;
    let (label, style) = label(&found.finding, page.look());
    let doubt = match found.disposition {
        Disposition::Confirmed | Disposition::Rejected => "",
        Disposition::Disputed => " (disputed)",
        Disposition::Unconfirmed => " (unconfirmed)",
    };
    let places = words::join_places(
        group.all_findings().map(|f| &f.finding.location),
        MOST_PLACES,
    );
    let places = clean(&places);
    let what = Untrusted::new(&found.finding.description).line();
    let text = format!("{places}: {}{doubt}", text::clip_chars(&what, MOST_BRIEF));
    page.push_hanging(&label, style, &text, 4);
}

/// A finding that does not count, and why not.
pub(super) fn rejected(page: &mut TerminalPage, found: &JudgedFinding, names: &JudgeNames<'_>) {
    let (label, _) = label(&found.finding, page.look());
    let who: Vec<&str> = found.members.iter().map(|m| names.get(&m.judge)).collect();
    let what = Untrusted::new(&found.finding.description).line();
    page.push_hanging(&format!("rejected {label}"), colours::DIM, &what, 4);
    let gutter = LineGutter::of(&found.finding);
    gutter.place(page, &found.finding);
    let why = format!(
        "{}; said by {}",
        words::rejection_reason(found),
        who.join(", ")
    );
    gutter.remark(page, "not counted", &why);
}

/// `critical[rule]: `, with its colour.
fn label(finding: &Finding, look: DisplayOptions) -> (String, Style) {
    let style = match finding.severity {
        Severity::Critical => colours::RED,
        Severity::Significant => colours::YELLOW,
        Severity::Minor => colours::CYAN,
    };
    let class = finding.rule.as_deref().unwrap_or(&finding.category);
    let class = text::fit_columns(
        &Untrusted::new(class).name(),
        look.columns().min(56) - 24,
        Ellipsis::Ascii,
    );
    let severity = finding.severity.as_str();
    let label = if class.is_empty() {
        format!("{severity}: ")
    } else {
        format!("{severity}[{class}]: ")
    };
    (label, style)
}

/// Who holds it.
fn held(found: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    match words::holders(found, names).as_slice() {
        [] => "held by nobody".into(),
        [one] if found.disposition == Disposition::Unconfirmed => {
            format!("held by {one} alone, checked by nobody")
        }
        holders => format!("held by {}", holders.join(", ")),
    }
}

/// What others said of it, and whether they have something to show for it. Why somebody agrees is told when asked for.
fn said(voices: &SharedOpinion<'_>, verbose: bool) -> String {
    let proof = match &voices.opinion.evidence {
        None => "without evidence".to_owned(),
        Some(e) if voices.opinion.resolves => {
            format!("evidence at {}:{}", e.path.display(), e.line)
        }
        Some(e) => format!(
            "its evidence at {}:{} is not there",
            e.path.display(),
            e.line
        ),
    };
    if voices.opinion.stance == Stance::Agreed && !verbose {
        return format!("{} ({proof})", voices.stance_words());
    }
    format!(
        "{}: {} ({proof})",
        voices.stance_words(),
        voices.opinion.reasoning
    )
}

/// The column of line numbers.
struct LineGutter {
    width: usize,
}

impl LineGutter {
    fn of(finding: &Finding) -> Self {
        let lines = finding.quote.lines().count().min(MOST_LINES);
        let last = finding
            .location
            .line
            .saturating_add(u32::try_from(lines).unwrap_or(0));
        Self {
            width: last.to_string().len(),
        }
    }

    fn place(&self, page: &mut TerminalPage, finding: &Finding) {
        let arrow = page.paint(colours::GUTTER, "-->");
        page.push_line(&format!(
            "{}{arrow} {}",
            " ".repeat(self.width),
            clean(&words::location_text(&finding.location))
        ));
    }

    fn empty(&self, page: &mut TerminalPage) {
        let bar = page.paint(colours::GUTTER, "|");
        page.push_line(&format!("{} {bar}", " ".repeat(self.width)));
    }

    /// Numbered lines of code, cut to the width.
    fn code(&self, page: &mut TerminalPage, first: u32, bar: &str, code: &str) {
        let look = page.look();
        let room = look.columns().saturating_sub(self.width + 3);
        for (line, number) in Untrusted::new(code)
            .code_lines()
            .take(MOST_LINES)
            .zip(first..)
        {
            let gutter = page.paint(
                colours::GUTTER,
                &format!("{number:>w$} {bar}", w = self.width),
            );
            page.push_line(&format!(
                "{gutter} {}",
                text::fit_columns(&line, room, look.ellipsis())
            ));
        }
        if code.lines().count() > MOST_LINES {
            let gutter = page.paint(colours::GUTTER, &format!("{:w$} {bar}", "", w = self.width));
            page.push_line(&format!("{gutter} {}", look.ellipsis().as_str()));
        }
    }

    /// `= label: text`, wrapped; nothing for empty text.
    fn remark(&self, page: &mut TerminalPage, label: &str, text: &str) {
        let text = Untrusted::new(text).line();
        if text.is_empty() {
            return;
        }
        let colon = if label.is_empty() { "" } else { ": " };
        let label = format!("{} = {label}{colon}", " ".repeat(self.width));
        page.push_labelled(&label, colours::PLAIN, &text);
    }
}
