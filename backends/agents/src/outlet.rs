//! The way out of a backend.

use std::sync::{Arc, Mutex, PoisonError};

use council_protocol::{Event, Sink};

/// A sink that falls silent after `closed`: whatever a detached thread still has to say is dropped.
#[derive(Clone)]
pub struct EventOutlet(Arc<Mutex<Option<Sink>>>);

impl EventOutlet {
    /// An open outlet.
    pub fn new(sink: Sink) -> Self {
        Self(Arc::new(Mutex::new(Some(sink))))
    }

    /// Passes an event on, unless it is closed.
    pub fn emit(&self, event: Event) {
        if let Some(sink) = &*self.lock() {
            sink(event);
        }
    }

    /// Says `closed`, once, and nothing any more.
    pub fn close(&self) {
        if let Some(sink) = self.lock().take() {
            sink(Event::Closed);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Sink>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
