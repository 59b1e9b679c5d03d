//! The guard's own side: one loop that waits for a signal or the death pipe.

use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::disk;
#[cfg(target_os = "linux")]
use super::refusals::Refusals;
use super::sandbox::{self, HardBorders, SandboxFence};
use super::{DEATH_FD, tree};

/// How long the guard goes on killing what keeps forking.
const LAST_EFFORT: Duration = Duration::from_secs(10);

/// How often a tree behind borders is counted.
const CENSUS_PAUSE: Duration = Duration::from_millis(25);

/// How often its files are counted at most.
const FILES_PAUSE: Duration = Duration::from_millis(250);

static ASKED_TO_END: AtomicBool = AtomicBool::new(false);

/// Runs a program under guard until the whole tree is gone. Returns the program's exit code, `128 + signal` when a
/// signal ended it, 127 when it could not be started.
///
/// `args` is what follows the subcommand: `GRACE_MS [--read PATH]… [--write PATH]… [--borders …] -- PROGRAM ARGS…`.
pub fn run_guard(args: &[std::ffi::OsString]) -> u8 {
    let grace = args
        .first()
        .and_then(|ms| ms.to_str()?.parse().ok())
        .map(Duration::from_millis);
    let middle = args.iter().position(|arg| arg == "--").unwrap_or(0);
    let (Some(grace), Some([program, rest @ ..]), Ok(mut fence)) = (
        grace,
        args.get(middle + 1..),
        SandboxFence::parse_arguments(args.get(1..middle).unwrap_or_default()),
    ) else {
        return 2;
    };
    close_inherited();
    let borders = fence.as_ref().and_then(|fence| fence.borders);
    let writable = fence
        .as_ref()
        .map_or_else(Vec::new, |fence| fence.write.clone());
    let refused = fence.as_ref().and_then(|fence| fence.refused.clone());
    let mut refusals = match fence.as_mut().map(close_borders).transpose() {
        Ok(closed) => closed.flatten(),
        Err(error) => return could_not_start(program, &error),
    };
    // Who counts processes reads what the fence keeps from them: behind borders only the program itself is enclosed.
    let (own, inner) = match borders {
        Some(_) => (None, fence),
        None => (fence, None),
    };
    if let Some(Err(error)) = own.as_ref().map(sandbox::enclose) {
        return could_not_start(program, &error);
    }
    install_handlers();
    let mut command = Command::new(program);
    command.args(rest);
    die_with_us(&mut command, borders, inner);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return could_not_start(program, &error),
    };
    let census = borders.map(|borders| Census {
        borders,
        writable,
        next_files: Instant::now() + FILES_PAUSE,
    });
    let code = wait_for_end(&mut child, grace, census, &mut refusals);
    end_all(&child, Duration::ZERO);
    if let (Some(refusals), Some(path)) = (refusals, refused) {
        // Without it the words of the program are all that is known.
        let _ = refusals.write(&path);
    }
    code
}

/// Puts this process and all that it starts into namespaces of their own, as far as the fence asks for it.
#[cfg(target_os = "linux")]
fn close_borders(fence: &mut SandboxFence) -> Result<Option<Refusals>, String> {
    if let Some(borders) = fence.borders {
        return super::borders::close(borders, fence).map(Some);
    }
    let has_own_view = super::borders::keep_attributes(&fence.write, &fence.private)?;
    if !has_own_view {
        fence.private.clear();
    }
    Ok(None)
}

/// There is nothing here that could hold it.
#[cfg(not(target_os = "linux"))]
fn close_borders(fence: &mut SandboxFence) -> Result<Option<Refusals>, String> {
    match fence.borders {
        Some(_) => Err("this operating system has no namespaces that we use".to_owned()),
        None => Ok(None),
    }
}

/// Nothing is refused where there are no borders.
#[cfg(not(target_os = "linux"))]
struct Refusals;

#[cfg(not(target_os = "linux"))]
impl Refusals {
    fn descriptor(&self) -> Option<i32> {
        None
    }

    fn answer(&mut self) {}

    fn write(self, _: &std::path::Path) -> std::io::Result<()> {
        Ok(())
    }
}

/// What a tree behind borders may have.
struct Census {
    borders: HardBorders,
    /// The folders that it may write to.
    writable: Vec<PathBuf>,
    /// When its files are counted next, which takes long where there are many.
    next_files: Instant,
}

impl Census {
    /// Whether a tree is to be ended: it has too many processes, too much memory, or has written too much.
    fn is_exceeded(&mut self, own: i32, child: &Child) -> bool {
        let below = tree::below(own, child.id());
        let processes = u64::try_from(below.len()).unwrap_or(u64::MAX);
        processes > self.borders.max_processes
            || tree::have_more_memory(&below, self.borders.max_memory)
            || self.has_written_too_much(&below)
    }

