//! Ctrl-C and SIGTERM, or whatever stands for them.

use std::io;
use std::thread;

use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Where requests to end the run come from. The first ends it in good order, the second at once.
pub enum InterruptSource {
    /// Ctrl-C and SIGTERM of this process. From the first session on they do not end the process by themselves.
    Signals,
    Channel(UnboundedReceiver<()>),
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

impl InterruptSource {
    /// Ctrl-C and SIGTERM of this process from now on, however long it takes until a session hears them.
    ///
    /// # Errors
    ///
    /// What the system says.
    pub fn from_now_on() -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let mut listening = {
            let _inside = runtime.enter();
            Self::Signals.listen()?
        };
        let (sender, receiver) = unbounded_channel();
        let forward = async move {
            loop {
                listening.next().await;
                if sender.send(()).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(forward))?;
        Ok(Self::Channel(receiver))
    }

    /// Begins to listen; needs a runtime.
    pub(super) fn listen(self) -> io::Result<InterruptListener> {
        match self {
            #[cfg(unix)]
            Self::Signals => {
                use tokio::signal::unix::{SignalKind, signal};
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
    /// Waits for the next one; for ever when none can come.
    pub(super) async fn next(&mut self) {
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
