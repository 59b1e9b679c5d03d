//! Opens backends and asks what every seat can do there.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use council_agents::AgentTable;
use council_protocol::capability::grant;
use council_protocol::message::Hello;
use council_protocol::{Event, Failure, FailureKind, JudgeId, Message, Seat};

use super::{BackendCandidate, BackendSelection, ListedBackend, ProbeResult, WORKERS};
use crate::session::SessionBackend;

/// The backends that were asked, in the order of preference.
pub(crate) struct BackendSurvey {
    /// What selection must know of each.
    pub candidates: Vec<BackendCandidate>,
    opened: BTreeMap<String, SessionBackend>,
}

impl BackendSurvey {
    /// Hands over the backends of a selection, the best first. Those that are left are dropped.
    pub(crate) fn into_offers(mut self, selection: &BackendSelection) -> Vec<SessionBackend> {
        let names = selection.picks.iter().map(|pick| &pick.backend);
        names.filter_map(|name| self.opened.remove(name)).collect()
    }
}

/// Opens every backend and probes every seat in it, all at the same time; `patience` bounds the whole.
pub(crate) fn survey_backends(
    listed: Vec<ListedBackend>,
    hello: &Hello,
    seats: &[Seat],
    agents: &AgentTable,
    patience: Duration,
) -> BackendSurvey {
    let until = Instant::now() + patience;
    let asked: Vec<_> = listed
        .into_iter()
        .map(|listed| {
            let names = (listed.name.clone(), listed.about.clone());
            (names, open_backend(listed, hello, seats))
        })
        .collect();
    let mut survey = BackendSurvey {
        candidates: Vec::new(),
        opened: BTreeMap::new(),
    };
    for ((name, about), opened) in asked {
        let (manifest, seats, opened) = match opened {
            Ok(opened) => {
                let heard = collect_probes(&opened, hello, seats.len(), until);
                let granted = heard.map(|heard| grant_seats(&opened, heard, seats, agents));
                (Some(opened.manifest().clone()), granted, Some(opened))
            }
            Err(reason) => (None, Err(reason), None),
        };
        let limits = manifest.map(|manifest| manifest.limits).unwrap_or_default();
        if let (Ok(_), Some(opened)) = (&seats, opened) {
            survey.opened.insert(name.clone(), opened);
        }
        survey.candidates.push(BackendCandidate {
            name,
            about,
            limits,
            seats,
        });
    }
    workers_as_the_others(&mut survey.candidates, seats, agents);
    survey
}

/// A worker starts the agent that the other backends have asked already: where none of them can seat it, a worker cannot.
/// An agent that no other backend holds is asked here.
fn workers_as_the_others(candidates: &mut [BackendCandidate], seats: &[Seat], agents: &AgentTable) {
    let (workers, others): (Vec<_>, Vec<_>) =
        candidates.iter_mut().partition(|one| one.name == WORKERS);
    let heard = |judge: &JudgeId| -> Vec<ProbeResult> {
        let seats = others.iter().filter_map(|other| other.seats.as_ref().ok());
        let of = |seats: &Vec<(JudgeId, ProbeResult)>| {
            let found = seats.iter().find(|(other, _)| other == judge);
            found.map(|(_, probed)| probed.clone())
        };
        seats.filter_map(of).collect()
    };
    for worker in workers {
        for ((judge, probed), seat) in worker.seats.iter_mut().flatten().zip(seats) {
            if let Err(failure) = check_usable(&heard(judge), seat, agents) {
                *probed = Err(failure);
            }
        }
    }
}

/// Whether an agent can be used here, by what was heard of it.
fn check_usable(heard: &[ProbeResult], seat: &Seat, agents: &AgentTable) -> Result<(), Failure> {
    // An agent that only a plugin knows is nothing that a worker could start, whatever the plugin says of it.
    agents.find_agent(&seat.agent.kind)?;
    if heard.iter().any(Result::is_ok) {
        return Ok(());
    }
    let failures = heard.iter().filter_map(|probed| probed.as_ref().err());
    let mut telling = failures.filter(|failure| failure.kind != FailureKind::Unsupported);
    match telling.next() {
        Some(failure) => Err(failure.clone()),
        None => agents
            .find_agent(&seat.agent.kind)
            .and_then(|agent| agent.probe_seat(seat))
            .map(drop),
    }
}

fn open_backend(
    listed: ListedBackend,
    hello: &Hello,
    seats: &[Seat],
) -> Result<SessionBackend, String> {
    let mut opened =
        SessionBackend::open(listed.backend, hello.clone()).map_err(|e| e.to_string())?;
    for seat in seats {
        let probe = Message::Probe { seat: seat.clone() };
        opened.send(probe).map_err(|e| e.to_string())?;
    }
    Ok(opened)
}

/// Listens until the backend has answered for every seat.
fn collect_probes(
    opened: &SessionBackend,
    hello: &Hello,
    seats: usize,
    until: Instant,
) -> Result<BTreeMap<JudgeId, ProbeResult>, String> {
    let (mut heard, mut open) = (BTreeMap::new(), false);
    while !open || heard.len() < seats {
        let left = until.saturating_duration_since(Instant::now());
        match opened.next_event(left) {
            Some(Event::Opened { protocol }) if hello.protocols.contains(&protocol) => open = true,
            Some(Event::Opened { protocol }) => {
                return Err(format!(
                    "it chose protocol {protocol}, which was not offered"
                ));
            }
            Some(Event::Probed {
                judge,
                capabilities,
                ..
            }) => drop(heard.insert(judge, Ok(capabilities))),
            Some(Event::Failed {
                judge,
                turn: None,
                failure,
            }) => drop(heard.insert(judge, Err(failure))),
            Some(Event::Error { message }) => return Err(message),
            Some(Event::Closed) => return Err("it closed while it was opened".to_owned()),
            Some(_) => {}
            None if open => return Ok(heard),
            None => return Err("it did not open in time".to_owned()),
        }
    }
    Ok(heard)
}

/// granted = backend ∩ agent ∩ probe. An agent that only the backend knows is what the probe says of it.
fn grant_seats(
    opened: &SessionBackend,
    mut heard: BTreeMap<JudgeId, ProbeResult>,
    seats: &[Seat],
    agents: &AgentTable,
) -> Vec<(JudgeId, ProbeResult)> {
    let backend = &opened.manifest().capabilities;
    let seat = |seat: &Seat| {
        let late = || {
            Err(Failure::new(
                FailureKind::Timeout,
                "the probe was not answered in time",
            ))
        };
        let probed = heard.remove(&seat.judge).unwrap_or_else(late);
        let granted = probed.map(|probe| {
            let agent = agents
                .find_agent(&seat.agent.kind)
                .map(|agent| agent.capabilities());
            grant(backend, &agent.unwrap_or_else(|_| probe.clone()), &probe)
        });
        (seat.judge.clone(), granted)
    };
    seats.iter().map(seat).collect()
}

#[cfg(test)]
#[path = "survey_tests.rs"]
mod tests;
