//! Which backend runs a council: a pure function over what was found.

use council_protocol::capability::Grant;
use council_protocol::{Capability, CapabilitySet, Failure, FailureKind, JudgeId, Limits};

use crate::council::CANNOT_BE_ASKED_AGAIN;
use crate::council::plan::{DebateMode, Procedure};

/// The one backend that is known to hold several judges without `spawn`: one after another.
const IN_TURN: &str = "inline";

/// Seed family's word for it.
const INLINE_MODE: &str = "Running in inline mode (no multi-agent backend detected)";

/// What stands in for `spawn` there.
const ONE_AFTER_ANOTHER: &str = "one after another";

/// What a council asks of its backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BackendRequest {
    /// The rules of the rounds.
    pub procedure: Procedure,
    /// Whether R2 runs.
    pub debate: DebateMode,
    /// How many judges sit.
    pub judges: usize,
}

/// Who decided on the backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BackendChoice {
    /// Nobody: take the best.
    Automatic,
    /// The user, by name.
    Named(String),
}

/// What a probe came to: the capabilities granted to a seat, or why it cannot be taken.
pub(crate) type ProbeResult = Result<CapabilitySet, Failure>;

/// A backend as far as selection must know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BackendCandidate {
    pub name: String,
    /// One sentence for a person.
    pub about: String,
    pub limits: Limits,
    /// What each seat was granted, or why it cannot be taken; or why there is no answer at all.
    pub seats: Result<Vec<(JudgeId, ProbeResult)>, String>,
}

/// How a council runs in one backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BackendPick {
    /// The backend's name.
    pub backend: String,
    /// The rules of the rounds, after degradation.
    pub procedure: Procedure,
    /// Whether R2 runs, after degradation.
    pub debate: DebateMode,
    /// Requested, granted and emulated, for the seats that sit: the first so many of those asked for.
    pub grants: Vec<Grant>,
    /// What was asked for and is not so, in words: they stand in the report.
    pub notes: Vec<String>,
    /// What some of its judges cannot do, in words, before anybody was asked: the council tells what came of it.
    pub limits: Vec<String>,
}

impl BackendPick {
    /// What whoever has not begun a review is told of it.
    pub(crate) fn forecast(&self) -> impl Iterator<Item = &String> {
        self.notes.iter().chain(&self.limits)
    }

    /// Whether any judge can be asked a second time.
    pub(crate) fn can_ask_again(&self) -> bool {
        let message = &Capability::Message;
        let can =
            |grant: &Grant| grant.granted.has(message) || grant.emulated.contains_key(message);
        self.grants.iter().any(can)
    }

    /// Whether a second round may come, in which judges are asked for tests.
    pub(crate) fn may_debate(&self) -> bool {
        let debates = matches!(self.procedure, Procedure::Review | Procedure::Debate);
        debates && self.debate != DebateMode::Off && self.can_ask_again()
    }
}

/// The backends that can run a council.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BackendSelection {
    /// The best first; the next is for when its judges cannot be seated. Never empty.
    pub picks: Vec<BackendPick>,
    /// Why the others were not chosen, by name.
    pub why_not: Vec<(String, String)>,
}

/// Why there is no backend. Comes before any judge starts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SelectError {
    /// Asked for by a name that nobody has.
    #[error("there is no backend `{name}`: choose one of {known}")]
    Unknown {
        name: String,
        /// The names that there are.
        known: String,
    },
    /// Asked for, and not able to take the seats.
    #[error("backend `{name}` cannot be used: {reason}")]
    Unusable { name: String, reason: String },
    /// Asked for, and lacking what the procedure needs.
    #[error("backend `{name}` lacks {missing}, which {what} needs: choose another, or `auto`")]
    Lacks {
        name: String,
        /// What it lacks.
        missing: CapabilitySet,
        /// What needs it.
        what: String,
    },
    /// Judges that can start nowhere.
    #[error("no review can start: {reasons}")]
    Unavailable {
        /// Judges and reason, one after another.
        reasons: String,
    },
    /// None can take all seats.
    #[error("no backend can run the judges: {reasons}")]
    Nobody {
        /// Backend and reason, one after another.
        reasons: String,
    },
}