    fn has_written_too_much(&mut self, below: &[i32]) -> bool {
        let began = Instant::now();
        if began < self.next_files {
            return false;
        }
        let written = disk::have_written_more(&self.writable, below, disk::MAX_WRITTEN_BYTES);
        // At most a tenth of the time goes into counting.
        self.next_files = Instant::now() + FILES_PAUSE.max(began.elapsed() * 10);
        written
    }
}

/// The one thing the guard ever says, on the program's own standard error.
fn could_not_start(program: &std::ffi::OsStr, error: &impl std::fmt::Display) -> u8 {
    use std::io::Write as _;
    let _ = writeln!(
        std::io::stderr(),
        "cannot start {}: {error}",
        program.display()
    );
    127
}

/// Waits until the program ends, or ends it when we are asked to.
fn wait_for_end(
    child: &mut Child,
    grace: Duration,
    mut census: Option<Census>,
    refusals: &mut Option<Refusals>,
) -> u8 {
    let pause = census.as_ref().map(|_| CENSUS_PAUSE);
    let asks = refusals.as_ref().and_then(Refusals::descriptor);
    loop {
        if let Some(refusals) = refusals {
            refusals.answer();
        }
        if let Ok(Some(status)) = child.try_wait() {
            let signal = status.signal().map(|s| 128 + s);
            return u8::try_from(status.code().or(signal).unwrap_or(1)).unwrap_or(1);
        }
        reap_orphans(child);
        // Nothing but a count keeps the superuser's processes from filling the machine.
        if let Some(census) = &mut census
            && census.is_exceeded(own_pid(), child)
        {
            // It is the first process of its namespace: with it the kernel ends all others at once.
            let _ = child.kill();
            end_all(child, Duration::ZERO);
            return 137;
        }
        if sleep_until_signal_or_death(pause, true, asks) || ASKED_TO_END.load(Ordering::Relaxed) {
            end_all(child, grace);
            return child
                .try_wait()
                .ok()
                .flatten()
                .and_then(|s| s.code())
                .map_or(137, |c| u8::try_from(c).unwrap_or(1));
        }
    }
}

/// Ends everything below us: SIGTERM and the grace, then SIGKILL until nothing is left.
fn end_all(child: &Child, grace: Duration) {
    let own = own_pid();
    let began = Instant::now();
    let mut asked = Vec::new();
    loop {
        reap_all();
        let left = tree::below(own, child.id());
        let spent = began.elapsed();
        if left.is_empty() || spent > grace + LAST_EFFORT {
            return;
        }
        if spent < grace {
            let new: Vec<i32> = left
                .into_iter()
                .filter(|pid| !asked.contains(pid))
                .collect();
            tree::send_signal(&new, libc::SIGTERM);
            asked.extend(new);
        } else {
            tree::send_signal(&left, libc::SIGKILL);
        }
        // SIGCHLD ends the pause; a grandchild that is not ours to reap is looked at again after it.
        sleep_until_signal_or_death(Some(Duration::from_millis(20)), false, None);
    }
}

/// Closes every descriptor above the death pipe: what we inherited from whoever started us is nothing for an agent.
fn close_inherited() {
    let first = DEATH_FD + 1;
    #[expect(
        unsafe_code,
        reason = "there is no safe way to close a descriptor that nobody owns"
    )]
    // SAFETY: the guard has just begun and has opened nothing itself, so no descriptor above its four is in use here.
    unsafe {
        #[cfg(target_os = "linux")]
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) == 0 {
            return;
        }
        for fd in first..1024 {
            libc::close(fd);
        }
    }
}

