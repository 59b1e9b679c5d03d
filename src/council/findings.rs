//! Clusters as the findings of the report: named, ordered, with every version verbatim.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::answer::{NO_CAUSE, Stance};
use council_protocol::{CoverageState, Finding, JudgeId};

use super::beside_dismissed::without_unread;
use super::carried::{add_carried, sort_rank};
use super::consensus::{FindingStanding, finding_level};
use super::disposition::{FindingCluster, FindingVersion};
use super::fingerprint::{class_of, fingerprint};
use super::in_place::finding_in_place;
use super::judges::{JudgeState, SeatIndex};
use super::opinions::is_move;
use super::outcome::{FindingMember, JudgedFinding, Opinion};
use super::plan::Dismissal;
use super::said_problem::SaidProblem;
use super::same_problem::is_namesake;
use super::state::DebateState;

/// The findings as they are reported, with those of an earlier review that still stand: worst first, then path and
/// line; rejected ones last.
pub(super) fn report_findings(state: &DebateState) -> Vec<JudgedFinding> {
    let clusters = state.clusters();
    let mut judged: Vec<(JudgedFinding, &str)> = clusters
        .iter()
        .filter_map(|c| judge_cluster(state, c))
        .collect();
    judged.sort_by(|(a, _), (b, _)| sort_rank(a).cmp(&sort_rank(b)));
    let found = name_findings(state, judged);
    let carried = state.plan.options.carried.iter();
    let carried: Vec<JudgedFinding> = carried
        .filter(|old| !is_looked_at_again(state, old))
        .cloned()
        .collect();
    let found = without_unread(found, &carried, &state.plan.options.dismissed);
    add_carried(
        found,
        &carried,
        state.plan.policy,
        state.judges.model_seats().len(),
    )
}

/// The findings, each with a name of its own: of another problem of its line that an earlier review found, or that somebody
/// dismissed, it has not the name. One would be taken for the other.
fn name_findings(state: &DebateState, judged: Vec<(JudgedFinding, &str)>) -> Vec<JudgedFinding> {
    let options = &state.plan.options;
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let mut named = Vec::new();
    for (mut finding, context) in judged {
        let name = |nth| fingerprint(&finding.finding, context, nth);
        let first = name(0);
        let mut nth = seen.get(&first).map_or(0, |last| last + 1);
        finding.fingerprint = name(nth);
        while is_name_of_other(&finding, &options.carried, &options.dismissed) {
            nth += 1;
            finding.fingerprint = fingerprint(&finding.finding, context, nth);
        }
        seen.insert(first, nth);
        named.push(finding);
    }
    named
}

/// Whether a finding has the name of another problem of its line.
fn is_name_of_other(
    found: &JudgedFinding,
    carried: &[JudgedFinding],
    dismissed: &[Dismissal],
) -> bool {
    let is_called = |name: &str| name == found.fingerprint;
    let mut carried = carried.iter().filter(|old| is_called(&old.fingerprint));
    let mut dismissed = dismissed.iter().filter(|one| is_called(&one.fingerprint));
    let is_other = |said: &SaidProblem| !said.is_said_by(found);
    carried.any(|old| !is_namesake(found, old))
        || dismissed.any(|one| one.said.as_ref().is_some_and(is_other))
}

/// Whether the tool that found it has read the file again: what it does not report now is resolved. A file that it says it
/// could not read, it has not read again.
fn is_looked_at_again(state: &DebateState, old: &JudgedFinding) -> bool {
    let path = &old.finding.location.path;
    let is_its = |judge: &JudgeState| {
        let (seat, mut members) = (&judge.planned.seat, old.members.iter());
        let mut files = judge.planned.coverage.files.iter();
        judge.is_deterministic()
            && judge.is_counted()
            && !judge.left_unread(path)
            && members.any(|member| member.judge == seat.judge)
            && files.any(|file| file.path == *path && file.state == CoverageState::Reviewed)
    };
    old.finding.rule.is_some() && state.judges.iter().any(is_its)
}

/// A cluster as a finding of the report, with the context of the version that is shown.
fn judge_cluster<'a>(
    state: &DebateState,
    cluster: &'a FindingCluster,
) -> Option<(JudgedFinding, &'a str)> {
    let shown = shown_version(cluster)?;
    let disposition = cluster.disposition();
    let mut finding = finding_in_place(shown);
    complete_cause(&mut finding, cluster);
    let severity = cluster.severity();
    finding.severity = severity;
    let class = class_of(&finding);
    let judge_of = |seat: SeatIndex| state.judges[seat].id().clone();
    let member = |v: &FindingVersion| FindingMember {
        judge: judge_of(v.seat),
        round: v.round,
        finding: v.finding.clone(),
        proof: v.proof.clone(),
        withdrawn: v.withdrawn,
        fingerprint: (class_of(&v.finding) != class)
            .then(|| fingerprint(&v.finding, &v.context, 0)),
    };
    let finding = JudgedFinding {
        id: String::new(),
        fingerprint: String::new(),
        finding,
        disposition,
        level: finding_level(
            FindingStanding {
                severity,
                disposition,
            },
            state.plan.policy,
        ),
        dismissed: None,
        since: None,
        members: cluster.versions.iter().map(member).collect(),
        opinions: collect_opinions(cluster),
        disputed_by_test: cluster.is_disputed_by_test(),
        suggestion_check: None,
        standing_votes: Vec::new(),
    };
    Some((finding, &shown.context))
}