impl BackendRequest {
    /// What the procedure cannot do without.
    pub(crate) fn needed_capabilities(&self) -> CapabilitySet {
        let mut need = CapabilitySet::default();
        if self.judges > 1 && self.procedure != Procedure::Quick {
            need.insert(Capability::Spawn);
        }
        if self.must_debate() {
            need.insert(Capability::Message);
        }
        need
    }

    /// What it asks for: its need, and what an automatic debate would use.
    pub(crate) fn requested_capabilities(&self) -> CapabilitySet {
        let mut requested = self.needed_capabilities();
        if self.may_debate() {
            requested.insert(Capability::Message);
        }
        requested.insert(Capability::Shutdown);
        requested
    }

    fn may_debate(&self) -> bool {
        self.procedure != Procedure::Quick && self.debate != DebateMode::Off
    }

    fn must_debate(&self) -> bool {
        let exchanges = matches!(
            self.procedure,
            Procedure::Debate | Procedure::CrossExamination
        );
        let forced = exchanges || self.debate == DebateMode::Force;
        forced && self.may_debate()
    }

    fn describe_council(&self) -> String {
        let judges = match self.judges {
            1 => "one judge".to_owned(),
            n => format!("{n} judges"),
        };
        if self.must_debate() {
            format!("a debate of {judges}")
        } else {
            format!("a council of {judges}")
        }
    }
}

/// Decides. Automatically: the best that meets the need, those that do not behind it, degraded in the open. By name:
/// that one, or an error that names what it lacks.
pub(crate) fn select_backend(
    candidates: &[BackendCandidate],
    ask: &BackendRequest,
    choice: &BackendChoice,
) -> Result<BackendSelection, SelectError> {
    match choice {
        BackendChoice::Automatic => select_automatic(candidates, ask),
        BackendChoice::Named(name) => select_named(candidates, ask, name),
    }
}

fn select_automatic(
    candidates: &[BackendCandidate],
    ask: &BackendRequest,
) -> Result<BackendSelection, SelectError> {
    let (mut able, mut why_not) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match SeatableBackend::from_candidate(candidate, ask) {
            Ok(found) => able.push(found),
            Err(reason) => why_not.push((candidate.name.clone(), reason)),
        }
    }
    // Stable: within a rank the order of preference holds.
    able.sort_by_key(|found| found.preference_rank(ask));
    if able.is_empty() {
        return Err(nobody_able(candidates, &why_not));
    }
    why_not.extend(
        able.iter()
            .skip(1)
            .map(|found| found.why_not_chosen(able[0].name)),
    );
    let picks = able.iter().map(|found| found.degraded_pick(ask)).collect();
    Ok(BackendSelection { picks, why_not })
}

/// What is to be mended: the judges that can start nowhere, if there are any.
fn nobody_able(candidates: &[BackendCandidate], why_not: &[(String, String)]) -> SelectError {
    let judges = unavailable_judges(candidates);
    if !judges.is_empty() {
        let told = judges
            .iter()
            .map(|(judge, why)| (judge.as_str(), why.detail.as_str()));
        let grouped = group_reasons(told);
        return SelectError::Unavailable {
            reasons: join_reasons(&grouped),
        };
    }
    let told = why_not
        .iter()
        .map(|(name, why)| (name.as_str(), why.as_str()));
    let grouped = group_reasons(told);
    let reasons = match grouped.as_slice() {
        [(why, _)] => (*why).to_owned(),
        _ => join_reasons(&grouped),
    };
    SelectError::Nobody { reasons }
}

/// The judges that no backend can take, each with the reason that tells most: that one backend cannot run such an agent at
/// all says nothing where another one can.
pub(crate) fn unavailable_judges(candidates: &[BackendCandidate]) -> Vec<(&JudgeId, &Failure)> {
    let answered = || candidates.iter().filter_map(|one| one.seats.as_ref().ok());
    let Some(first) = answered().next() else {
        return Vec::new();
    };
    let why = |judge: &JudgeId| -> Option<&Failure> {
        let probes = answered().flatten().filter(|(other, _)| other == judge);
        let failures: Option<Vec<&Failure>> =
            probes.map(|(_, probed)| probed.as_ref().err()).collect();
        let failures = failures?;
        let telling = |failure: &&&Failure| failure.kind != FailureKind::Unsupported;
        failures.iter().find(telling).or(failures.first()).copied()
    };
    let judges = first.iter().map(|(judge, _)| judge);
    judges
        .filter_map(|judge| Some((judge, why(judge)?)))
        .collect()
}

