use std::collections::BTreeSet;

use council_protocol::answer::Stance;
use council_protocol::{Location, Proof};
use proptest::prelude::*;

use super::*;
use crate::cluster::{ComparedFinding, group_findings};
use crate::judges::SeatIndex;
use crate::outcome::FindingLevel;
use crate::support::needed_support;
use crate::testing::member;

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
    let finding = crate::testing::finding(severity, u32::from(name) + 1);
    JudgedFinding {
        id: format!("F{name}"),
        fingerprint: format!("{name:016x}"),
        disposition,
        level: finding_level(standing, POLICY),
        since: since.then(|| "abc1234".to_owned()),
        ..crate::testing::judged(finding, Vec::new())
    }
}

/// What is raised again is known by the name that it had, whatever its judges call it this time, unless another finding has
/// that name.
#[test]
fn a_finding_keeps_its_name_whatever_it_is_called_again() {
    let said = |name: u8, category: &str| {
        let mut found = judged((name, 1, 2), false);
        found.finding.location.line = 7;
        found.finding.category = category.into();
        found.finding.description = "An empty list of items divides by zero here.".into();
        found.finding.quote = "return sum(items) / len(items)".into();
        found.members = vec![member("a", &found.finding)];
        found
    };
    for category in ["edge-case", "error", "bug"] {
        let (old, new) = (said(1, "edge-case"), said(2, category));
        let both = add_carried(vec![new], std::slice::from_ref(&old), POLICY, 2);
        let names: Vec<_> = both.iter().map(|found| &found.fingerprint).collect();
        assert_eq!(names, [&old.fingerprint], "{category}");
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
        let all = add_carried(found, &carried, POLICY, 2);
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
        let all = add_carried(vec![new], std::slice::from_ref(&old), POLICY, 2);
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
        let all = add_carried(vec![new.clone()], std::slice::from_ref(&old), POLICY, 2);
        let told: Vec<_> = all.iter().map(|f| (f.finding.description.clone(), f.finding.severity)).collect();
        prop_assert_eq!(told.len(), 2);
        for one in [&old, &new] {
            prop_assert!(told.contains(&(one.finding.description.clone(), one.finding.severity)));
        }
    }

    /// Judges that find one problem in one review after the other have both found it, whichever of them is silent this
    /// time; who speaks against it now holds it no more.
    #[test]
    fn who_found_it_first_is_no_less_a_holder(
        models in 2usize..7,
        first in prop::collection::btree_set(0usize..6, 1..4),
        second in prop::collection::btree_set(0usize..6, 1..4),
        is_against in any::<bool>(),
        misnumbered in 0u32..4,
    ) {
        let held = |mut found: JudgedFinding, judges: &std::collections::BTreeSet<usize>| {
            found.disposition = Disposition::Unconfirmed;
            found.level = Some(FindingLevel::Warn);
            found.members = judges.iter().map(|nth| member(format!("judge-{nth}").as_str(), &found.finding)).collect();
            found
        };
        let old = held(judged((1, 2, 2), true), &first);
        let mut new = held(judged((1, 2, 2), false), &second);
        // The quote is there: the finding stands at its line, whatever line its judge names.
        new.members.iter_mut().for_each(|member| member.finding.location.line += misnumbered);
        let silent: Vec<usize> = first.difference(&second).copied().collect();
        let speaks = silent.first().filter(|_| is_against);
        new.opinions.extend(speaks.map(|nth| crate::outcome::Opinion {
            judge: format!("judge-{nth}").as_str().into(),
            stance: Stance::Disagreed,
            reasoning: "It is bound.".into(),
            evidence: None,
            resolves: false,
        }));
        let all = add_carried(vec![new], &[old], POLICY, models);
        let holders = first.union(&second).count() - usize::from(speaks.is_some());
        let is_confirmed = holders >= 2 && 2 * holders >= models;
        prop_assert_eq!(all[0].disposition == Disposition::Confirmed, is_confirmed);
        prop_assert_eq!(all[0].level == Some(FindingLevel::Fail), is_confirmed);
        let told: BTreeSet<_> = all[0].holding_members().map(|member| member.judge.clone()).collect();
        prop_assert_eq!(told.len(), holders);
    }

    /// What others said of a finding is weighed with it, in whichever of two reviews they said it: of one review it would
    /// be the same.
    #[test]
    fn what_was_said_before_is_weighed_with_what_is_said_now(
        before in prop::option::of(any::<bool>()),
        now in prop::option::of(any::<bool>()),
        holders in 1usize..3,
    ) {
        let said = |judge: &str, agrees: bool| crate::outcome::Opinion {
            judge: judge.into(),
            stance: if agrees { Stance::Agreed } else { Stance::Disagreed },
            reasoning: "r".into(),
            evidence: None,
            resolves: true,
        };
        let held = |mut found: JudgedFinding| {
            found.members = (0..holders).map(|nth| member(format!("judge-{nth}").as_str(), &found.finding)).collect();
            found
        };
        let models = holders + 2;
        let disposed = |opinions: [Option<bool>; 2]| {
            let sum = 6 * i64::try_from(holders).unwrap()
                + opinions.iter().flatten().map(|agrees| if *agrees { 2 } else { -6 }).sum::<i64>();
            match sum >= needed_support(models) {
                true => Disposition::Confirmed,
                false if opinions.contains(&Some(false)) => Disposition::Disputed,
                false => Disposition::Unconfirmed,
            }
        };
        let mut old = held(judged((1, 2, 2), true));
        old.opinions.extend(before.map(|agrees| said("judge-8", agrees)));
        old.disposition = disposed([before, None]);
        let mut new = held(judged((1, 2, 2), false));
        new.opinions.extend(now.map(|agrees| said("judge-9", agrees)));
        new.disposition = disposed([now, None]);
        let all = add_carried(vec![new], &[old], POLICY, models);
        prop_assert_eq!(all.len(), 1);
        // A refutation of now is one voice, and silences nobody of before.
        prop_assert_eq!(all[0].disposition, disposed([before, now]));
        prop_assert_eq!(all[0].opinions.iter().any(|said| said.judge == "judge-8".into()), before.is_some());
    }

    /// What two judges find in two reviews is confirmed if it would be in one, whichever lines around it they quote, whatever
    /// they call it and whichever of them calls it milder.
    #[test]
    fn two_reviews_confirm_what_one_would(
        quotes in (0usize..5, 0usize..5),
        words in (0usize..4, 0usize..4),
        kinds in (0usize..3, 0usize..3),
        severity in 0usize..3,
        is_milder_first in any::<bool>(),
    ) {
        const CODE: [&str; 3] = ["    query = f\"select {name}\"", "    run(query)", "    row = fetch()"];
        const WORDS: [&str; 4] = [
            "The name goes into the query unescaped: injection.", "Untrusted input is spliced into the query.",
            "The query is an injection through the name.", "Der Name wird ungeprüft eingesetzt.",
        ];
        let said = |judge: &str, quote: usize, words: usize, kind: usize, severity: usize, since: bool| {
            let mut found = judged((1, severity, 2), since);
            let (first, last) = [(0, 0), (0, 1), (1, 1), (1, 2), (0, 2)][quote];
            let finding = &mut found.finding;
            finding.location.line = 8 + first as u32;
            finding.quote = CODE[first..=last].join("\n");
            finding.description = WORDS[words].into();
            finding.category = ["sql", "security", "injection"][kind].into();
            found.fingerprint = format!("{judge:0>16}");
            found.members = vec![member(judge, &found.finding)];
            found
        };
        let severities = if is_milder_first { (severity, 2) } else { (2, severity) };
        let old = said("judge-1", quotes.0, words.0, kinds.0, severities.0, true);
        let new = said("judge-2", quotes.1, words.1, kinds.1, severities.1, false);
        let compared = [&old, &new].map(|one| &one.finding);
        let places: Vec<_> = compared.iter().enumerate()
            .map(|(seat, one)| ComparedFinding::new(SeatIndex(seat), one, &Proof::Verified, false)).collect();
        let mut whole = if severities.0 == 2 { old.clone() } else { new.clone() };
        whole.members = [&old, &new].map(|one| one.members[0].clone()).to_vec();
        let is_confirmed = group_findings(&places).len() == 1 && whole.holding_members().count() == 2;
        let all = add_carried(vec![new], &[old], POLICY, 2);
        let mut critical = all.iter().filter(|one| one.finding.severity == Severity::Critical);
        let is_told = critical.any(|one| one.disposition == Disposition::Confirmed);
        prop_assert!(!is_confirmed || is_told, "{:?}", all);
    }

    /// Words and weight are one judge's: what is said later of the same code in other words neither takes the place of a
    /// worse problem's sentence, nor hides one that is as bad.
    #[test]
    fn no_later_words_take_the_place_of_worse_ones(
        severity in 0usize..3,
        same_name in any::<bool>(),
        disposition in 0usize..3,
    ) {
        let with = |mut found: JudgedFinding, words: &str| {
            found.finding.category = "sql".into();
            found.finding.quote = "find(name)".into();
            found.finding.description = words.into();
            let finding = found.finding.clone();
            found.members = ["judge-1", "judge-2"].map(|judge| member(judge, &finding)).to_vec();
            found
        };
        let old = with(judged((1, 2, 0), true), "The name goes into the text unescaped: injection.");
        let name = if same_name { 1 } else { 2 };
        let mut new = with(judged((name, severity, disposition), false), "The variable should be called query.");
        new.finding.location = old.finding.location.clone();
        let all = add_carried(vec![new.clone()], std::slice::from_ref(&old), POLICY, 2);
        let told = |found: &JudgedFinding| {
            let others = found.other_criticals().into_iter().map(|m| m.finding.clone());
            let all: Vec<Finding> = [found.finding.clone()].into_iter().chain(others).collect();
            all
        };
        let told: Vec<_> = all.iter().flat_map(told).collect();
        let before = told.iter().find(|said| said.description == old.finding.description);
        let is_open = disposition != 1 || severity < 2;
        prop_assert!(!is_open || before.is_some_and(|said| said.severity == Severity::Critical), "{:?}", told);
        for said in told {
            let versions = [&old.finding, &new.finding];
            let is_said = versions.iter().any(|v| v.description == said.description && v.severity >= said.severity);
            prop_assert!(is_said, "{:?}", said);
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
        let all = add_carried(found.clone(), &carried, POLICY, 2);
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