/// Subreaper, signal handlers, and the signals blocked everywhere but in the one wait.
fn install_handlers() {
    #[expect(
        unsafe_code,
        reason = "prctl and the signal calls have no safe wrapper here"
    )]
    // SAFETY: the guard is single-threaded; every structure is zeroed or filled before use and lives on this stack;
    // the handlers only store to an atomic, which is async-signal-safe.
    unsafe {
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        libc::fcntl(DEATH_FD, libc::F_SETFD, libc::FD_CLOEXEC);
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in [libc::SIGCHLD, libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = if signal == libc::SIGCHLD {
                on_child as *const () as usize
            } else {
                on_end as *const () as usize
            };
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
            libc::sigaddset(&raw mut set, signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
    }
}

extern "C" fn on_child(_: libc::c_int) {}

/// Hides the memory and the environment of this process from other programs of the same user: a judge that may run commands
/// would find our keys under `/proc`. What is started from here is not hidden; it has an environment of its own.
pub fn hide_from_others() {
    #[cfg(target_os = "linux")]
    {
        #[expect(unsafe_code, reason = "prctl has no safe wrapper here")]
        // SAFETY: this option takes numbers and touches no memory.
        unsafe {
            libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
        }
    }
}

/// Makes a write beyond `ulimit -f` fail with `EFBIG` in this process; by default the system ends it with SIGXFSZ. A
/// handler that does nothing, for what a process ignores its children ignore too, but no handler outlives an `exec`.
pub fn keep_file_size_an_error() {
    #[expect(
        unsafe_code,
        reason = "the signal calls have no safe wrapper here, and the runtime's needs descriptors"
    )]
    // SAFETY: the structure is zeroed before use and lives on this stack; the handler does nothing at all.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_child as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigaction(libc::SIGXFSZ, &raw const action, std::ptr::null_mut());
    }
}

extern "C" fn on_end(_: libc::c_int) {
    ASKED_TO_END.store(true, Ordering::Relaxed);
}

/// Waits for a signal, for `limit`, for a call that asks for its answer, or for the death pipe, where that is watched.
/// Returns whether the pipe is closed.
fn sleep_until_signal_or_death(limit: Option<Duration>, watched: bool, asks: Option<i32>) -> bool {
    #[expect(
        unsafe_code,
        reason = "pselect is the one call that waits for a signal and a descriptor without a race"
    )]
    // SAFETY: the sets and the time live on this stack for the call; DEATH_FD is below FD_SETSIZE.
    unsafe {
        let mut set: libc::fd_set = std::mem::zeroed();
        // Once asked to end, the pipe has nothing more to say and would end every pause at once.
        if watched {
            libc::FD_SET(DEATH_FD, &raw mut set);
        }
        if let Some(asks) = asks {
            libc::FD_SET(asks, &raw mut set);
        }
        let mut nothing_blocked: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut nothing_blocked);
        let time = limit.map(|l| libc::timespec {
            tv_sec: 0,
            tv_nsec: l.subsec_nanos().into(),
        });
        let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        let ready = libc::pselect(
            DEATH_FD.max(asks.unwrap_or(0)) + 1,
            &raw mut set,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            time,
            &raw const nothing_blocked,
        );
        watched && ready > 0 && libc::FD_ISSET(DEATH_FD, &raw const set)
    }
}

/// The program is ended by the kernel when the guard itself is killed.
fn die_with_us(command: &mut Command, borders: Option<HardBorders>, fence: Option<SandboxFence>) {
    #[expect(
        unsafe_code,
        reason = "the parent-death signal can only be set between fork and exec"
    )]
    // SAFETY: the guard has one thread, so that the child may also allocate, as enclosing does. prctl, setrlimit and
    // sigprocmask are async-signal-safe and touch nothing but the child's own state and this stack.
    unsafe {
        command.pre_exec(move || {
            #[cfg(target_os = "linux")]
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL, 0, 0, 0);
            let mut none: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut none);
            libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
            #[cfg(target_os = "linux")]
            if let Some(borders) = borders {
                super::borders::confine(borders)?;
            }
            #[cfg(not(target_os = "linux"))]
            let _ = borders;
            if let Some(fence) = &fence {
                #[cfg(target_os = "linux")]
                if let Some(copy) = &fence.copy {
                    super::borders::put_copy(copy)?;
                }
                sandbox::enclose(fence).map_err(std::io::Error::other)?;
            }
            Ok(())
        });
    }
    command.process_group(0);
}

/// Reaps orphans that fell to us, but never the program itself, whose status `Child` must see.
fn reap_orphans(child: &Child) {
    let own = i32::try_from(child.id()).unwrap_or(0);
    #[expect(unsafe_code, reason = "waitid with WNOWAIT has no safe wrapper here")]
    // SAFETY: the structure is zeroed, lives on this stack, and is only read after a successful call.
    unsafe {
        loop {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let flags = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
            if libc::waitid(libc::P_ALL, 0, &raw mut info, flags) != 0
                || info.si_pid() == 0
                || info.si_pid() == own
            {
                return;
            }
            libc::waitpid(info.si_pid(), std::ptr::null_mut(), libc::WNOHANG);
        }
    }
}

fn reap_all() {
    #[expect(unsafe_code, reason = "waitpid for any child has no safe wrapper")]
    // SAFETY: no status is asked for, so nothing is written.
    unsafe {
        while libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) > 0 {}
    }
}

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap_or(i32::MAX)
}
