//! A backend that is open, with what it has said so far.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use council_protocol::message::{Hello, Manifest};
use council_protocol::{Backend, BackendError, Event, Message, Request, Sink};

/// A backend that is open. Its events wait in a mailbox until a session takes them.
pub struct SessionBackend {
    manifest: Manifest,
    backend: Box<dyn Backend>,
    mailbox: Arc<EventMailbox>,
}

impl SessionBackend {
    /// Opens a backend. That it answered is up to the caller to see: the first event is `opened`.
    pub fn open(mut backend: Box<dyn Backend>, hello: Hello) -> Result<Self, BackendError> {
        let manifest = backend.manifest();
        let mailbox = Arc::new(EventMailbox::default());
        let sink = Arc::clone(&mailbox);
        backend.open(hello, Arc::new(move |event| sink.push_event(event)))?;
        Ok(Self {
            manifest,
            backend,
            mailbox,
        })
    }

    /// What the backend says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Sends a probe.
    pub fn send(&mut self, message: Message) -> Result<(), BackendError> {
        self.backend.send(message)
    }

    /// Makes a call.
    pub(super) fn make_call(&mut self, request: Request) -> Result<(), BackendError> {
        match request {
            Request::Spawn { spec } => self.backend.spawn(spec),
            Request::Send { message } => self.backend.send(message),
            Request::Cancel { judge } => self.backend.cancel(&judge),
            Request::Shutdown { judge, grace_ms } => self.backend.shutdown(&judge, grace_ms),
            Request::Close => self.backend.close(),
            // It is open, and its manifest is known.
            Request::Manifest | Request::Open { .. } => Ok(()),
        }
    }

    /// The next event, waiting for it at most `patience`.
    pub fn next_event(&self, patience: Duration) -> Option<Event> {
        self.mailbox.wait_next(patience)
    }

    /// Passes every event on to `sink`, first those that wait.
    pub fn attach_sink(&self, sink: Sink) {
        self.mailbox.attach_sink(sink);
    }
}

#[derive(Default)]
struct EventMailbox {
    state: Mutex<MailboxState>,
    filled: Condvar,
}

#[derive(Default)]
struct MailboxState {
    waiting: VecDeque<Event>,
    reader: Option<Sink>,
}

impl EventMailbox {
    fn push_event(&self, event: Event) {
        let mut state = self.lock();
        match &state.reader {
            // Under the lock, so that the order of events is kept while a reader is attached.
            Some(reader) => reader(event),
            None => {
                state.waiting.push_back(event);
                self.filled.notify_one();
            }
        }
    }

    fn wait_next(&self, patience: Duration) -> Option<Event> {
        let empty = |state: &mut MailboxState| state.waiting.is_empty();
        let waited = self
            .filled
            .wait_timeout_while(self.lock(), patience, empty)
            .unwrap_or_else(PoisonError::into_inner);
        let (mut state, _) = waited;
        state.waiting.pop_front()
    }

    fn attach_sink(&self, sink: Sink) {
        let mut state = self.lock();
        state.waiting.drain(..).for_each(|event| sink(event));
        state.reader = Some(sink);
    }

    fn lock(&self) -> MutexGuard<'_, MailboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_waits_comes_before_what_follows() {
        let mailbox = EventMailbox::default();
        mailbox.push_event(Event::Opened { protocol: 1 });
        mailbox.push_event(Event::Closed);
        let opened = mailbox.wait_next(Duration::ZERO);
        assert_eq!(opened, Some(Event::Opened { protocol: 1 }));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&seen);
        mailbox.attach_sink(Arc::new(move |event| sink.lock().unwrap().push(event)));
        mailbox.push_event(Event::Unknown);
        assert_eq!(*seen.lock().unwrap(), [Event::Closed, Event::Unknown]);
        assert_eq!(mailbox.wait_next(Duration::from_millis(1)), None);
    }
}
