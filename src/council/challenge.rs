//! Challenges: each has an id, each is answered, or asked again once and then recorded as evaded.

use council_protocol::answer::ChallengeAnswer;
use council_protocol::task::PutChallenge;
use council_protocol::{Answer, Failure, FailureKind};

use super::anonymity;
use super::judges::SeatIndex;
use super::outcome::ChallengeRecord;
use super::plan::Procedure;
use super::state::DebateState;

/// Challenges of one judge in one round that are kept; two are asked for.
const MAX_CHALLENGES: usize = 6;

/// How often one is put to its judge in a stage.
const MAX_ASKED: u32 = 2;

/// Whether a role is meant, however its words are put together: `Domain Expert`, `domain-expert`.
pub(super) fn is_role(role: &str, name: &str) -> bool {
    let letters = |text: &str| -> String {
        text.chars()
            .filter(|c| c.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let wanted = letters(name);
    !wanted.is_empty() && letters(role) == wanted
}

impl DebateState {
    /// Whom `seat` means by a name: a role where roles are named, else a label of the exchange.
    pub(super) fn find_addressee(&self, seat: SeatIndex, name: &str) -> Option<SeatIndex> {
        let name = name.trim();
        let others = self
            .judges
            .counted_seats()
            .into_iter()
            .filter(|&other| other != seat);
        // Rules answer nothing: a challenge to one would stand as evaded.
        let is_named = |&other: &SeatIndex| {
            self.judges[other].debates && is_role(self.judges[other].role(), name)
        };
        let by_role = others
            .into_iter()
            .find(is_named)
            .filter(|_| !self.is_anonymous());
        by_role.or_else(|| {
            let order = self.judges[seat].peers.values().next_back()?;
            anonymity::seat_by_label(order, name).filter(|&other| self.judges[other].debates)
        })
    }

    /// Whether judges know each other by labels only.
    fn is_anonymous(&self) -> bool {
        self.plan.procedure != Procedure::CrossExamination
    }

    /// What `viewer` calls another judge.
    fn name_for(&self, viewer: SeatIndex, other: SeatIndex) -> String {
        if !self.is_anonymous() {
            return self.judges[other].role().to_owned();
        }
        let order = self.judges[viewer].peers.values().next_back();
        let place = order.and_then(|order| order.iter().position(|&seat| seat == other));
        place.map_or_else(|| "another judge".to_owned(), anonymity::peer_label)
    }

    /// Notes the challenges of an answer under ids of their own. One without a question asks nothing.
    pub(super) fn note_challenges(&mut self, from: SeatIndex, answer: &Answer) {
        for challenge in &answer.challenges {
            let text = format!("{}{}", challenge.claim, challenge.question);
            if let Some(to) = self
                .find_addressee(from, &challenge.to)
                .filter(|_| !text.trim().is_empty())
            {
                self.add_challenge(from, to, &challenge.claim, &challenge.question);
            }
        }
    }

    /// Notes one challenge, unless its maker has used up its share of the round.
    pub(super) fn add_challenge(
        &mut self,
        from: SeatIndex,
        to: SeatIndex,
        claim: &str,
        question: &str,
    ) {
        let maker = self.judges[from].id().clone();
        let made = self
            .challenges
            .iter()
            .filter(|c| c.round == self.begun && c.from == maker);
        if made.count() >= MAX_CHALLENGES {
            return self.add_note(format!("{maker} made more than {MAX_CHALLENGES} challenges in a round; the rest is left out"));
        }
        self.challenges.push(ChallengeRecord {
            id: format!("C{}", self.challenges.len() + 1),
            round: self.begun,
            from: maker,
            to: self.judges[to].id().clone(),
            claim: claim.trim().to_owned(),
            question: question.trim().to_owned(),
            answer: None,
            evaded: false,
            asked: 0,
        });
    }

    /// Notes what a judge answers. An empty answer answers nothing; nor does a second one.
    pub(super) fn note_challenge_answers(&mut self, seat: SeatIndex, answers: &[ChallengeAnswer]) {
        let judge = self.judges[seat].id().clone();
        for given in answers.iter().filter(|a| !a.response.trim().is_empty()) {
            let is_meant = |c: &&mut ChallengeRecord| {
                c.to == judge && c.id.eq_ignore_ascii_case(given.challenge.trim())
            };
            let open = self.challenges.iter_mut().find(is_meant);
            if let Some(challenge) = open.filter(|c| c.answer.is_none()) {
                challenge.answer = Some(given.response.clone());
                challenge.evaded = false;
            }
        }
    }

    /// The challenges to a judge that are neither answered nor given up, and that `wanted` picks.
    pub(super) fn open_challenges(
        &self,
        seat: SeatIndex,
        wanted: impl Fn(&ChallengeRecord) -> bool,
    ) -> Vec<PutChallenge> {
        let judge = self.judges[seat].id();
        let open = self
            .challenges
            .iter()
            .filter(|c| c.to == *judge && c.answer.is_none() && !c.evaded);
        open.filter(|c| wanted(c))
            .map(|c| self.told_challenge(seat, c))
            .collect()
    }

    /// The same for a turn in which they are put to the judge: that is counted.
    pub(super) fn put_challenges(
        &mut self,
        seat: SeatIndex,
        wanted: impl Fn(&ChallengeRecord) -> bool,
    ) -> Vec<PutChallenge> {
        let put = self.open_challenges(seat, wanted);
        let is_put = |c: &&mut ChallengeRecord| put.iter().any(|p| p.id == c.id);
        self.challenges
            .iter_mut()
            .filter(is_put)
            .for_each(|c| c.asked += 1);
        put
    }

    /// Gives up the challenges that were put twice and are still unanswered.
    pub(super) fn give_up_unanswered(&mut self) {
        let is_given_up = |c: &&mut ChallengeRecord| c.answer.is_none() && c.asked >= MAX_ASKED;
        self.challenges
            .iter_mut()
            .filter(is_given_up)
            .for_each(|c| c.evaded = true);
    }

    fn told_challenge(&self, viewer: SeatIndex, challenge: &ChallengeRecord) -> PutChallenge {
        let names = if self.is_anonymous() {
            anonymity::judge_names(&self.judges)
        } else {
            Vec::new()
        };
        let from = self
            .judges
            .seat_of(&challenge.from)
            .map(|from| self.name_for(viewer, from));
        PutChallenge {
            id: challenge.id.clone(),
            from: from.unwrap_or_default(),
            claim: anonymity::scrub_names(&challenge.claim, &names),
            question: anonymity::scrub_names(&challenge.question, &names),
        }
    }

    /// One voice: who answers a challenge that was put to another speaks for that one.
    pub(super) fn check_voice(&self, seat: SeatIndex, answer: &Answer) -> Result<(), Failure> {
        let own = self.judges[seat].id();
        for given in &answer.answers {
            let id = given.challenge.trim();
            let put = self
                .challenges
                .iter()
                .find(|c| c.id.eq_ignore_ascii_case(id));
            if let Some(other) = put.filter(|c| c.to != *own) {
                let detail = format!(
                    "the answer speaks for {}: {id} was put to that judge",
                    other.to
                );
                return Err(Failure::new(FailureKind::Violation, detail));
            }
        }
        Ok(())
    }
}