/// Reasons, each with the names that have it.
fn group_reasons<'a>(
    told: impl Iterator<Item = (&'a str, &'a str)>,
) -> Vec<(&'a str, Vec<&'a str>)> {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, why) in told {
        match reasons.iter_mut().find(|(other, _)| *other == why) {
            Some((_, names)) => names.push(name),
            None => reasons.push((why, vec![name])),
        }
    }
    reasons
}

fn join_reasons(grouped: &[(&str, Vec<&str>)]) -> String {
    let told = |(why, names): &(&str, Vec<&str>)| format!("{}: {why}", names.join(", "));
    grouped.iter().map(told).collect::<Vec<_>>().join("; ")
}

fn select_named(
    candidates: &[BackendCandidate],
    ask: &BackendRequest,
    name: &str,
) -> Result<BackendSelection, SelectError> {
    let Some(candidate) = candidates.iter().find(|candidate| candidate.name == name) else {
        let known: Vec<_> = candidates.iter().map(|c| format!("`{}`", c.name)).collect();
        let (name, known) = (name.to_owned(), known.join(", "));
        return Err(SelectError::Unknown { name, known });
    };
    let found = SeatableBackend::from_candidate(candidate, ask).map_err(|reason| {
        SelectError::Unusable {
            name: name.to_owned(),
            reason,
        }
    })?;
    let emulated = name == IN_TURN && found.missing.has(&Capability::Spawn);
    let mut missing = CapabilitySet::default();
    for lacking in found
        .missing
        .iter()
        .filter(|c| !(emulated && **c == Capability::Spawn))
    {
        missing.insert(lacking.clone());
    }
    if !missing.is_empty() {
        let (name, what) = (name.to_owned(), ask.describe_council());
        return Err(SelectError::Lacks {
            name,
            missing,
            what,
        });
    }
    let others = candidates.iter().filter(|other| other.name != name);
    let why_not = others.map(|other| (other.name.clone(), format!("`{name}` was asked for")));
    Ok(BackendSelection {
        picks: vec![found.as_asked(ask)],
        why_not: why_not.collect(),
    })
}

/// A candidate that can take every seat, and what it lacks of the need.
struct SeatableBackend<'a> {
    name: &'a str,
    seats: Vec<(&'a JudgeId, &'a CapabilitySet)>,
    missing: CapabilitySet,
}

impl<'a> SeatableBackend<'a> {
    fn from_candidate(
        candidate: &'a BackendCandidate,
        ask: &BackendRequest,
    ) -> Result<Self, String> {
        let seats = candidate.seats.as_ref().map_err(String::clone)?;
        if let Some(most) = candidate
            .limits
            .max_judges
            .filter(|&m| (m as usize) < ask.judges)
        {
            return Err(format!("it runs at most {most} judges"));
        }
        let mut taken = Vec::new();
        for (judge, granted) in seats {
            match granted {
                Ok(granted) => taken.push((judge, granted)),
                Err(failure) => return Err(format!("{judge} cannot start: {}", failure.detail)),
            }
        }
        let mut found = Self {
            name: &candidate.name,
            seats: taken,
            missing: CapabilitySet::default(),
        };
        let lacking = ask
            .needed_capabilities()
            .iter()
            .filter(|c| !found.has_capability(c))
            .cloned()
            .collect();
        found.missing = lacking;
        Ok(found)
    }

    /// A debate goes on with whoever can be messaged; everything else all seats must have.
    fn has_capability(&self, capability: &Capability) -> bool {
        let mut seats = self.seats.iter().map(|(_, granted)| granted);
        match capability {
            Capability::Message => seats.any(|granted| granted.has(capability)),
            _ => seats.all(|granted| granted.has(capability)),
        }
    }

    /// Less is better: a lost round costs less than lost judges. `quick` is inline where that can be.
    fn preference_rank(&self, ask: &BackendRequest) -> u8 {
        if self.missing.has(&Capability::Spawn) {
            3
        } else if self.missing.has(&Capability::Message) {
            2
        } else {
            u8::from(ask.procedure == Procedure::Quick && self.name != IN_TURN)
        }
    }

