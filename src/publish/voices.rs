//! Whose the voices are in what an earlier review left: a seat's name is another model's where the agents changed.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::{JudgeId, Seat};
use serde::{Deserialize, Serialize};

use super::kept::OpenFinding;
use super::memory::ReviewState;
use crate::report::Report;

/// Who spoke under a judge's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptVoice {
    pub judge: JudgeId,
    pub agent: String,
    /// None: the agent's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub perspective: String,
    /// Whether it applies rules: under another perspective these are others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deterministic: bool,
}

impl KeptVoice {
    fn of(seat: &Seat) -> Self {
        Self {
            judge: seat.judge.clone(),
            agent: seat.agent.name.clone(),
            model: seat.agent.model.clone(),
            perspective: seat.perspective.name.clone(),
            deterministic: seat.agent.deterministic,
        }
    }

    /// Whether the one that spoke sits there.
    fn is_seated(&self, seat: &Seat) -> bool {
        self.agent == seat.agent.name
            && self.model == seat.agent.model
            && (!self.deterministic || self.perspective == seat.perspective.name)
    }

    /// The name of one that has no seat any more. No seat has such a name: there are no brackets in those.
    fn name_apart(&self) -> JudgeId {
        let model = self.model.as_deref();
        let lens =
            Some(self.perspective.as_str()).filter(|lens| self.deterministic && !lens.is_empty());
        let parts = [Some(self.agent.as_str()), model, lens];
        let told: Vec<&str> = parts.into_iter().flatten().collect();
        JudgeId(format!("{} (earlier)", told.join(" ")))
    }
}

/// What each of them is called among these seats. Of several seats of one model each is taken once, as far as they go:
/// one that looked for the same thing first.
fn names_among(voices: &[KeptVoice], seats: &[Seat]) -> BTreeMap<JudgeId, JudgeId> {
    let fits: [fn(&KeptVoice, &Seat) -> bool; 3] = [
        |voice, seat| voice.judge == seat.judge && voice.perspective == seat.perspective.name,
        |voice, seat| voice.perspective == seat.perspective.name,
        |_, _| true,
    ];
    let mut names: BTreeMap<JudgeId, JudgeId> = BTreeMap::new();
    let mut taken: BTreeSet<&JudgeId> = BTreeSet::new();
    for fits in fits {
        for voice in voices {
            if names.contains_key(&voice.judge) {
                continue;
            }
            let mut free = seats.iter().filter(|seat| !taken.contains(&seat.judge));
            if let Some(seat) = free.find(|seat| voice.is_seated(seat) && fits(voice, seat)) {
                taken.insert(&seat.judge);
                names.insert(voice.judge.clone(), seat.judge.clone());
            }
        }
    }
    for voice in voices {
        let mut own = seats.iter().filter(|seat| voice.is_seated(seat));
        let name = || {
            own.next()
                .map_or_else(|| voice.name_apart(), |seat| seat.judge.clone())
        };
        names.entry(voice.judge.clone()).or_insert_with(name);
    }
    names
}

/// The seats of a report.
pub(crate) fn seats_of(report: &Report) -> Vec<Seat> {
    let judges = report.outcome.judges.iter();
    judges.map(|judge| judge.seat.clone()).collect()
}

impl OpenFinding {
    fn voices_mut(&mut self) -> impl Iterator<Item = &mut JudgeId> {
        let said = self.opinions.iter_mut().map(|said| &mut said.judge);
        let voted = self.votes.iter_mut().map(|one| &mut one.judge);
        let heard = self.held_by.iter_mut().chain(said).chain(&mut self.asked);
        heard.chain(voted)
    }

    fn is_voiced_by(&self, judge: &JudgeId) -> bool {
        let said = self.opinions.iter().map(|said| &said.judge);
        let voted = self.votes.iter().map(|one| &one.judge);
        let heard = self.held_by.iter().chain(said).chain(&self.asked);
        let mut all = heard.chain(voted);
        all.any(|voice| voice == judge)
    }
}

impl ReviewState {
    /// The same in the names of these seats: a judge is called as the seat of its agent and model is, or by a name of
    /// its own.
    #[must_use]
    pub(crate) fn known_by(&self, seats: &[Seat]) -> Self {
        let names = names_among(&self.known_voices(), seats);
        let mut state = self.clone();
        for found in state.open.iter_mut().chain(&mut state.gone) {
            for judge in found.voices_mut() {
                if let Some(name) = names.get(judge) {
                    judge.clone_from(name);
                }
            }
        }
        state
    }

    /// Keeps who speaks in its findings: a judge of its report, or one that `before` knew and that has no seat now.
    pub(super) fn keep_voices(&mut self, report: &Report, before: Option<&Self>) {
        let seats = seats_of(report);
        let mut voices: Vec<KeptVoice> = seats.iter().map(KeptVoice::of).collect();
        let known = before.map_or(Vec::new(), Self::known_voices);
        let names = names_among(&known, &seats);
        for mut voice in known {
            if let Some(name) = names.get(&voice.judge) {
                voice.judge.clone_from(name);
            }
            if !voices.iter().any(|seated| seated.judge == voice.judge) {
                voices.push(voice);
            }
        }
        let kept = || self.open.iter().chain(&self.gone);
        voices.retain(|voice| kept().any(|found| found.is_voiced_by(&voice.judge)));
        self.voices = voices;
    }

    /// Who spoke in that review; of a comment that does not say it, its report tells.
    fn known_voices(&self) -> Vec<KeptVoice> {
        match &self.report {
            Some(report) if self.voices.is_empty() => {
                let judges = report.outcome.judges.iter();
                judges.map(|judge| KeptVoice::of(&judge.seat)).collect()
            }
            _ => self.voices.clone(),
        }
    }
}
