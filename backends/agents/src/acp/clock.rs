//! How long a turn of a session may take, and how long an agent that has answered is waited for.

use std::time::{Duration, Instant};

use council_protocol::Turn;

use crate::linger::quiet_time;

/// Beyond the time of a turn, in case nobody cancels it.
const TURN_SLACK: Duration = Duration::from_secs(10);

/// How long a cancelled turn has to end.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(3);

/// Until when a turn is waited for.
pub(super) struct TurnClock {
    /// In case nobody cancels the turn.
    pub(super) until: Instant,
    /// What is whole by then is taken, whatever the agent still does: the turn ends soon.
    pub(super) ready_by: Instant,
    /// How long an agent that has answered may be silent.
    pub(super) quiet: Duration,
}

impl TurnClock {
    pub(super) fn of_turn(turn: &Turn) -> Self {
        let (begun, time) = (Instant::now(), Duration::from_millis(turn.timeout_ms));
        Self {
            until: begun + time + TURN_SLACK,
            ready_by: begun + time * 9 / 10,
            quiet: quiet_time(time),
        }
    }

    /// The same for a turn that nobody wants an answer of.
    pub(super) fn of_cancelled() -> Self {
        let until = Instant::now() + CANCEL_TIMEOUT;
        Self {
            until,
            ready_by: until,
            quiet: CANCEL_TIMEOUT,
        }
    }
}
