//! Words that several renderers share. Nothing here is clean: whoever prints it sends it through the gate.

use std::collections::{BTreeMap, BTreeSet};

use council_builtin::display_name;
use council_protocol::answer::{NO_CAUSE, Stance};
use council_protocol::coverage::FileCoverage;
use council_protocol::message::{Ending, Usage};
use council_protocol::tool_call::count_in_words;
use council_protocol::{
    Confidence, Coverage, CoverageState, Finding, JudgeId, Location, Proof, RepoPath, Severity,
    Vote,
};

use crate::council::outcome::{
    Disposition, FindingLevel, FindingMember, JudgeRecord, JudgedFinding, Opinion,
};
use crate::council::plan::ConsensusRule;
use crate::council::{Dismissal, is_for_lost_readers, readable_description};
use crate::report::facts::ChangeSize;
use crate::report::money::cost_in_words;
use crate::report::removed::removed_words;
use crate::report::whole::Report;
use crate::text::short_count;

/// Short names of the judges: the perspective where it is unmistakable, else the judge's own name; with the agent where
/// the council has several.
pub(super) struct JudgeNames<'a> {
    names: BTreeMap<&'a str, String>,
    /// The judges that are rules.
    rules: BTreeSet<&'a str>,
}

impl<'a> JudgeNames<'a> {
    pub(super) fn of(judges: &'a [JudgeRecord]) -> Self {
        let mixed = judges
            .iter()
            .any(|j| j.seat.agent.name != judges[0].seat.agent.name);
        let name = |j: &'a JudgeRecord| {
            if mixed {
                format!("{} ({})", short_name(judges, j), j.seat.agent.name)
            } else {
                short_name(judges, j).to_owned()
            }
        };
        Self::named_by(judges, name)
    }

    /// The same without agents, for tables that name them elsewhere.
    pub(super) fn without_agents(judges: &'a [JudgeRecord]) -> Self {
        Self::named_by(judges, |j| short_name(judges, j).to_owned())
    }

    fn named_by(judges: &'a [JudgeRecord], name: impl Fn(&'a JudgeRecord) -> String) -> Self {
        let rules = judges.iter().filter(|j| j.seat.agent.deterministic);
        Self {
            names: judges
                .iter()
                .map(|j| (j.seat.judge.as_str(), name(j)))
                .collect(),
            rules: rules.map(|j| j.seat.judge.as_str()).collect(),
        }
    }

    /// The short name of a judge; its own one when it has no seat.
    pub(super) fn get<'b>(&'b self, judge: &'b JudgeId) -> &'b str {
        self.names
            .get(judge.as_str())
            .map_or(judge.as_str(), String::as_str)
    }

    /// Whether a judge is a rule. A rule matches a pattern: it has no opinion of a finding, no confidence and no second
    /// thoughts, whatever its answer says.
    pub(super) fn is_rule(&self, judge: &JudgeId) -> bool {
        self.rules.contains(judge.as_str())
    }
}

fn short_name<'a>(judges: &[JudgeRecord], judge: &'a JudgeRecord) -> &'a str {
    let name = judge.seat.perspective.name.as_str();
    let namesakes = judges
        .iter()
        .filter(|j| j.seat.perspective.name == name)
        .count();
    if name.is_empty() || namesakes > 1 {
        judge.seat.judge.as_str()
    } else {
        display_name(name)
    }
}

/// Who holds a finding: each judge once; those that withdrew it, or said something milder of another kind, left out.
pub(super) fn holders<'a>(finding: &'a JudgedFinding, names: &'a JudgeNames<'_>) -> Vec<&'a str> {
    let mut holders: Vec<&str> = Vec::new();
    for member in finding.holding_members() {
        let name = names.get(&member.judge);
        if !holders.contains(&name) {
            holders.push(name);
        }
    }
    holders
}

