//! What clears the findings that fail a run, as it can be done where the report is read: from what each of them has on its
//! pull request, and not from what some finding may have.

use council_protocol::packet::TargetKind;

use super::model::{ReadingPlace, Talks};
use crate::council::outcome::{JudgedFinding, Verdict};
use crate::council::standing_objections;
use crate::report::places;
use crate::report::removed::removed_line;
use crate::report::whole::Report;
use crate::report::words;
use crate::text::page_url;

/// What clears the findings that fail a run.
pub(super) fn fix_or_dismiss(
    report: &Report,
    failing: &[&JudgedFinding],
    place: ReadingPlace,
) -> String {
    let what = match report.outcome.verdict {
        Verdict::Warn => "run",
        _ => "change",
    };
    let which = match failing.len() {
        1 => format!("the finding that fails the {what}"),
        many => format!("the {many} findings that fail the {what}"),
    };
    clear_words(report, failing, &which, place)
}

/// What clears the findings with which votes of an earlier review stand.
pub(super) fn fix_or_dismiss_voted(report: &Report, place: ReadingPlace) -> String {
    let voted = standing_objections(&report.outcome).into_iter();
    let mut voted: Vec<&JudgedFinding> = voted.map(|one| one.finding).collect();
    voted.sort_by(|a, b| a.id.cmp(&b.id));
    voted.dedup_by(|a, b| a.id == b.id);
    let which = match voted.len() {
        0 => {
            let again = whole_again(report, place);
            return format!("Next step: mend what the last review objected to; {again}.");
        }
        1 => "the finding over which judges object".to_owned(),
        many => format!("the {many} findings over which judges object"),
    };
    clear_words(report, &voted, &which, place)
}

fn clear_words(
    report: &Report,
    failing: &[&JudgedFinding],
    which: &str,
    place: ReadingPlace,
) -> String {
    let them = pronoun(failing);
    // An id of a recording is that of another finding in the reader's own last report.
    if report.receipt.run.recorded {
        return format!(
            "In a review of your own the next step would be to fix {which}, or to dismiss {them} with a reason."
        );
    }
    let dismissal = dismissal_words(report, failing, place);
    let mended = mended_words(report, failing, place);
    format!("Next step: fix {which}, or {dismissal}{mended}")
}

fn pronoun(failing: &[&JudgedFinding]) -> &'static str {
    match failing.len() {
        1 => "it",
        _ => "them",
    }
}

/// How these findings are dismissed by whoever reads this.
fn dismissal_words(report: &Report, failing: &[&JudgedFinding], place: ReadingPlace) -> String {
    let them = pronoun(failing);
    match place {
        // Of a pull request, what is dismissed here alone is not dismissed in its next job.
        ReadingPlace::Clone if is_pull_request(report) => {
            let talks = match failing.iter().any(|found| may_have_comment(found)) {
                true => Talks::Unknown,
                false => Talks::None,
            };
            reply_words(report, failing, talks)
        }
        ReadingPlace::Desk(talks) => reply_words(report, failing, talks),
        ReadingPlace::Clone => {
            // What stands for problems that nobody was shown is dismissed by nobody.
            let named = failing.iter().filter(|found| found.count_unlisted() == 0);
            let ids: Vec<&str> = named.map(|found| found.id.as_str()).collect();
            if ids.is_empty() {
                return "set the rule that found it: `git council explain RULE` says how.".into();
            }
            let ids = named_for_dismissal(&ids);
            format!("dismiss {them}: `git council dismiss {ids} --because '…'`.")
        }
        ReadingPlace::Agent => {
            let they = if failing.len() == 1 { "it" } else { "they" };
            format!("propose with the tool `dismiss` that {they} be dismissed.")
        }
        ReadingPlace::Conversation => reply_words(report, failing, Talks::All),
        ReadingPlace::SomeConversations => reply_words(report, failing, Talks::Some),
        ReadingPlace::Forge => {
            let page = dismissal_page(report);
            format!("dismiss {them} with a reason: {page}")
        }
    }
}

