//! Ctrl-C and SIGTERM, or whatever stands for them.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Where requests to end the run come from. The first ends it in good order, the second at once.
pub enum InterruptSource {
    /// Ctrl-C and SIGTERM of this process. From the first session on they do not end the process by themselves.
    Signals,
    Channel(UnboundedReceiver<()>),
}

/// Whether somebody who can end the run knows of an interrupt.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

/// Whether an interrupt of this process has reached somebody who ends the run for it. A session that is busy, or over, hears
/// none.
pub(crate) fn is_heard() -> bool {
    IS_HEARD.load(Ordering::SeqCst)
}

/// Called when signals do not end the process by themselves any more.
static WHEN_HELD: OnceLock<fn()> = OnceLock::new();

/// Says what to call when a session begins to listen to signals: whoever may exit sees to it that they still end a process
/// that is busy elsewhere.
pub(crate) fn call_when_held(act: fn()) {
    // There is one process, and one who says it.
    let _ = WHEN_HELD.set(act);
}

/// Interrupts that are being listened to.
pub(super) enum InterruptListener {
    #[cfg(unix)]
    Signals {
        interrupt: tokio::signal::unix::Signal,
        terminate: tokio::signal::unix::Signal,
    },
    #[cfg(not(unix))]
    Signals,
    Channel(UnboundedReceiver<()>),
}

/// Hears interrupts for several sessions that follow each other, and between them. It can be cloned: all clones hear
/// the same.
#[derive(Clone, Default)]
pub(crate) struct InterruptRelay(Arc<Mutex<HeardInterrupts>>);

/// What a relay has heard.
#[derive(Default)]
struct HeardInterrupts {
    count: usize,
    /// The session that is held now.
    session: Option<UnboundedSender<()>>,
}

impl InterruptRelay {
    /// Hears Ctrl-C and SIGTERM of this process from now on.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub(crate) fn listen_to_signals() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut listening = {
            let _inside = runtime.enter();
            InterruptSource::Signals.listen()?
        };
        let relay = Self::default();
        let heard = relay.clone();
        let forward = async move {
            loop {
                listening.receive().await;
                heard.note_interrupt();
            }
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(forward))?;
        Ok(relay)
    }

    /// Notes an interrupt, and tells the session that is held now.
    pub(crate) fn note_interrupt(&self) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.count += 1;
        if let Some(session) = &heard.session {
            // A session that is over needs to hear nothing.
            let _ = session.send(());
        }
    }

    /// Whether anything was heard so far.
    pub(crate) fn was_interrupted(&self) -> bool {
        let heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_interrupted = heard.count > 0;
        if is_interrupted {
            IS_HEARD.store(true, Ordering::SeqCst);
        }
        is_interrupted
    }

    /// What the next session hears: what came before it, too.
    pub(crate) fn source(&self) -> InterruptSource {
        let (sender, receiver) = unbounded_channel();
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for _ in 0..heard.count {
            let _ = sender.send(());
        }
        heard.session = Some(sender);
        InterruptSource::Channel(receiver)
    }
}

impl InterruptSource {
    /// Ctrl-C and SIGTERM of this process from now on, however long it takes until a session hears them.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn from_now_on() -> io::Result<Self> {
        Ok(InterruptRelay::listen_to_signals()?.source())
    }

    /// Begins to listen; needs a runtime.
    pub(super) fn listen(self) -> io::Result<InterruptListener> {
        match self {
            #[cfg(unix)]
            Self::Signals => {
                use tokio::signal::unix::{SignalKind, signal};
                if let Some(act) = WHEN_HELD.get() {
                    act();
                }
                Ok(InterruptListener::Signals {
                    interrupt: signal(SignalKind::interrupt())?,
                    terminate: signal(SignalKind::terminate())?,
                })
            }
            #[cfg(not(unix))]
            Self::Signals => Ok(InterruptListener::Signals),
            Self::Channel(receiver) => Ok(InterruptListener::Channel(receiver)),
        }
    }
}

impl InterruptListener {
    /// Waits for the next one, for somebody who ends the run for it; for ever when none can come.
    pub(super) async fn next(&mut self) {
        self.receive().await;
        IS_HEARD.store(true, Ordering::SeqCst);
    }

    async fn receive(&mut self) {
        let came = match self {
            #[cfg(unix)]
            Self::Signals {
                interrupt,
                terminate,
            } => tokio::select! {
                came = interrupt.recv() => came,
                came = terminate.recv() => came,
            },
            #[cfg(not(unix))]
            Self::Signals => tokio::signal::ctrl_c().await.ok(),
            Self::Channel(receiver) => receiver.recv().await,
        };
        if came.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(source: InterruptSource) -> usize {
        let InterruptSource::Channel(mut receiver) = source else {
            panic!("a relay gives a channel");
        };
        std::iter::from_fn(|| receiver.try_recv().ok()).count()
    }

    #[test]
    fn a_relay_tells_each_session_what_came_before_it_and_while_it_is_held() {
        let relay = InterruptRelay::default();
        let first = relay.source();
        assert!(!relay.was_interrupted());
        relay.note_interrupt();
        assert_eq!(heard(first), 1);
        assert!(relay.was_interrupted());
        // Between two sessions.
        relay.note_interrupt();
        let second = relay.source();
        relay.note_interrupt();
        assert_eq!(heard(second), 3);
    }
}