/// Who holds a finding, and as how bad where they differ: the worst counts, and nobody is to be taken for who said it that
/// did not. `a, b`; `a as critical, b and c as significant`.
pub(super) fn holders_by_severity(finding: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    let holders = holders(finding, names);
    let worst_of = |who: &&str| {
        let own = finding
            .holding_members()
            .filter(|m| names.get(&m.judge) == *who);
        own.map(|member| member.finding.severity).max()
    };
    let severities = [Severity::Critical, Severity::Significant, Severity::Minor];
    let groups: Vec<(Severity, Vec<&str>)> = severities
        .into_iter()
        .map(|severity| {
            let of = holders.iter().filter(|who| worst_of(who) == Some(severity));
            (severity, of.copied().collect::<Vec<&str>>())
        })
        .filter(|(_, who)| !who.is_empty())
        .collect();
    match groups.as_slice() {
        [] => String::new(),
        [(severity, _)] if *severity == finding.finding.severity => holders.join(", "),
        several => {
            let told = several
                .iter()
                .map(|(severity, who)| format!("{} as {}", join_names(who), severity.as_str()));
            told.collect::<Vec<_>>().join(", ")
        }
    }
}

/// Whether a finding counts though one judge alone holds it, since another one gave no answer: nobody confirmed it.
pub(super) fn is_lone(report: &Report, found: &JudgedFinding) -> bool {
    let holders: BTreeSet<&JudgeId> = found
        .holding_members()
        .map(|member| &member.judge)
        .collect();
    let is_backed = |opinion: &Opinion| opinion.stance == Stance::Agreed && opinion.resolves;
    let is_missing = |judge: &JudgeRecord| !judge.seat.agent.deterministic;
    found.disposition == Disposition::Confirmed
        && holders.len() == 1
        && found.finding.rule.is_none()
        && found.since.is_none()
        && report.proof_of(&found.id).is_none()
        && !found.opinions.iter().any(is_backed)
        && report.abstained_judges().any(is_missing)
}

/// What the other holders of a finding said in words of their own.
pub(super) fn other_words<'a>(
    finding: &'a JudgedFinding,
    names: &'a JudgeNames<'_>,
) -> Vec<(&'a str, &'a str)> {
    let mut said = vec![finding.finding.description.as_str()];
    let mut others = Vec::new();
    for member in finding
        .members
        .iter()
        .filter(|m| !m.withdrawn && m.proof.resolves())
    {
        let words = member.finding.description.as_str();
        if !said.contains(&words) {
            said.push(words);
            others.push((names.get(&member.judge), words));
        }
    }
    others
}

/// Other critical problems that judges see in the line of a finding, each in its judge's words: they are on every
/// surface, as the finding is.
pub(crate) fn other_readings(finding: &JudgedFinding) -> Vec<String> {
    let others = finding.other_criticals().into_iter();
    let say = |member: &FindingMember| {
        let what = readable_description(&member.finding.description);
        let what = crate::text::clip_chars(&what, MAX_READING);
        format!("{} puts it this way: {what}", member.judge)
    };
    others.map(say).collect()
}

/// The most characters of one such reading.
const MAX_READING: usize = 300;

