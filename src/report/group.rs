//! What is said several times is shown once: the same finding at several places, the same words of several judges.

use council_protocol::answer::Stance;

use super::words::{self, JudgeNames};
use crate::council::outcome::{JudgedFinding, Opinion};

/// One rule's finding at several places.
pub(super) struct FindingGroup<'a> {
    /// The one that is shown.
    pub(super) first: &'a JudgedFinding,
    /// The others: the same but for the place.
    pub(super) others: Vec<&'a JudgedFinding>,
}

impl<'a> FindingGroup<'a> {
    /// All of them.
    pub(super) fn all_findings(&self) -> impl Iterator<Item = &'a JudgedFinding> + Clone {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// The other ones as `F2 src/a.rs:3`, at most `most`.
    pub(super) fn other_places(&self, most: usize) -> Vec<String> {
        let name =
            |f: &&JudgedFinding| format!("{} {}", f.id, words::location_text(&f.finding.location));
        let mut also: Vec<String> = self.others.iter().take(most).map(name).collect();
        let left = self.others.len().saturating_sub(most);
        also.extend((left > 0).then(|| format!("{left} more")));
        also
    }
}

/// The findings in order, those that differ only in their place together; each alone when `apart`.
pub(super) fn group_findings<'a>(
    findings: impl Iterator<Item = &'a JudgedFinding>,
    apart: bool,
) -> Vec<FindingGroup<'a>> {
    let mut groups: Vec<FindingGroup<'a>> = Vec::new();
    for found in findings {
        match groups
            .iter_mut()
            .find(|group| !apart && is_same(group.first, found))
        {
            Some(group) => group.others.push(found),
            None => groups.push(FindingGroup {
                first: found,
                others: Vec::new(),
            }),
        }
    }
    groups
}

fn is_same(one: &JudgedFinding, other: &JudgedFinding) -> bool {
    let said = |f: &JudgedFinding| {
        let f = &f.finding;
        (
            f.rule.clone(),
            f.severity,
            f.description.clone(),
            f.why.clone(),
        )
    };
    let holders = |f: &JudgedFinding| {
        f.members
            .iter()
            .map(|m| m.judge.clone())
            .collect::<Vec<_>>()
    };
    let opinions = |f: &JudgedFinding| {
        f.opinions
            .iter()
            .map(|o| (o.judge.clone(), o.stance, o.resolves))
            .collect::<Vec<_>>()
    };
    one.finding.rule.is_some()
        && (one.disposition, one.level) == (other.disposition, other.level)
        && said(one) == said(other)
        && holders(one) == holders(other)
        && opinions(one) == opinions(other)
}

/// Values under equal keys together, in the order in which the keys first occur.
pub(super) fn by_key<K: PartialEq, V>(items: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in items {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// What several judges said of a finding in the same words and on the same ground.
pub(super) struct SharedOpinion<'a> {
    /// Who, at least one.
    pub(super) who: Vec<&'a str>,
    /// One of their opinions.
    pub(super) opinion: &'a Opinion,
}

impl SharedOpinion<'_> {
    /// `tests agrees`, `tests and hygiene agree`.
    pub(super) fn stance_words(&self) -> String {
        let word = words::stance_word(self.opinion.stance);
        let word = if self.who.len() > 1 {
            word.trim_end_matches('s')
        } else {
            word
        };
        format!("{} {word}", words::join_names(&self.who))
    }

    /// Whether all who say it agree with what they hold themselves: that says nothing new.
    pub(super) fn agrees_among(&self, holders: &[&str]) -> bool {
        self.opinion.stance == Stance::Agreed && self.who.iter().all(|who| holders.contains(who))
    }

    /// Neither agreement nor refutation: somebody could not tell.
    pub(super) fn is_idle(&self) -> bool {
        self.opinion.stance == Stance::PartiallyAgreed && !self.opinion.resolves
    }
}

/// The opinions on a finding, equal ones together. A rule has none.
pub(super) fn group_opinions<'a>(
    found: &'a JudgedFinding,
    names: &'a JudgeNames<'_>,
) -> Vec<SharedOpinion<'a>> {
    let key = |o: &'a Opinion| {
        (
            o.stance,
            o.reasoning.as_str(),
            o.evidence.as_ref(),
            o.resolves,
        )
    };
    let mut voices: Vec<SharedOpinion<'a>> = Vec::new();
    for opinion in found.opinions.iter().filter(|o| !names.is_rule(&o.judge)) {
        let who = names.get(&opinion.judge);
        match voices.iter_mut().find(|v| key(v.opinion) == key(opinion)) {
            // A judge is asked about every member of a finding, and says the same of each.
            Some(voice) if voice.who.contains(&who) => {}
            Some(voice) => voice.who.push(who),
            None => voices.push(SharedOpinion {
                who: vec![who],
                opinion,
            }),
        }
    }
    voices
}

/// The same for a line that names each judge once for each stance: a judge is asked about every member of a finding, and
/// may point to another place each time. What was found goes before what was not.
pub(super) fn voices_once<'a>(
    found: &'a JudgedFinding,
    names: &'a JudgeNames<'_>,
) -> Vec<SharedOpinion<'a>> {
    let mut voices = group_opinions(found, names);
    let all: Vec<(Stance, bool, Vec<&str>)> = voices
        .iter()
        .map(|v| (v.opinion.stance, v.opinion.resolves, v.who.clone()))
        .collect();
    for (at, voice) in voices.iter_mut().enumerate() {
        let (stance, resolves) = (voice.opinion.stance, voice.opinion.resolves);
        let is_named = |who: &str| {
            all.iter().enumerate().any(|(other, (its, found, whose))| {
                let goes_before = (!found, other) < (!resolves, at);
                *its == stance && goes_before && whose.contains(&who)
            })
        };
        voice.who.retain(|who| !is_named(who));
    }
    voices.retain(|voice| !voice.who.is_empty());
    voices
}

#[cfg(test)]
mod tests {
    use council_protocol::answer::Evidence;
    use proptest::prelude::*;

    use super::*;
    use crate::report::tests::samples;

    proptest! {
        /// Whatever is said of the members of a finding, and in whatever order: whoever said it is named once for each
        /// stance, and nobody is left out.
        #[test]
        fn each_judge_is_named_once_for_what_it_says(
            said in prop::collection::vec((0usize..4, 0usize..3, 0u32..4, any::<bool>()), 0..12),
        ) {
            let mut report = samples::fail();
            let opinion = |&(judge, stance, line, resolves): &(usize, usize, u32, bool)| Opinion {
                judge: format!("judge-{judge}").as_str().into(),
                stance: [Stance::Agreed, Stance::PartiallyAgreed, Stance::Disagreed][stance],
                reasoning: format!("because of line {line}"),
                evidence: Some(Evidence { path: "a.rs".into(), line, quote: "x()".into() }),
                resolves,
            };
            report.outcome.findings[0].opinions = said.iter().map(opinion).collect();
            let names = JudgeNames::of(&[]);
            let voices = voices_once(&report.outcome.findings[0], &names);
            let mut named: Vec<(usize, String)> = voices
                .iter()
                .flat_map(|v| v.who.iter().map(|who| (v.opinion.stance as usize, (*who).to_owned())))
                .collect();
            let mut wanted: Vec<(usize, String)> = said
                .iter()
                .map(|&(judge, stance, ..)| (opinion(&(judge, stance, 0, false)).stance as usize, format!("judge-{judge}")))
                .collect();
            named.sort();
            wanted.sort();
            wanted.dedup();
            prop_assert_eq!(named, wanted);
        }
    }
}
