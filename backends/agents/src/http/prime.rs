//! Cache priming: the first judge's answer begins before the others ask, so that the provider has the brief by then.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// A smaller brief is not worth a wait: the largest minimum of a provider's cache is 4,096 tokens.
pub(super) const MIN_BRIEF_BYTES: usize = 16 << 10;

/// The longest wait for the first one, whatever time a judge has.
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Who goes first, for every brief and model.
#[derive(Debug, Default)]
pub(super) struct CachePrimer(Mutex<HashMap<u64, watch::Sender<bool>>>);

/// The first one's: the others go when its answer begins, or when it is dropped.
#[derive(Debug)]
pub(super) struct PrimerLead(watch::Sender<bool>);

impl PrimerLead {
    /// The answer begins, or will not.
    pub(super) fn release_others(&self) {
        self.0.send_replace(true);
    }
}

impl Drop for PrimerLead {
    fn drop(&mut self) {
        self.release_others();
    }
}

/// What a judge has to do before it asks.
#[derive(Debug)]
pub(super) enum PrimerTurn {
    First(PrimerLead),
    /// Wait for the first, or go: it is done.
    After(watch::Receiver<bool>),
}

impl CachePrimer {
    /// Takes a place in the queue of a brief at a model of a host.
    pub(super) fn enter(&self, host: &str, model: &str, brief: &Arc<str>) -> PrimerTurn {
        let mut hasher = DefaultHasher::new();
        (host, model, brief).hash(&mut hasher);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = all.get(&hasher.finish()) {
            return PrimerTurn::After(first.subscribe());
        }
        let (sender, _) = watch::channel(false);
        all.insert(hasher.finish(), sender.clone());
        PrimerTurn::First(PrimerLead(sender))
    }
}

/// Waits until the first one is done, at most a tenth of the time that there is: what a cache saves is no reason to lose a
/// turn, and a server whose first event comes late would cost the others theirs.
pub(super) async fn wait_for_first(mut first: watch::Receiver<bool>, time: Duration) {
    let done = first.wait_for(|done| *done);
    let _ = tokio::time::timeout((time / 10).min(MAX_WAIT), done).await;
}