/// A finding in one sentence, with the other critical problems of its line, and how it stands.
pub(crate) fn whole_sentence(finding: &JudgedFinding) -> String {
    let mut parts = vec![readable_description(&finding.finding.description).into_owned()];
    parts.extend(other_readings(finding));
    let state = lone_state(finding);
    parts.extend((!state.is_empty()).then(|| format!("({state})")));
    let removed = removed_words(finding);
    parts.extend(removed.map(|words| format!("({words})")));
    parts.join(" ")
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn join_names(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// Every changed file whose content nobody read as a whole, with the reason: what was left out, what cannot be read as text,
/// what is skipped.
pub(super) fn unread_files(coverage: &Coverage) -> Vec<(String, String)> {
    let gaps = coverage
        .gaps()
        .map(|file| (file.path.display().into_owned(), coverage_gap(file)));
    let skipped = skipped_files(coverage)
        .into_iter()
        .flat_map(|(why, files)| {
            files
                .into_iter()
                .map(move |path| (path.display().into_owned(), why.to_owned()))
        });
    let opaque = coverage
        .opaque_files()
        .filter(|(file, _)| file.state.is_complete());
    let opaque = opaque.map(|(file, what)| (file.path.display().into_owned(), what.to_owned()));
    gaps.chain(opaque).chain(skipped).collect()
}

/// What a form that shows one finding alone says of its standing, behind its severity: a critical finding is taken for one
/// that fails the change. Empty: it is confirmed.
pub(crate) fn lone_state(found: &JudgedFinding) -> String {
    let is_mild =
        found.finding.severity == Severity::Critical && found.level < Some(FindingLevel::Fail);
    match state_words(found) {
        "" => String::new(),
        state if is_mild => format!("{state}, does not fail the change"),
        state => state.to_owned(),
    }
}

/// How a finding stands, where that is not all that there is to say: it is confirmed.
pub(super) fn state_words(found: &JudgedFinding) -> &'static str {
    // A minor finding is never more.
    let is_note =
        found.level == Some(FindingLevel::Note) && found.finding.severity > Severity::Minor;
    match (found.disposition, is_note) {
        (Disposition::Confirmed, true) if found.since.is_some() => "still open, a note",
        (Disposition::Confirmed, false) if found.since.is_some() => "still open",
        (Disposition::Confirmed, true) => "a note",
        (Disposition::Confirmed, false) => "",
        (Disposition::Disputed, true) => "disputed, a note",
        (Disposition::Unconfirmed, true) => "unconfirmed, a note",
        (other, _) => disposition_word(other),
    }
}

/// What became of a finding, in words.
pub(super) fn disposition_word(disposition: Disposition) -> &'static str {
    match disposition {
        Disposition::Confirmed => "confirmed",
        Disposition::Disputed => "disputed",
        Disposition::Unconfirmed => "unconfirmed",
        Disposition::Rejected => "rejected",
    }
}

/// `agrees`, `partly agrees`, `disagrees`.
pub(super) fn stance_word(stance: Stance) -> &'static str {
    match stance {
        Stance::Agreed => "agrees",
        Stance::PartiallyAgreed => "partly agrees",
        Stance::Disagreed => "disagrees",
    }
}

/// Why a finding does not count.
pub(super) fn rejection_reason(finding: &JudgedFinding) -> String {
    if finding.members.iter().any(|m| m.withdrawn) {
        return "withdrawn with evidence".into();
    }
    let reason = finding.members.iter().find_map(|m| match &m.proof {
        Proof::Unverified { reason } => Some(reason.as_str()),
        _ => None,
    });
    reason.unwrap_or("rejected").to_owned()
}

/// Whether a finding has a name as the program gives it: a report from elsewhere may call its findings anything.
pub(super) fn is_plain_id(id: &str) -> bool {
    const MAX_DIGITS: usize = 4;
    let digits = id.strip_prefix('F').unwrap_or_default();
    (1..=MAX_DIGITS).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A finding that somebody argued away, in one line.
pub(super) fn dismissal_line(finding: &JudgedFinding, dismissal: &Dismissal) -> String {
    let what = readable_description(&finding.finding.description);
    let what = crate::text::clip_chars(&what, 120);
    let what = what.trim_end_matches('.');
    let day = dismissal.at.get(..10).unwrap_or(&dismissal.at);
    format!(
        "{} {} ({}; {}: {}; {}, {day})",
        finding.id,
        location_text(&finding.finding.location),
        what,
        dismissal.ground.words(),
        crate::text::clip_chars(&dismissal.because, 200),
        dismissal.by,
    )
}

/// Cause, remedy and where to read on, as far as they say more than the finding does: text that fills a field
/// which a judge left empty is nobody's word.
pub(super) struct FindingRemarks<'a> {
    pub(super) why: &'a str,
    pub(super) fix: &'a str,
    pub(super) see: &'a str,
}

