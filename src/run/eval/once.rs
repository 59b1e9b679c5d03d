//! Warnings of many reviews of one council, each told once.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::run::context::Notifier;
use crate::session::ProgressObserver;

/// Tells each warning once: what is wrong with a council is wrong in each of its reviews.
pub(super) struct OnceNotifier {
    inner: Arc<dyn Notifier>,
    warned: Mutex<BTreeSet<String>>,
}

impl OnceNotifier {
    pub(super) fn new(inner: Arc<dyn Notifier>) -> Self {
        Self {
            inner,
            warned: Mutex::default(),
        }
    }
}

impl Notifier for OnceNotifier {
    fn warn(&self, message: &str) {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        if warned.insert(message.to_owned()) {
            self.inner.warn(message);
        }
    }

    fn log(&self, line: &str) {
        self.inner.log(line);
    }

    fn announce(&self, lines: &[String]) {
        self.inner.announce(lines);
    }

    fn print_line(&self, line: &str) {
        self.inner.print_line(line);
    }

    fn is_verbose(&self) -> bool {
        self.inner.is_verbose()
    }

    fn is_quiet(&self) -> bool {
        self.inner.is_quiet()
    }

    fn is_watched(&self) -> bool {
        self.inner.is_watched()
    }

    fn observer(&self) -> Option<ProgressObserver> {
        self.inner.observer()
    }
}