/// Whether a comment on the diff may be about a finding: it needs a line.
fn may_have_comment(found: &JudgedFinding) -> bool {
    found.finding.location.line > 0 || removed_line(found).is_some()
}

/// How somebody dismisses findings on the pull request, who may.
fn reply_words(report: &Report, failing: &[&JudgedFinding], talks: Talks) -> String {
    const WHO: &str = "have somebody with write access, other than the author,";
    const ORDER: &str = "`/council dismiss because …`";
    let (them, page) = (pronoun(failing), dismissal_page(report));
    let comments = match failing.len() {
        1 => "its comment",
        _ => "their comments",
    };
    match talks {
        Talks::All => format!("{WHO} reply {ORDER} in the conversation about {them}."),
        Talks::Some => format!(
            "{WHO} reply {ORDER} in the conversation about each that has one; what to do about the others: {page}"
        ),
        Talks::Possible => format!(
            "{WHO} dismiss {them} on the pull request: reply {ORDER} to {comments} (`--publish review` posts \
             {ones}).",
            ones = if failing.len() == 1 { "one" } else { "them" }
        ),
        Talks::Unknown => format!(
            "{WHO} dismiss {them}: reply {ORDER} to {comments} on the diff (`--publish review`); what is not in the \
             diff has none: {page}"
        ),
        Talks::None => format!(
            "{WHO} dismiss {them} with a reason, without a comment on the diff that could be answered: {page}"
        ),
    }
}

/// What clears findings that nobody mentioned again: whoever has mended one otherwise is not to mend it once more.
fn mended_words(report: &Report, failing: &[&JudgedFinding], place: ReadingPlace) -> String {
    if !is_pull_request(report) || failing.iter().all(|found| found.since.is_none()) {
        return String::new();
    }
    let kept = failing.iter().filter(|found| found.since.is_some());
    let (which, it) = match (kept.count(), failing.len()) {
        (1, 1) => ("it".to_owned(), "it"),
        (kept, all) if kept == all => ("them".to_owned(), "one"),
        (kept, _) => (format!("{kept} of them"), "one"),
    };
    let again = whole_again(report, place);
    format!(
        " Nobody mentioned {which} again, and the code still stands: if {it} is mended otherwise, {again}; or \
         somebody with write access, other than the author, dismisses it `as fixed`."
    )
}

/// What has the whole of a pull request judged again, and leaves the last review behind.
pub(super) fn whole_again(report: &Report, place: ReadingPlace) -> String {
    let whole = "has the whole change judged again";
    match (place, pull_number(report)) {
        (ReadingPlace::Clone | ReadingPlace::Desk(_), Some(number)) => {
            format!("`git council review --pr {number} --full` {whole}")
        }
        (ReadingPlace::Clone | ReadingPlace::Desk(_) | ReadingPlace::Agent, _) => {
            format!("a review with `--full` {whole}")
        }
        _ => format!(
            "the comment `/council review full` {whole} ({})",
            page_url(&report.receipt.run.version, "docs/github.md")
        ),
    }
}

pub(super) fn is_pull_request(report: &Report) -> bool {
    report.target.kind == TargetKind::PullRequest
}

/// The number of the pull request, where its label is one.
fn pull_number(report: &Report) -> Option<u64> {
    report.target.label.strip_prefix('#')?.parse().ok()
}

/// The page that says how a finding is dismissed.
fn dismissal_page(report: &Report) -> String {
    page_url(&report.receipt.run.version, "docs/warn-and-merge.md")
}

/// Findings as `dismiss` takes them: `F1-F4 F7`. Where that is long, `ID` stands for it.
fn named_for_dismissal(failing: &[&str]) -> String {
    const MAX_WORDS: usize = 6;
    let words = places::join_ids(failing.iter().copied());
    match failing.iter().all(|id| words::is_plain_id(id)) && words.len() <= MAX_WORDS {
        true => words.join(" "),
        false => "ID".to_owned(),
    }
}
