//! Sees to it that a grace ends.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::chair::Chair;
use super::lane::thread;

/// Forces judges that have not ended in their grace: one thread for all of them, started with the first, ended with
/// this value.
#[derive(Default)]
pub(super) struct Undertaker(Option<Sender<Grace>>);

struct Grace {
    until: Instant,
    chair: Arc<Chair>,
}

impl Undertaker {
    /// Forces the judge of `chair` when `grace` has passed, unless it has ended by then. Without a thread to watch
    /// over it, it has no grace at all.
    pub(super) fn watch(&mut self, chair: Arc<Chair>, grace: Duration) {
        if chair.is_over() {
            return;
        }
        let grace = Grace {
            until: Instant::now() + grace,
            chair,
        };
        let unwatched = match self.giving() {
            Some(giving) => giving.send(grace).err().map(|error| error.0),
            None => Some(grace),
        };
        if let Some(grace) = unwatched {
            grace.chair.force();
        }
    }

    fn giving(&mut self) -> Option<&Sender<Grace>> {
        if self.0.is_none() {
            let (giving, taking) = channel();
            self.0 = thread("graces", move || watch_over(&taking))
                .ok()
                .map(|()| giving);
        }
        self.0.as_ref()
    }
}

fn watch_over(taking: &Receiver<Grace>) {
    let mut graces: Vec<Grace> = Vec::new();
    loop {
        let next = match graces.iter().map(|grace| grace.until).min() {
            Some(until) => taking.recv_timeout(until.saturating_duration_since(Instant::now())),
            None => taking.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match next {
            Ok(grace) => graces.push(grace),
            Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = Instant::now();
        let passed = graces.extract_if(.., |grace| grace.until <= now);
        passed.for_each(|grace| grace.chair.force());
    }
}