    fn why_not_chosen(&self, best: &str) -> (String, String) {
        let reason = if self.missing.is_empty() {
            format!("`{best}` is preferred")
        } else {
            let abilities: Vec<&str> = self.missing.iter().map(Capability::ability).collect();
            format!("it cannot {}", abilities.join(", or "))
        };
        (self.name.to_owned(), reason)
    }

    /// As asked for, with what stands in for a missing `spawn`.
    fn as_asked(&self, ask: &BackendRequest) -> BackendPick {
        let mut pick = self.build_pick(ask, self.seats.len());
        if self.missing.has(&Capability::Spawn) {
            for grant in &mut pick.grants {
                let emulation = ONE_AFTER_ANOTHER.to_owned();
                grant.emulated.insert(Capability::Spawn, emulation);
            }
            pick.notes
                .push(format!("judges sat in `{}` one after another", self.name));
        }
        pick
    }

    /// As far as it goes: without spawn `quick`, without messages one round.
    fn degraded_pick(&self, ask: &BackendRequest) -> BackendPick {
        if !self.missing.has(&Capability::Spawn) {
            return self.build_pick(ask, self.seats.len());
        }
        let quick = BackendRequest {
            procedure: Procedure::Quick,
            debate: DebateMode::Off,
            judges: 1,
        };
        let mut pick = self.build_pick(&quick, 1);
        for grant in &mut pick.grants {
            grant.requested = ask.requested_capabilities();
        }
        if self.name == IN_TURN {
            pick.notes.push(INLINE_MODE.to_owned());
        }
        let asked = ask.describe_council();
        pick.notes.push(format!(
            "`{}` cannot {}: `quick` instead of {asked}",
            self.name,
            Capability::Spawn.ability()
        ));
        pick
    }

    fn build_pick(&self, ask: &BackendRequest, judges: usize) -> BackendPick {
        let debate = ask.may_debate() && self.has_capability(&Capability::Message);
        let seats = &self.seats[..judges.min(self.seats.len())];
        let grant = |(_, granted): &(&JudgeId, &CapabilitySet)| Grant {
            requested: ask.requested_capabilities(),
            granted: (*granted).clone(),
            emulated: Default::default(),
        };
        BackendPick {
            backend: self.name.to_owned(),
            procedure: match ask.procedure {
                Procedure::Debate if !debate => Procedure::Review,
                procedure => procedure,
            },
            debate: match ask.debate {
                // Whether there is a need of a second round, the votes say; that it cannot be had, the council tells.
                DebateMode::Auto if ask.may_debate() && !ask.must_debate() => DebateMode::Auto,
                mode if debate => mode,
                _ => DebateMode::Off,
            },
            grants: seats.iter().map(grant).collect(),
            notes: self.degradation_notes(ask, debate),
            limits: self.mute_judges(ask, debate).into_iter().collect(),
        }
    }

    fn degradation_notes(&self, ask: &BackendRequest, debate: bool) -> Vec<String> {
        // A cross-examination falls back on its own: whoever makes the plan says so. And where nobody asked for a
        // second round there may be no need of one: the council tells where there was.
        let is_missed =
            !debate && ask.must_debate() && ask.procedure != Procedure::CrossExamination;
        let told = CANNOT_BE_ASKED_AGAIN.to_owned();
        (ask.may_debate() && is_missed)
            .then_some(told)
            .into_iter()
            .collect()
    }

    /// Who takes no part in a second round that others can have.
    fn mute_judges(&self, ask: &BackendRequest, debate: bool) -> Option<String> {
        let seats = self.seats.iter().filter(|_| debate && ask.may_debate());
        let mute = seats.filter(|(_, granted)| !granted.has(&Capability::Message));
        let mute: Vec<&str> = mute.map(|(judge, _)| judge.as_str()).collect();
        match mute.as_slice() {
            [] => None,
            [one] => Some(format!(
                "{one} cannot be asked a second time: its first answer counts"
            )),
            [many @ .., last] => Some(format!(
                "{} and {last} cannot be asked a second time: their first answers count",
                many.join(", ")
            )),
        }
    }
}

#[cfg(test)]
#[path = "select_tests.rs"]
mod tests;