/// What a finding says beside what is wrong and where.
pub(super) fn finding_remarks(finding: &Finding) -> FindingRemarks<'_> {
    let own_place = format!(
        "{}:{}",
        finding.location.path.display(),
        finding.location.line
    );
    let see = finding.reference.as_deref().unwrap_or_default();
    FindingRemarks {
        why: Some(finding.why.as_str())
            .filter(|why| *why != NO_CAUSE)
            .unwrap_or_default(),
        fix: &finding.fix,
        see: Some(see)
            .filter(|see| *see != own_place)
            .unwrap_or_default(),
    }
}

/// `path:line` or `path:line-end`; the path alone for a finding about the file as a whole.
pub(super) fn location_text(location: &Location) -> String {
    let path = location.path.display();
    match (location.line, location.end_line) {
        (0, _) => path.into_owned(),
        (line, Some(end)) if end > line => format!("{path}:{line}-{end}"),
        (line, _) => format!("{path}:{line}"),
    }
}

/// What a reader is asked when R1 was split and R2 unanimous.
pub(super) const CONVERGENCE: &str = "The first round was split and the second is unanimous. Check whether evidence persuaded, or the others' votes did.";

/// The first line of a quote that says something: enough to recognise it in a sentence.
pub(super) fn first_line(quote: &str) -> &str {
    quote
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default()
}

/// A vote, or a dash where there is none.
pub(super) fn vote_word(vote: Option<Vote>) -> &'static str {
    vote.map_or("–", Vote::as_str)
}

/// A judge's confidence on the wire.
pub(super) fn confidence_word(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "LOW",
        Confidence::Medium => "MEDIUM",
        Confidence::High => "HIGH",
    }
}

/// The name of a rule of the verdict.
pub(super) fn consensus_name(consensus: ConsensusRule) -> &'static str {
    match consensus {
        ConsensusRule::Findings => "findings",
        ConsensusRule::Strict => "strict",
        ConsensusRule::Majority => "majority",
    }
}

/// Tokens and money, where known: read and written, and apart from them what came from the provider's cache. A model that
/// stood in for the one that was asked for is named.
pub(super) fn usage_words(usage: &Usage) -> Option<String> {
    let used = usage
        .input_tokens
        .unwrap_or(0)
        .saturating_add(usage.output_tokens.unwrap_or(0));
    let cached = match usage.cached_tokens {
        None | Some(0) => String::new(),
        Some(cached) => format!(" and {} cached", short_count(cached)),
    };
    // A call that nobody counted may have cost something all the same.
    let is_unknown = used == 0 && !usage.unpriced.is_empty();
    let known = usage.cost_usd.or(is_unknown.then_some(0.0));
    let money = known.map(|usd| cost_in_words(usd, &usage.unpriced));
    let cost = match (money, used) {
        (None, 0) => None,
        (Some(money), 0) => Some(money),
        (None, used) => Some(format!("{} tokens{cached}", short_count(used))),
        (Some(money), used) => Some(format!("{money}, {} tokens{cached}", short_count(used))),
    };
    // A server that counts nothing may still have refused something.
    let after = (!usage.passed_over.is_empty()).then(|| {
        let model = usage.model.as_deref().unwrap_or("another model");
        format!("by {model} after {}", usage.passed_over.join("; "))
    });
    let told = [cost, after, usage.killed.clone()];
    let told: Vec<String> = told.into_iter().flatten().collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// What a judge looked up in the repository, or why it could not; none where nobody offered it.
pub(super) fn look_up_words(usage: &Usage) -> Option<String> {
    let calls = (!usage.tool_calls.is_empty()).then(|| count_in_words(&usage.tool_calls));
    let without = usage.without_tools.as_ref();
    let without = without.map(|why| format!("without tools: {why}"));
    match (calls, without) {
        (Some(calls), Some(without)) => Some(format!("{calls}; then {without}")),
        (calls, without) => calls.or(without),
    }
}

/// `0.2 s`, `42 s`, `2 min 5 s`.
pub(super) fn format_duration(ms: u64) -> String {
    match ms {
        0..100 => format!("{ms} ms"),
        100..10_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        10_000..60_000 => format!("{} s", ms / 1000),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1000),
    }
}

