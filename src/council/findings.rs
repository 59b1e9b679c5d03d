//! Clusters as the findings of the report: named, ordered, with every version verbatim.

use std::collections::BTreeMap;

use council_protocol::answer::{NO_CAUSE, Stance};
use council_protocol::{CoverageState, Finding, JudgeId};

use super::consensus::{FindingStanding, finding_level};
use super::disposition::{FindingCluster, FindingVersion};
use super::fingerprint::fingerprint;
use super::in_place::finding_in_place;
use super::judges::{JudgeState, SeatIndex};
use super::opinions::is_move;
use super::outcome::{Disposition, FindingMember, JudgedFinding, Opinion};
use super::plan::{Dismissal, VerdictPolicy};
use super::said_problem::SaidProblem;
use super::same_problem::{is_namesake, means_same};
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
    add_carried(found, &carried, state.plan.policy)
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

/// Whether the tool that found it has read the file again: what it does not report now is resolved.
fn is_looked_at_again(state: &DebateState, old: &JudgedFinding) -> bool {
    let is_its = |judge: &JudgeState| {
        let (seat, mut members) = (&judge.planned.seat, old.members.iter());
        let mut files = judge.planned.coverage.files.iter();
        judge.is_deterministic()
            && judge.is_counted()
            && members.any(|member| member.judge == seat.judge)
            && files.any(|file| {
                file.path == old.finding.location.path && file.state == CoverageState::Reviewed
            })
    };
    old.finding.rule.is_some() && state.judges.iter().any(is_its)
}

/// The findings of this review, and of an earlier one those that were not raised again, each with its name and its
/// weight under the policy of today. What is raised again weighs no less than it did, unless somebody refutes it now:
/// fewer judges that see a problem are no sign that it is gone.
pub fn add_carried(
    mut found: Vec<JudgedFinding>,
    carried: &[JudgedFinding],
    policy: VerdictPolicy,
) -> Vec<JudgedFinding> {
    let level_of = |finding: &JudgedFinding| {
        let standing = FindingStanding {
            severity: finding.finding.severity,
            disposition: finding.disposition,
        };
        finding_level(standing, policy)
    };
    let again = raised_again(&found, carried);
    let mut left = Vec::new();
    for (old, again) in carried.iter().zip(again) {
        let old_level = level_of(old);
        match again.map(|at| &mut found[at]) {
            None => left.push(JudgedFinding {
                level: old_level,
                ..old.clone()
            }),
            Some(new) if old_level > new.level && !is_refuted(new) => {
                keep_weight(new, old);
                new.level = level_of(new);
            }
            Some(_) => {}
        }
    }
    found.extend(left);
    found.sort_by(|a, b| sort_rank(a).cmp(&sort_rank(b)));
    for (index, finding) in found.iter_mut().enumerate() {
        finding.id = format!("F{}", index + 1);
    }
    found
}

/// Whether somebody speaks against a finding, with evidence, or took it back. A test alone takes nothing from it.
fn is_refuted(found: &JudgedFinding) -> bool {
    let mut opinions = found.opinions.iter();
    let refuted = opinions.any(|o| o.stance == Stance::Disagreed && o.resolves);
    let taken_back = found.members.iter().any(|member| member.withdrawn);
    found.disposition == Disposition::Disputed && !found.disputed_by_test && (refuted || taken_back)
}

/// Which of the findings of this review each of an earlier one is, if it is raised again: by its fingerprint, else by
/// its place. One of now is never two of before.
fn raised_again(found: &[JudgedFinding], carried: &[JudgedFinding]) -> Vec<Option<usize>> {
    let stands = |new: &JudgedFinding| new.disposition != Disposition::Rejected;
    let by_name = |old: &JudgedFinding| {
        let mut found = found.iter();
        found.position(|new| is_namesake(new, old) && stands(new))
    };
    let mut again: Vec<Option<usize>> = carried.iter().map(by_name).collect();
    for (at, old) in carried.iter().enumerate() {
        if again[at].is_none() {
            let mut free = (0..found.len()).filter(|new| !again.contains(&Some(*new)));
            again[at] = free.find(|&new| stands(&found[new]) && means_same(&found[new], old));
        }
    }
    again
}

/// A finding that is raised again, with what it weighed and who held it before.
fn keep_weight(new: &mut JudgedFinding, old: &JudgedFinding) {
    new.finding.severity = new.finding.severity.max(old.finding.severity);
    new.disposition = old.disposition;
    new.disputed_by_test = old.disputed_by_test;
    new.since.clone_from(&old.since);
    for member in &old.members {
        if !new.members.iter().any(|known| known.judge == member.judge) {
            new.members.push(member.clone());
        }
    }
}

