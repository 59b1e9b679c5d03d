//! Whether the machine is quiet enough for a review in the background: its load, and whether a battery is being emptied.

use std::fs;
use std::path::Path;
use std::time::Duration;

use council_protocol::Seat;
use council_protocol::seat::AgentKind;

use crate::config::Config;
use crate::run::seats::SeatPlanner;

/// When the machine is too busy.
pub(crate) struct LoadLimits {
    /// In percent of the processors.
    pub(crate) load: u64,
    /// Whether a battery is no reason.
    pub(crate) battery: bool,
    /// Whether there is anything to wait for: built-in judges take a moment, and wait for nothing.
    pub(crate) is_heavy: bool,
    /// How long a review waits for a quiet machine before it is given up.
    pub(crate) max_wait: Duration,
}

/// How long a review waits for a quiet machine before it is given up.
const MAX_WAIT: Duration = Duration::from_secs(600);

/// When the machine is too busy for the judges that this configuration seats.
pub(crate) fn load_limits(config: &Config) -> LoadLimits {
    let seats = SeatPlanner {
        config,
        deep: false,
    }
    .plan_seats();
    let is_ruled = |seat: &Seat| matches!(seat.agent.kind, AgentKind::Builtin { .. });
    let background = &config.settings.background;
    LoadLimits {
        load: background.load,
        battery: background.battery,
        // Who cannot sit is told by the review itself.
        is_heavy: seats.is_ok_and(|seats| !seats.iter().all(is_ruled)),
        max_wait: MAX_WAIT,
    }
}

impl LoadLimits {
    /// Nothing is waited for.
    pub(crate) const NONE: Self = Self {
        load: u64::MAX,
        battery: true,
        is_heavy: false,
        max_wait: Duration::ZERO,
    };

    /// Why a review has to wait, if it has to.
    pub(super) fn busy_reason(&self) -> Option<String> {
        if !self.is_heavy {
            return None;
        }
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        if let Some(load) = excess_load(&text, processors, self.load) {
            return Some(load);
        }
        (!self.battery && on_battery(Path::new("/sys/class/power_supply")))
            .then(|| "on battery".to_owned())
    }
}

/// The load of the last minute, where it is above the limit.
fn excess_load(loadavg: &str, processors: usize, limit: u64) -> Option<String> {
    let load: f64 = loadavg.split_whitespace().next()?.parse().ok()?;
    let percent = load * 100.0 / processors as f64;
    (percent > limit as f64).then(|| format!("the load is {load} on {processors} processors"))
}

/// Whether a battery is being emptied.
fn on_battery(supplies: &Path) -> bool {
    let supplies = fs::read_dir(supplies).into_iter().flatten().flatten();
    let mut read =
        supplies.map(|supply| fs::read_to_string(supply.path().join("status")).unwrap_or_default());
    read.any(|status| status.trim() == "Discharging")
}

/// A machine that is never quiet enough.
#[cfg(test)]
pub(super) const BUSY: LoadLimits = LoadLimits {
    load: 0,
    battery: true,
    is_heavy: true,
    max_wait: Duration::ZERO,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judges_that_cost_nothing_wait_for_nothing() {
        let limits = LoadLimits {
            is_heavy: false,
            ..BUSY
        };
        assert_eq!(limits.busy_reason(), None);
        assert!(BUSY.busy_reason().is_some());
    }

    #[test]
    fn load_is_measured_against_the_processors() {
        assert_eq!(excess_load("0.50 1 1 1/2 3", 2, 100), None);
        assert!(excess_load("2.10 1 1 1/2 3", 2, 100).is_some());
        assert_eq!(excess_load("2.10 1 1 1/2 3", 4, 100), None);
        assert_eq!(excess_load("", 4, 100), None);
    }

    #[test]
    fn a_battery_counts_while_it_is_emptied() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!on_battery(dir.path()) && !on_battery(&dir.path().join("none")));
        fs::create_dir(dir.path().join("BAT0")).unwrap();
        fs::write(dir.path().join("BAT0/status"), "Charging\n").unwrap();
        assert!(!on_battery(dir.path()));
        fs::write(dir.path().join("BAT0/status"), "Discharging\n").unwrap();
        assert!(on_battery(dir.path()));
    }
}