/// Seconds with as many digits as tell something: `0.05`, `94.3`.
pub(super) fn format_seconds(ms: u64) -> String {
    match ms {
        0..1000 => format!("0.{:02}", ms / 10),
        _ => format!("{}.{}", ms / 1000, ms % 1000 / 100),
    }
}

/// `3 files, +120 -14`, or `2 of 3 files, +120 -14` where the others were skipped, whose lines are not counted; without
/// the lines where none changed.
pub(super) fn change_size(change: ChangeSize, coverage: &Coverage, minus: &str) -> String {
    let is_skipped = |file: &&FileCoverage| matches!(file.state, CoverageState::Skipped { .. });
    let skipped = coverage.files.iter().filter(is_skipped).count() as u64;
    let s = if change.files == 1 { "" } else { "s" };
    let files = match change.files.checked_sub(skipped) {
        Some(read) if skipped > 0 => format!("{read} of {} file{s}", change.files),
        _ => format!("{} file{s}", change.files),
    };
    match (change.added, change.removed) {
        (0, 0) => files,
        (added, removed) => format!("{files}, +{added} {minus}{removed}"),
    }
}

/// Skipped files by reason, in the order in which the reasons first occur.
pub(super) fn skipped_files(coverage: &Coverage) -> Vec<(&str, Vec<&RepoPath>)> {
    let mut groups: Vec<(&str, Vec<&RepoPath>)> = Vec::new();
    for file in &coverage.files {
        let CoverageState::Skipped { reason } = &file.state else {
            continue;
        };
        match groups.iter_mut().find(|(known, _)| known == reason) {
            Some((_, files)) => files.push(&file.path),
            None => groups.push((reason, vec![&file.path])),
        }
    }
    groups
}

/// What stands in the note on a change of which nothing is missing but the ends of long lines.
pub(crate) const TOO_LONG_A_LINE: &str = "bytes of a line, and ";

/// Why a file lowers the coverage, in words; empty for one that does not.
pub(super) fn coverage_gap(file: &FileCoverage) -> String {
    match &file.state {
        CoverageState::Reviewed
        | CoverageState::Skipped { .. }
        | CoverageState::Opaque { lowers: false, .. } => String::new(),
        CoverageState::Opaque { what, .. } => format!("not readable as text: {what}"),
        CoverageState::Truncated { shown, total } => {
            format!("{shown} of {total} changed lines were read")
        }
        CoverageState::OverBudget => "over the size limit".into(),
        CoverageState::NotAsked => "too few judges looked at it".into(),
        // The file can be read; there was nobody to read it.
        CoverageState::Unreadable { reason } if is_for_lost_readers(reason) => reason.clone(),
        CoverageState::Unreadable { reason } => format!("unreadable: {reason}"),
    }
}

/// How a judge ended.
pub(super) fn ending_word(ending: Option<Ending>) -> &'static str {
    match ending {
        Some(Ending::Graceful) => "graceful",
        Some(Ending::Forced) => "forced",
        Some(Ending::Died) => "died",
        None => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Servers that count no tokens are told of, too: that an answer was held to nothing must not hang on a number.
    #[test]
    fn what_was_refused_is_told_whatever_was_counted() {
        let refused = || vec!["m with a schema of the answer: 400".to_owned()];
        for (tokens, cost) in [
            (None, None),
            (Some(0), None),
            (Some(900), None),
            (None, Some(0.1)),
            (Some(900), Some(0.1)),
        ] {
            let usage = Usage {
                input_tokens: tokens,
                cost_usd: cost,
                model: Some("m".to_owned()),
                ..Usage::default()
            };
            let counted = usage_words(&usage);
            let told = usage_words(&Usage {
                passed_over: refused(),
                ..usage
            });
            let after = "by m after m with a schema of the answer: 400";
            let expected = counted.map_or(after.to_owned(), |c| format!("{c}; {after}"));
            assert_eq!(told, Some(expected));
        }
        assert_eq!(usage_words(&Usage::default()), None);
    }
}
