//! One finding, or one rule's finding at several places, as a reader meets it.

use std::borrow::Cow;

use council_protocol::{JudgeId, RoundNumber, Severity};

use super::debate::evidence_text;
use crate::council::outcome::{Disposition, FindingLevel, JudgedFinding};
use crate::council::readable_description;
use crate::report::earlier::still_open;
use crate::report::group::{self, FindingGroup, SharedOpinion};
use crate::report::places::{self, ShownPlace};
use crate::report::whole::Report;
use crate::report::words::{self, JudgeNames};

/// The most places that the line of a finding names.
pub(in crate::report) const MAX_PLACES: usize = 4;

/// The most other places that the details name: what is read in full names each, as each counts.
const MAX_OTHERS: usize = 300;

/// The most judges that stand behind the sentence of a finding, where no rule does.
const MAX_TAGGED: usize = 3;

/// The most opinions of others that the details have.
const MAX_OPINIONS: usize = 12;

/// A finding in words. All of its texts are untrusted.
pub(in crate::report) struct FindingView<'a> {
    /// The finding that is shown for all of its group.
    pub(in crate::report) found: &'a JudgedFinding,
    pub(in crate::report) severity: Severity,
    /// `disputed`, `unconfirmed` or `rejected`; `still open` for what an earlier review confirmed; and that it is a note,
    /// where its severity does not say so.
    pub(in crate::report) state: &'static str,
    /// Its name, and those of the findings that it stands for: `F1-F4, F7`.
    pub(in crate::report) ids: String,
    /// Path and line, and more lines where it is at several places.
    pub(in crate::report) place: String,
    /// The first of these places one by one; the line of a finding names no more.
    pub(in crate::report) places: Vec<ShownPlace<'a>>,
    /// The fingerprints of the findings at these places.
    pub(in crate::report) fingerprints: Vec<&'a str>,
    /// The rule that found it, else the judges that hold it.
    pub(in crate::report) tag: String,
    pub(in crate::report) why: &'a str,
    pub(in crate::report) fix: &'a str,
    pub(in crate::report) see: &'a str,
    /// Who holds it and who disputes it, on one line; empty for a rule's finding that nobody spoke about.
    pub(in crate::report) support: String,
    /// What others said, in their own words.
    pub(in crate::report) opinions: Vec<String>,
    /// How many findings it stands for.
    pub(in crate::report) many: usize,
    /// The same finding elsewhere: id and place.
    pub(in crate::report) others: Vec<String>,
}

impl<'a> FindingView<'a> {
    pub(super) fn of(report: &Report, group: FindingGroup<'a>, names: &JudgeNames<'_>) -> Self {
        let found = group.first;
        let words::FindingRemarks { why, fix, see } = words::finding_remarks(&found.finding);
        let locations = group.all_findings().map(|f| &f.finding.location);
        Self {
            found,
            severity: found.finding.severity,
            state: words::state_words(found),
            ids: places::join_ids(group.all_findings().map(|f| f.id.as_str())).join(", "),
            place: places::join_places(locations, MAX_PLACES),
            places: places::show_finding_places(group.all_findings(), MAX_PLACES),
            fingerprints: group
                .all_findings()
                .take(MAX_PLACES)
                .map(|found| found.fingerprint.as_str())
                .collect(),
            tag: tag(found, names),
            why,
            fix,
            see,
            support: support(report, found, names),
            many: group.all_findings().count(),
            opinions: opinions(found, names),
            others: group.other_places(MAX_OTHERS),
        }
    }

    /// The first place, and the number of the others.
    pub(in crate::report) fn short_place(&self) -> String {
        let first = self.places.first();
        let first = first.map_or(String::new(), |place| place.text.clone());
        first + &places::and_more(self.many - 1)
    }

    /// What is wrong, in a sentence.
    pub(in crate::report) fn sentence(&self) -> Cow<'a, str> {
        readable_description(&self.found.finding.description)
    }

    /// Whether it makes the verdict worse than PASS.
    pub(in crate::report) fn weighs(&self) -> bool {
        self.found
            .level
            .is_some_and(|level| level > FindingLevel::Note)
    }
}

fn tag(found: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    match &found.finding.rule {
        Some(rule) => rule.clone(),
        None => match words::holders(found, names).as_slice() {
            [first, others @ ..] if others.len() >= MAX_TAGGED => {
                format!("{first} and {} more", others.len())
            }
            holders => holders.join(", "),
        },
    }
}

