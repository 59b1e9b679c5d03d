//! The last resort of Ctrl-C and SIGTERM: whatever the process is busy with, they end it.

use std::sync::Once;
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::timeout;

use crate::report::exit;
use crate::session::is_heard;

/// How long a session has after the second one to end its judges and to say so.
const ORDERLY_END: Duration = Duration::from_secs(5);

/// How long whoever can end the run may take to hear of the first one: `timeout` sends no second one.
const HEARING: Duration = Duration::from_secs(2);

/// From now on Ctrl-C and SIGTERM end the process: the first one where no session hears it, since none is held or the process
/// is busy elsewhere; the second one after a few seconds for those that end in good order; the third one at once.
pub(super) fn end_when_unheard() {
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
        let mut signals = [
            signal(SignalKind::interrupt())?,
            signal(SignalKind::terminate())?,
        ];
        next_of(&mut signals).await;
        if timeout(HEARING, next_of(&mut signals)).await.is_err() {
            if !is_heard() {
                end_process();
            }
            next_of(&mut signals).await;
        }
        // The second one is heard in the session, too.
        let _ = timeout(ORDERLY_END, next_of(&mut signals)).await;
        end_process()
    })
}

async fn next_of([interrupts, endings]: &mut [Signal; 2]) {
    tokio::select! {
        _ = interrupts.recv() => {}
        _ = endings.recv() => {}
    }
}

/// What would end the program in good order is busy elsewhere.
#[allow(clippy::exit)]
fn end_process() -> ! {
    council_agents::private::remove_own();
    std::process::exit(i32::from(exit::INTERRUPTED))
}
