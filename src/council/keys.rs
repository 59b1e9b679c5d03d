//! One-time keys and shuffles, all drawn from the run's seed: same plan, same bytes.

use council_protocol::{JudgeId, RoundNumber, TurnId};
use sha2::{Digest, Sha256};

use super::plan::RunSeed;

/// The key that the answer to one turn must echo: 24 hex digits that nobody outside the run can know.
pub(super) fn turn_key(
    seed: &RunSeed,
    judge: &JudgeId,
    round: RoundNumber,
    turn: TurnId,
) -> String {
    let parts = [judge.as_str(), &round.to_string(), &turn.0.to_string()];
    hex::encode(&seed_digest(seed, "key", &parts)[..12])
}

/// A digest of the seed for one purpose. Every part is preceded by its length, so that no two lists of parts collide.
fn seed_digest(seed: &RunSeed, purpose: &str, parts: &[&str]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for part in [seed.0.as_str(), purpose].iter().chain(parts) {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().into()
}

/// A stream of numbers that depends on the seed and a purpose alone.
pub(super) struct SeededRandom {
    state: [u8; 32],
}

impl SeededRandom {
    /// The stream of one purpose, e.g. the order in which one judge sees its peers.
    pub(super) fn new(seed: &RunSeed, purpose: &str, parts: &[&str]) -> Self {
        Self {
            state: seed_digest(seed, purpose, parts),
        }
    }

    /// The next number below `bound`; 0 when `bound` is 0.
    pub(super) fn next_below(&mut self, bound: usize) -> usize {
        let mut word = [0; 8];
        word.copy_from_slice(&self.state[..8]);
        self.state = Sha256::digest(self.state).into();
        // The bias of a 64-bit remainder over a handful of seats is far below anything that matters here.
        u64::from_le_bytes(word)
            .checked_rem(bound as u64)
            .map_or(0, |n| n as usize)
    }

    /// Every order is as likely as any other (Fisher–Yates).
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.next_below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed() -> RunSeed {
        RunSeed("5eed".into())
    }

    #[test]
    fn a_key_belongs_to_one_seat_one_round_and_one_turn() {
        let base = turn_key(&seed(), &"judge-1".into(), RoundNumber::FIRST, TurnId(1));
        assert_eq!(base.len(), 24);
        assert_eq!(
            base,
            turn_key(&seed(), &"judge-1".into(), RoundNumber::FIRST, TurnId(1))
        );
        for other in [
            turn_key(&seed(), &"judge-2".into(), RoundNumber::FIRST, TurnId(1)),
            turn_key(&seed(), &"judge-1".into(), RoundNumber(2), TurnId(1)),
            turn_key(&seed(), &"judge-1".into(), RoundNumber::FIRST, TurnId(2)),
            turn_key(
                &RunSeed("else".into()),
                &"judge-1".into(),
                RoundNumber::FIRST,
                TurnId(1),
            ),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn a_shuffle_is_a_permutation_and_repeats_itself() {
        let shuffled = |purpose: &str| {
            let mut items: Vec<usize> = (0..20).collect();
            SeededRandom::new(&seed(), purpose, &[]).shuffle(&mut items);
            items
        };
        assert_eq!(shuffled("a"), shuffled("a"));
        assert_ne!(shuffled("a"), shuffled("b"));
        let mut sorted = shuffled("a");
        sorted.sort_unstable();
        assert_eq!(sorted, (0..20).collect::<Vec<_>>());
    }
}