fn sort_rank(finding: &JudgedFinding) -> impl Ord {
    let place = finding.finding.location.clone();
    (
        std::cmp::Reverse((finding.level, finding.finding.severity)),
        (finding.disposition, place.path, place.line, place.end_line),
        (
            finding.finding.description.clone(),
            finding.finding.quote.clone(),
            finding.finding.category.clone(),
        ),
    )
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
    let judge_of = |seat: SeatIndex| state.judges[seat].id().clone();
    let member = |v: &FindingVersion| FindingMember {
        judge: judge_of(v.seat),
        round: v.round,
        finding: v.finding.clone(),
        proof: v.proof.clone(),
        withdrawn: v.withdrawn,
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
/// rule it is, then whoever names the fewest lines; further ties fall to the text, never to the seat.
fn shown_version(cluster: &FindingCluster) -> Option<&FindingVersion> {
    cluster.versions.iter().min_by_key(|v| {
        let f = &v.finding;
        let bad = std::cmp::Reverse((cluster.stands(v), v.severity()));
        (
            bad,
            f.rule.is_none(),
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
    use council_protocol::{Location, Proof, Severity};
    use proptest::prelude::*;

    use super::*;
    use crate::outcome::FindingLevel;

    const POLICY: VerdictPolicy = VerdictPolicy {
        disputed_critical_fails: false,
        incomplete_coverage_warns: false,
    };

    fn judged((name, severity, disposition): (u8, usize, usize), since: bool) -> JudgedFinding {
        let severity = [Severity::Minor, Severity::Significant, Severity::Critical][severity];
        let disposition = [
            Disposition::Confirmed,
            Disposition::Disputed,
            Disposition::Unconfirmed,
            Disposition::Rejected,
        ][disposition];
        let standing = FindingStanding {
            severity,
            disposition,
        };
        JudgedFinding {
            id: format!("F{name}"),
            fingerprint: format!("{name:016x}"),
            finding: crate::testing::finding(severity, u32::from(name) + 1),
            disposition,
            level: finding_level(standing, POLICY),
            dismissed: None,
            since: since.then(|| "abc1234".to_owned()),
            members: Vec::new(),
            opinions: Vec::new(),
            disputed_by_test: false,
            suggestion_check: None,
        }
    }

    proptest! {
        /// Whatever is raised again, and however mildly: unless it is refuted, no finding weighs less than it did.
        #[test]
        fn what_is_raised_again_weighs_no_less(
            found in prop::collection::vec((0u8..6, 0usize..3, 0usize..4), 0..6),
            carried in prop::collection::vec((0u8..6, 0usize..3, 0usize..3), 1..6),
        ) {
            let found: Vec<_> = found.into_iter().map(|f| judged(f, false)).collect();
            let carried: Vec<_> = carried.into_iter().map(|f| judged(f, true)).collect();
            let all = add_carried(found, &carried, POLICY);
            for old in &carried {
                let mut now = all.iter().filter(|f| f.fingerprint == old.fingerprint);
                let is_held = |f: &JudgedFinding| {
                    f.disposition == Disposition::Disputed || f.level >= old.level
                };
                prop_assert!(now.any(is_held), "{:?}", old);
            }
        }

        /// An edit beside a problem gives it another fingerprint, and models find other words and lines: it is told
        /// once all the same, and another problem on the same lines is told beside it.
        #[test]
        fn one_problem_is_told_once_whatever_it_is_called(
            severity in 0usize..3,
            reach in 0u32..3,
            same_quote in any::<bool>(),
            same_category in any::<bool>(),
            far in prop::sample::select(vec![0u32, 1, 40]),
        ) {
            let old = judged((1, 2, 0), true);
            let mut new = judged((2, severity, 2), false);
            let place = old.finding.location.clone();
            let (quote, category) = (old.finding.quote.clone(), old.finding.category.clone());
            new.finding.location = Location { line: place.line + far, end_line: Some(place.line + far + reach), ..place };
            new.finding.quote = if same_quote { format!("  {quote} ") } else { "other();".to_owned() };
            new.finding.category = if same_category { category } else { "another".to_owned() };
            let is_one = far == 0 && (same_quote || same_category);
            let all = add_carried(vec![new], std::slice::from_ref(&old), POLICY);
            prop_assert_eq!(all.len(), if is_one { 1 } else { 2 });
            prop_assert_eq!(all[0].level, Some(FindingLevel::Fail));
        }

        /// Another problem in the line of what was found before takes nothing from it: both are told, each in its words.
        #[test]
        fn another_problem_of_a_line_leaves_what_was_found_in_it(severity in 0usize..3, same_quote in any::<bool>()) {
            let mut old = judged((1, 2, 0), true);
            old.finding.category = "injection".into();
            old.finding.description = "The name goes into the query as it is.".into();
            let mut new = judged((2, severity, 0), false);
            new.finding.location = old.finding.location.clone();
            new.finding.category = "performance".into();
            new.finding.description = "Every row is loaded into memory.".into();
            new.finding.quote = if same_quote { old.finding.quote.clone() } else { "other();".to_owned() };
            let all = add_carried(vec![new.clone()], std::slice::from_ref(&old), POLICY);
            let told: Vec<_> = all.iter().map(|f| (f.finding.description.clone(), f.finding.severity)).collect();
            prop_assert_eq!(told.len(), 2);
            for one in [&old, &new] {
                prop_assert!(told.contains(&(one.finding.description.clone(), one.finding.severity)));
            }
        }

        /// No finding of now or of before is lost or told twice, the worst comes first, and names follow the order.
        #[test]
        fn what_is_carried_stands_among_what_is_found(
            found in prop::collection::vec((0u8..12, 0usize..3, 0usize..4), 0..6),
            carried in prop::collection::vec((6u8..18, 0usize..3, 0usize..3), 0..6),
        ) {
            let found: Vec<_> = found.into_iter().map(|f| judged(f, false)).collect();
            let carried: Vec<_> = carried.into_iter().map(|f| judged(f, true)).collect();
            let all = add_carried(found.clone(), &carried, POLICY);
            let is_again = |old: &&JudgedFinding| {
                let mut now = found.iter().filter(|f| f.disposition != Disposition::Rejected);
                now.any(|f| f.fingerprint == old.fingerprint)
            };
            let again = carried.iter().filter(is_again).count();
            prop_assert_eq!(all.len(), found.len() + carried.len() - again);
            let levels: Vec<Option<FindingLevel>> = all.iter().map(|f| f.level).collect();
            prop_assert!(levels.is_sorted_by(|a, b| a >= b), "{:?}", levels);
            for (at, finding) in all.iter().enumerate() {
                prop_assert_eq!(&finding.id, &format!("F{}", at + 1));
            }
        }
    }

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
