//! What a plugin has to say beside its events.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How much a line of log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PluginLogLevel {
    /// Something failed, and the backend cannot go on as it should.
    Error,
    /// Something is odd.
    Warn,
    /// Something worth knowing happened.
    Info,
    /// For whoever looks for a fault.
    Debug,
}

impl PluginLogLevel {
    /// From the number on the C interface; what is unknown matters least.
    pub(crate) fn from_c(level: i32) -> Self {
        match level {
            council_abi::level::ERROR => Self::Error,
            council_abi::level::WARN => Self::Warn,
            council_abi::level::INFO => Self::Info,
            _ => Self::Debug,
        }
    }
}

/// The most bytes of log that one session may write.
const MAX_LOG_BYTES: usize = 256 * 1024;

/// Where the lines of one session go, up to a limit. They are untrusted text.
#[derive(Clone)]
pub struct PluginLog(Arc<LogInner>);

type WriteLine = dyn Fn(PluginLogLevel, &str) + Send + Sync;

struct LogInner {
    left: AtomicUsize,
    write: Box<WriteLine>,
}

impl PluginLog {
    /// Lines go to `write`, which is called from any thread and must not block.
    pub fn new(write: impl Fn(PluginLogLevel, &str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(LogInner {
            left: AtomicUsize::new(MAX_LOG_BYTES),
            write: Box::new(write),
        }))
    }

    /// Lines are dropped.
    pub fn none() -> Self {
        Self::new(|_, _| {})
    }

    /// Hands on one line, unless the limit is reached; says once that it is.
    pub(crate) fn write_line(&self, level: PluginLogLevel, text: &str) {
        let cost = text.len() + 1;
        let spend = |left: usize| (left > 0).then(|| left.saturating_sub(cost));
        match self
            .0
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, spend)
        {
            Ok(left) if left > cost => (self.0.write)(level, text),
            Ok(_) => (self.0.write)(
                PluginLogLevel::Warn,
                "the plugin's log is full; what follows is dropped",
            ),
            Err(_) => {}
        }
    }
}

impl fmt::Debug for PluginLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Log")
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn a_log_ends_with_one_word_about_it() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = lines.clone();
        let log = PluginLog::new(move |_, text| kept.lock().unwrap().push(text.len()));
        for _ in 0..1_000 {
            log.write_line(PluginLogLevel::Info, &"x".repeat(1_023));
        }
        let lines = lines.lock().unwrap();
        assert_eq!(lines.iter().filter(|len| **len == 1_023).count(), 255);
        assert_eq!(lines.len(), 256);
    }
}
