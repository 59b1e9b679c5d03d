//! Clusters as the findings of the report: named, ordered, with every version verbatim.

use std::collections::BTreeMap;

use council_protocol::answer::NO_CAUSE;
use council_protocol::{Finding, Location, Proof};

use super::consensus::{FindingStanding, finding_level};
use super::disposition::{FindingCluster, FindingVersion};
use super::fingerprint::fingerprint;
use super::judges::SeatIndex;
use super::outcome::{FindingMember, JudgedFinding, Opinion};
use super::state::DebateState;

/// The findings as they are reported: worst first, then path and line; rejected ones last.
pub(super) fn report_findings(state: &DebateState) -> Vec<JudgedFinding> {
    let clusters = state.clusters();
    let mut judged: Vec<(JudgedFinding, &str)> = clusters
        .iter()
        .filter_map(|c| judge_cluster(state, c))
        .collect();
    judged.sort_by(|(a, _), (b, _)| sort_rank(a).cmp(&sort_rank(b)));
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let name = |(index, (mut finding, context)): (usize, (JudgedFinding, &str))| {
        let same = fingerprint(&finding.finding, context, 0);
        let nth = seen.entry(same).and_modify(|n| *n += 1).or_insert(0);
        finding.fingerprint = fingerprint(&finding.finding, context, *nth);
        finding.id = format!("F{}", index + 1);
        finding
    };
    judged.into_iter().enumerate().map(name).collect()
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
        members: cluster.versions.iter().map(member).collect(),
        opinions: collect_opinions(cluster),
        suggestion_check: None,
    };
    Some((finding, &shown.context))
}

/// Where what was found stands, if its quote was found: a judge may have named another line.
pub fn proven_place(claimed: &Location, proof: &Proof) -> Location {
    let mut place = claimed.clone();
    if let Proof::Relocated { .. } = proof
        && let Some((first, last)) = proof.span(claimed)
    {
        place.line = first;
        place.end_line = place.end_line.map(|_| last);
    }
    place
}

/// What the report shows of a cluster, at its place.
pub(super) fn shown_finding(cluster: &FindingCluster) -> Option<Finding> {
    shown_version(cluster).map(finding_in_place)
}

/// A version of a finding with the line as it was proven.
fn finding_in_place(shown: &FindingVersion) -> Finding {
    let mut finding = shown.finding.clone();
    if let Some(line) = line_before_gap(&finding.quote, &shown.context) {
        finding.quote = line;
    }
    let claimed = finding.location.clone();
    if let Proof::Relocated { .. } = shown.proof
        && let Some((first, last)) = shown.proof.span(&claimed)
    {
        if first != claimed.line && !fills(&finding.quote, (first, last)) {
            // Whoever misnumbers a stretch and quotes a part of it may mean any lines around that.
            finding.suggestion = None;
        }
        finding.location = proven_place(&claimed, &shown.proof);
    }
    if matches!(shown.proof, Proof::Removed { .. }) {
        // The line is not there any more: under the number of another one it would be taken for that one.
        (finding.location.line, finding.location.end_line) = (0, None);
        finding.suggestion = None;
    }
    // Where it was said to stand tells a reader nothing: it stands somewhere else.
    let named = format!("{}:{}", claimed.path.display(), claimed.line);
    if finding.location != claimed && finding.reference.as_deref() == Some(named.as_str()) {
        finding.reference = None;
    }
    finding
}

/// Whether a quote has as many lines as the stretch that it stands for.
fn fills(quote: &str, (first, last): (u32, u32)) -> bool {
    quote.trim().lines().count() == (last - first) as usize + 1
}