/// What the report shows of a cluster, at its place.
pub(super) fn shown_finding(cluster: &FindingCluster) -> Option<Finding> {
    let mut finding = finding_in_place(shown_version(cluster)?);
    complete_cause(&mut finding, cluster);
    Some(finding)
}

/// The version that is shown: the worst that stands, else the worst. Of equals a rule speaks, whose words say which
/// rule it is, then the kind of problem that most judges see, then whoever names the fewest lines; further ties fall to the
/// text, never to the seat.
fn shown_version(cluster: &FindingCluster) -> Option<&FindingVersion> {
    cluster.versions.iter().min_by_key(|v| {
        let f = &v.finding;
        let weight = (cluster.stands(v), v.severity());
        (
            std::cmp::Reverse(weight),
            f.rule.is_none(),
            std::cmp::Reverse(count_like(cluster, v)),
            v.round,
            width_of(f),
            &f.location,
            &f.rule,
            &f.category,
            &f.description,
            &f.quote,
        )
    })
}

/// How many judges see a problem of this kind in it that is as bad.
fn count_like(cluster: &FindingCluster, version: &FindingVersion) -> usize {
    let class = class_of(&version.finding);
    let is_like = |other: &&FindingVersion| {
        cluster.stands(other)
            && other.severity() == version.severity()
            && class_of(&other.finding) == class
    };
    let like = cluster.versions.iter().filter(is_like);
    like.map(|other| other.seat).collect::<BTreeSet<_>>().len()
}

/// How many lines a finding names: of equals the one that says most exactly where it is shown. A whole file is no place.
fn width_of(finding: &Finding) -> u32 {
    let place = &finding.location;
    let end = place.end_line.unwrap_or(place.line);
    match place.line {
        0 => u32::MAX,
        line => end.saturating_sub(line),
    }
}

/// Cause, remedy and edit where the version that is shown names none, as another has them that stands: a tool that
/// reports by rule has none, and of judges one fills in what another leaves out. Ties fall to the text.
fn complete_cause(finding: &mut Finding, cluster: &FindingCluster) {
    let is_said = |why: &str| !why.is_empty() && why != NO_CAUSE;
    let others = || cluster.versions.iter().filter(|v| v.is_live());
    if !is_said(&finding.why) {
        let told = others().map(|v| (&v.finding.why, &v.finding.fix));
        if let Some((why, fix)) = told.filter(|(why, _)| is_said(why)).min() {
            finding.why.clone_from(why);
            if finding.fix.is_empty() {
                finding.fix.clone_from(fix);
            }
        }
    }
    if finding.fix.trim().is_empty() {
        let fixes = others().map(|v| &v.finding.fix);
        let fix = fixes.filter(|fix| !fix.trim().is_empty()).min();
        fix.into_iter().for_each(|fix| finding.fix.clone_from(fix));
    }
    if finding.suggestion.is_none() {
        // An edit is for exactly the lines that its finding names.
        let placed = others().map(finding_in_place);
        let here = placed.filter(|other| other.location == finding.location);
        finding.suggestion = here.filter_map(|other| other.suggestion).min();
    }
}

/// What others said of a cluster. A vote that moves over its place agrees with each of its versions: told once, and not
/// beside what its judge says of one in its own words.
fn collect_opinions(cluster: &FindingCluster) -> Vec<Opinion> {
    let said = || cluster.versions.iter().flat_map(|v| v.opinions.values());
    let speaks = |judge: &JudgeId| {
        let mut said = said().map(|weighed| &weighed.opinion);
        said.any(|o| o.judge == *judge && o.stance == Stance::Agreed && o.resolves && !is_move(o))
    };
    let mut told: Vec<Opinion> = Vec::new();
    for weighed in said() {
        let opinion = &weighed.opinion;
        let is_told = |one: &Opinion| one.judge == opinion.judge && is_move(one);
        if !is_move(opinion) || !(speaks(&opinion.judge) || told.iter().any(is_told)) {
            told.push(opinion.clone());
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use council_protocol::{Proof, Severity};

    use super::*;

    /// Of judges that hold one finding, one fills in what another leaves out: the report has all of it, for the same lines.
    #[test]
    fn what_one_judge_leaves_out_another_one_says() {
        let version = |fix: &str, suggestion: Option<&str>, line| {
            let mut finding = crate::testing::finding(Severity::Critical, line);
            finding.fix = fix.into();
            finding.suggestion = suggestion.map(str::to_owned);
            FindingVersion::of(finding, Proof::Verified)
        };
        let shown = |versions: Vec<FindingVersion>| {
            let models = Vec::new();
            let shown = shown_finding(&FindingCluster { models, versions }).unwrap();
            (shown.fix, shown.suggestion)
        };
        let (bare, whole) = (
            version("", None, 3),
            version("Bind it.", Some("bind(x)"), 3),
        );
        let expected = ("Bind it.".to_owned(), Some("bind(x)".to_owned()));
        assert_eq!(shown(vec![bare.clone(), whole.clone()]), expected);
        assert_eq!(shown(vec![whole, bare.clone()]), expected);
        let elsewhere = version("Bind it.", Some("bind(x)"), 4);
        assert_eq!(
            shown(vec![bare, elsewhere]),
            ("Bind it.".to_owned(), None),
            "of other lines"
        );
    }
}
