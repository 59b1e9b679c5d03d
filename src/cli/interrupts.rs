//! The last resort of Ctrl-C: whatever the process is busy with, a second one ends it.

use std::sync::Once;
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::report::exit;

/// How long a session has after the second one to end its judges and to say so.
const ORDERLY_END: Duration = Duration::from_secs(5);

/// From now on a second Ctrl-C or SIGTERM ends the process, after a few seconds for those that end in good order; a third one
/// ends it at once.
pub(super) fn end_at_the_second() {
    static ARMED: Once = Once::new();
    ARMED.call_once(|| {
        // Without a thread the session alone hears signals, as it does anyway.
        let _ = thread::Builder::new()
            .name("last-resort".to_owned())
            .spawn(|| drop(wait_and_end()));
    });
}

fn wait_and_end() -> std::io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut interrupts = signal(SignalKind::interrupt())?;
        let mut endings = signal(SignalKind::terminate())?;
        for count in 1.. {
            let next = async {
                tokio::select! {
                    _ = interrupts.recv() => {}
                    _ = endings.recv() => {}
                }
            };
            // The second one is heard in the session, too.
            let limit = if count > 2 {
                ORDERLY_END
            } else {
                Duration::MAX
            };
            let is_over = tokio::time::timeout(limit, next).await.is_err();
            if is_over || count > 2 {
                // What would end the program in good order is busy elsewhere.
                #[allow(clippy::exit)]
                std::process::exit(i32::from(exit::INTERRUPTED));
            }
        }
        Ok(())
    })
}