/// Of a quote that leaves something out, the line with which it begins: its parts in a row are code that nobody wrote. None:
/// it leaves nothing out.
fn line_before_gap(quote: &str, context: &str) -> Option<String> {
    let squeeze = |text: &str| {
        let words: Vec<&str> = text.split_whitespace().collect();
        words.join(" ").replace('`', "")
    };
    let (whole, around) = (squeeze(quote), squeeze(context));
    let gaps = ["...", "…"].iter().filter_map(|gap| quote.find(gap));
    // Code may have such signs itself.
    let gap = gaps.min().filter(|_| !around.contains(&whole))?;
    let mut lines = quote[..gap].lines().map(squeeze);
    let first = lines.find(|line| !line.is_empty())?;
    let first = first.trim_end_matches(['[', '(', '{']).trim_end();
    around.contains(first).then(|| first.to_owned())
}

/// The version that is shown: the worst that stands, else the worst. Of equals a rule speaks, whose words say which rule it
/// is; further ties fall to the text, never to the seat.
fn shown_version(cluster: &FindingCluster) -> Option<&FindingVersion> {
    cluster.versions.iter().min_by_key(|v| {
        let f = &v.finding;
        let bad = std::cmp::Reverse((cluster.stands(v), v.severity()));
        (
            bad,
            f.rule.is_none(),
            v.round,
            &f.location,
            &f.rule,
            &f.category,
            &f.description,
            &f.quote,
        )
    })
}

/// Cause and remedy where the version that is shown names none, in the words of another that stands: a tool that reports by
/// rule has none, and a judge beside it may. Ties fall to the text.
fn complete_cause(finding: &mut Finding, cluster: &FindingCluster) {
    let is_said = |why: &str| !why.is_empty() && why != NO_CAUSE;
    if is_said(&finding.why) {
        return;
    }
    let others = cluster.versions.iter().filter(|v| v.is_live());
    let others = others.map(|v| (&v.finding.why, &v.finding.fix));
    let Some((why, fix)) = others.filter(|(why, _)| is_said(why)).min() else {
        return;
    };
    finding.why.clone_from(why);
    if finding.fix.is_empty() {
        finding.fix.clone_from(fix);
    }
}

fn collect_opinions(cluster: &FindingCluster) -> Vec<Opinion> {
    cluster
        .versions
        .iter()
        .flat_map(|v| v.opinions.values())
        .map(|v| v.opinion.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use council_protocol::Proof;

    use super::*;

    /// A range of lines is said by its judge: a quote from the middle of it moves nothing.
    #[test]
    fn a_quote_from_inside_of_its_range_moves_no_line() {
        let in_place = |(line, end), quote: &str, found: u32| {
            let mut finding = crate::testing::finding(council_protocol::Severity::Critical, line);
            finding.location.end_line = Some(end);
            finding.quote = quote.into();
            finding.suggestion = Some("x".into());
            let version = FindingVersion::of(finding, Proof::Relocated { line: found });
            let shown = finding_in_place(&version);
            let place = (shown.location.line, shown.location.end_line);
            (place, shown.suggestion.is_some())
        };
        assert_eq!(in_place((3, 5), "run(x)", 4), ((3, Some(5)), true));
        assert_eq!(in_place((3, 5), "run(x)", 5), ((3, Some(5)), true));
        assert_eq!(
            in_place((3, 4), "a\nb", 9),
            ((9, Some(10)), true),
            "misnumbered, and quoted whole"
        );
        assert_eq!(
            in_place((3, 5), "run(x)", 9),
            ((9, Some(11)), false),
            "nobody knows which lines are meant"
        );
    }

    #[test]
    fn what_is_shown_of_a_quote_with_a_gap_is_what_stands_before_it() {
        let context = "def read(user):\n    if user.is_admin:\n        return rows(*args, ...)\n";
        let shown = |quote| line_before_gap(quote, context);
        assert_eq!(
            shown("if user.is_admin: ... return rows"),
            Some("if user.is_admin:".into())
        );
        assert_eq!(shown("is_admin: […] rows(*args"), Some("is_admin:".into()));
        assert_eq!(shown("return rows(*args, ...)"), None, "the code's own");
        assert_eq!(shown("if user.is_admin:"), None);
    }
}
