//! What can be tried again, and when.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use council_protocol::Failure;

/// How often one model is asked for one turn.
pub(super) const MAX_ATTEMPTS: u32 = 5;

/// The first pause, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(400);
const MAX_PAUSE: Duration = Duration::from_secs(20);

/// Why there is no answer, and what may help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CallError {
    /// The same call may go through later.
    Again {
        failure: Box<Failure>,
        /// The provider's own word on when.
        after: Option<Duration>,
    },
    /// The call is not one that the server takes; without our schema it may be.
    Unfit {
        failure: Failure,
        /// What else the body of the refusal says.
        body: Box<str>,
    },
    /// This model will not answer; another may.
    Next(Failure),
    /// Nothing will help.
    Final(Failure),
}

impl CallError {
    pub(super) fn retryable(failure: Failure, after: Option<Duration>) -> Self {
        Self::Again {
            failure: Box::new(failure),
            after,
        }
    }
}

/// How long to wait before the attempt after the `done`th: twice as long each time, half of it at random, so that judges
/// who failed together do not come back together. The provider's word is obeyed, and never undercut.
pub(super) fn retry_pause(done: u32, after: Option<Duration>) -> Duration {
    let full = FIRST_PAUSE
        .saturating_mul(1 << done.saturating_sub(1).min(16))
        .min(MAX_PAUSE);
    let pause = full / 2 + full.mul_f64(random_fraction() / 2.0);
    match after {
        Some(after) => after + pause.min(FIRST_PAUSE).mul_f64(random_fraction()),
        None => pause,
    }
}

/// From 0 to 1.
fn random_fraction() -> f64 {
    // Every state of the standard library's hash maps has keys of its own.
    let bits = RandomState::new().build_hasher().finish();
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

/// `retry-after` in seconds. Its other form, a date, is not understood: clocks differ.
pub(super) fn retry_after(value: &str) -> Option<Duration> {
    let seconds: f64 = value.trim().parse().ok()?;
    (0.0..=86_400.0)
        .contains(&seconds)
        .then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_differ_and_never_undercut_the_provider() {
        for done in 1..40 {
            let pause = retry_pause(done, None);
            assert!(
                pause >= FIRST_PAUSE / 2 && pause <= MAX_PAUSE,
                "{done}: {pause:?}"
            );
        }
        assert!(retry_pause(4, None) > FIRST_PAUSE);
        let some: Vec<_> = (0..8).map(|_| retry_pause(3, None)).collect();
        assert!(some.iter().any(|p| *p != some[0]), "{some:?}");
        let told = Duration::from_secs(3);
        assert!((0..50).all(|_| (told..told + FIRST_PAUSE).contains(&retry_pause(5, Some(told)))));
    }

    #[test]
    fn a_date_or_nonsense_is_no_time_to_wait() {
        assert_eq!(retry_after(" 1.5 "), Some(Duration::from_millis(1500)));
        for none in [
            "",
            "-1",
            "soon",
            "Wed, 21 Oct 2026 07:28:00 GMT",
            "1e300",
            "NaN",
        ] {
            assert_eq!(retry_after(none), None, "{none}");
        }
    }
}