/// `held by security, hygiene; tests agrees; maintainability disagrees without evidence`.
fn support(report: &Report, found: &JudgedFinding, names: &JudgeNames<'_>) -> String {
    if found.disposition == Disposition::Rejected || found.level.is_none() {
        let who: Vec<&str> = found.members.iter().map(|m| names.get(&m.judge)).collect();
        return format!(
            "not counted: {}; said by {}",
            words::rejection_reason(found),
            who.join(", ")
        );
    }
    let said = group::voices_once(found, names);
    let is_rule = |judge: &JudgeId| {
        report
            .outcome
            .judges
            .iter()
            .any(|j| j.seat.judge == *judge && j.seat.agent.deterministic)
    };
    let since = found.since.as_deref();
    let since = since.map(still_open);
    if since.is_none()
        && said.is_empty()
        && report.proof_of(&found.id).is_none()
        && found.finding.rule.is_some()
        && found.members.iter().all(|m| is_rule(&m.judge))
    {
        return String::new();
    }
    let mut parts: Vec<String> = since.into_iter().collect();
    parts.extend(report.proof_of(&found.id));
    // Where nobody is kept, it is not known whom else the earlier review asked.
    let is_kept = found.since.is_some();
    parts.push(match words::holders(found, names).as_slice() {
        [] => "held by nobody".to_owned(),
        [one]
            if found.disposition == Disposition::Unconfirmed
                && said.iter().all(SharedOpinion::is_idle) =>
        {
            let asked = asked_in_vain(report, found);
            let asked: Vec<&str> = asked.iter().map(|judge| names.get(judge)).collect();
            match asked.as_slice() {
                [] if is_kept => format!("held by {one} alone"),
                [] => format!("held by {one} alone; no other judge checked it"),
                [other] => format!("held by {one} alone; {other} was asked and did not take it up"),
                _ => format!(
                    "held by {one} alone; {} were asked and did not take it up",
                    words::join_names(&asked)
                ),
            }
        }
        [one] if words::is_lone(report, found) => {
            let absent = report
                .abstained_judges()
                .map(|judge| names.get(&judge.seat.judge));
            let absent: Vec<&str> = absent.collect();
            format!(
                "held by {one} alone: no answer came from {}",
                words::join_names(&absent)
            )
        }
        _ => format!("held by {}", words::holders_by_severity(found, names)),
    });
    let holders = words::holders(found, names);
    let is_held = |voice: &&SharedOpinion<'_>| voice.agrees_among(&holders);
    parts.extend(
        said.iter()
            .filter(|v| !v.is_idle() && !is_held(v))
            .map(|voice| {
                let evidence = match (&voice.opinion.evidence, voice.opinion.resolves) {
                    (Some(e), true) => format!("on {}:{}", e.path.display(), e.line),
                    (Some(_), false) => "on evidence that does not count".to_owned(),
                    (None, _) => match report
                        .refutation_of(&found.id, |judge| voice.who.contains(&names.get(judge)))
                    {
                        Some(test) => format!("by test {test}"),
                        None => "without evidence".to_owned(),
                    },
                };
                format!("{} {evidence}", voice.stance_words())
            }),
    );
    parts.join("; ")
}

/// Judges that answered in a second round, in which they were shown the finding, and said nothing of it. One of an
/// earlier review nobody was shown in this one.
pub(crate) fn asked_in_vain<'r>(report: &'r Report, found: &JudgedFinding) -> Vec<&'r JudgeId> {
    if found.since.is_some() {
        let earlier = report.receipt.run.earlier.as_ref();
        return earlier.map_or(Vec::new(), |earlier| {
            earlier.asked_about(&found.fingerprint)
        });
    }
    let is_shown = report.outcome.rounds == 2
        && found
            .members
            .iter()
            .all(|member| member.round == RoundNumber::FIRST);
    let holds = |judge: &JudgeId| found.members.iter().any(|member| member.judge == *judge);
    let speaks = |judge: &JudgeId| found.opinions.iter().any(|said| said.judge == *judge);
    let judges = report
        .outcome
        .judges
        .iter()
        .filter(|judge| is_shown && judge.r2.is_some());
    judges
        .map(|judge| &judge.seat.judge)
        .filter(|judge| !holds(judge) && !speaks(judge))
        .collect()
}

/// Who holds a finding and who disputes it, then what each of them said, with its evidence. None: a rule's alone.
pub(crate) fn both_sides(report: &Report, found: &JudgedFinding) -> Vec<String> {
    let names = JudgeNames::of(&report.outcome.judges);
    let mut told = vec![support(report, found, &names)];
    told.extend(opinions(found, &names));
    told.retain(|words| !words.is_empty());
    told
}

fn opinions(found: &JudgedFinding, names: &JudgeNames<'_>) -> Vec<String> {
    let own = words::other_words(found, names).into_iter();
    let own = own.map(|(who, words)| format!("{who} puts it this way: {words}"));
    let said = group::group_opinions(found, names);
    let told = |voice: &SharedOpinion<'_>| {
        let evidence = voice.opinion.evidence.as_ref();
        let place = evidence.map_or(String::new(), |e| match voice.opinion.resolves {
            true => format!(" (evidence: {})", evidence_text(e)),
            false => format!(
                " (evidence: {}:{}, which does not count)",
                e.path.display(),
                e.line
            ),
        });
        format!(
            "{}: {}{place}",
            voice.stance_words(),
            voice.opinion.reasoning
        )
    };
    own.chain(said.iter().map(told))
        .take(MAX_OPINIONS)
        .collect()
}
