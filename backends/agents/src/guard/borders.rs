//! What keeps code that nobody trusts from other processes, from sockets and from more than its share: namespaces, a
//! filter of system calls, and limits. What is in files is the sandbox's; who may open them and how old they are is
//! held here, for no sandbox of files (Landlock) asks about that.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::refusals::Refusals;
use super::sandbox::{HardBorders, SandboxFence, TreeCopy, private_folder};

/// The largest file that may be written, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Puts this process into namespaces of its own. What it starts sees no other process, reaches no network, and alters
/// nothing of any file outside of the folders of the fence. Returns what will tell of refusals.
pub(super) fn close(borders: HardBorders, fence: &SandboxFence) -> Result<Refusals, String> {
    let mut flags = libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
    if !borders.network {
        flags |= libc::CLONE_NEWNET;
    }
    let cannot = |error: io::Error| {
        format!(
            "this machine lets no program make namespaces of its own ({error}): tests of judges are not run"
        )
    };
    enter_namespaces(flags).map_err(cannot)?;
    hold_files(&fence.write, &fence.private).map_err(cannot)?;
    if !borders.network {
        raise_loopback().map_err(cannot)?;
    }
    let others = [
        (libc::SYS_io_uring_setup, libc::ENOSYS),
        (libc::SYS_mount_setattr, libc::EPERM),
        // Memory that is of no process until it is mapped, so that nothing bounds it. Programs then use files.
        (libc::SYS_memfd_create, libc::ENOSYS),
        (libc::SYS_memfd_secret, libc::ENOSYS),
        (libc::SYS_shmget, libc::ENOSYS),
    ];
    let refused = [&others[..], &KEYRINGS].concat();
    let listener = filter_calls(&refused, SocketFilter::Internet).map_err(cannot)?;
    Ok(Refusals::new(listener, refused, !borders.network))
}

/// Keeps the permissions, times and attributes of all files outside of these folders as they are, and the user's keys
/// from being read, for a program that is held by a sandbox of files alone. Where the system lets nobody make
/// namespaces, the calls that alter them are refused everywhere, even in its own folders: a few programs fail by
/// that, but no file of the user's is opened to others. Whether the program has a view of the files of its own.
pub(super) fn keep_attributes(writable: &[PathBuf], private: &[PathBuf]) -> Result<bool, String> {
    let held = enter_namespaces(0).and_then(|()| hold_files(writable, private));
    let own = [(libc::SYS_mount_setattr, libc::EPERM)];
    let everywhere: Vec<_> = ALTERING
        .iter()
        .chain(ALTERING_OF_OLD)
        .map(|call| (*call, libc::EPERM))
        .collect();
    let altering = if held.is_ok() { &own[..] } else { &everywhere };
    let refused = [altering, &KEYRINGS].concat();
    let filtered = filter_calls(&refused, SocketFilter::All);
    filtered
        .map(|_| held.is_ok())
        .map_err(|error| format!("the permissions of other files cannot be held: {error}"))
}

/// A namespace of users, one of mounts, and these.
fn enter_namespaces(others: libc::c_int) -> io::Result<()> {
    let (user, group) = own_ids();
    #[expect(unsafe_code, reason = "unshare has no safe wrapper here")]
    // SAFETY: the guard is single-threaded and has started nothing yet.
    if unsafe { libc::unshare(libc::CLONE_NEWUSER | libc::CLONE_NEWNS | others) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // The same user as before: who owns files is what it was.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

/// Makes everything but these folders read-only in this process's own view of the files, and puts folders of its own
/// in the place of those that everybody writes to. Landlock then keeps the program from mounting anything else, and
/// the filter of calls from [`set_read_only`].
fn hold_files(writable: &[PathBuf], private: &[PathBuf]) -> io::Result<()> {
    let here = std::env::current_dir()?;
    let folders: Vec<&PathBuf> = writable.iter().filter(|path| path.is_dir()).collect();
    mount(None, Path::new("/"), libc::MS_REC | libc::MS_PRIVATE)?;
    // Whatever is put over them, they can be reached so.
    let opened: Vec<fs::File> = folders
        .iter()
        .map(fs::File::open)
        .collect::<io::Result<_>>()?;
    let reached = opened
        .iter()
        .map(|folder| PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd())));
    let reached: Vec<PathBuf> = reached.collect();
    for place in private {
        let mut own = reached.iter().map(|folder| private_folder(folder, place));
        // Without it the program would find what everybody else has there.
        let own = own
            .find(|own| own.is_dir())
            .ok_or(io::ErrorKind::NotFound)?;
        mount(Some(&own), place, libc::MS_BIND)?;
    }
    for (folder, reached) in folders.iter().zip(&reached) {
        fs::create_dir_all(folder)?;
        mount(Some(reached), folder, libc::MS_BIND | libc::MS_REC)?;
    }
    set_read_only(Path::new("/"), true)?;
    for folder in folders.into_iter().chain(private) {
        set_read_only(folder, false)?;
    }
    // It stands on the mount below until it enters its folder anew.
    std::env::set_current_dir(here)
}

/// Puts a copy in the place of a worktree, between fork and exec: the guard, which counts what is written, goes on seeing
/// the files as they are.
pub(super) fn put_copy(copy: &TreeCopy) -> io::Result<()> {
    #[expect(unsafe_code, reason = "unshare has no safe wrapper here")]
    // SAFETY: this process has one thread, and shares its view with nobody from here on.
    if unsafe { libc::unshare(libc::CLONE_NEWNS) } != 0 {
        return Err(io::Error::last_os_error());
    }
    cover_worktree(copy)
}

fn cover_worktree(copy: &TreeCopy) -> io::Result<()> {
    let here = std::env::current_dir()?;
    // By then the copy stands over them.
    let kept: Vec<(&PathBuf, fs::File)> = copy
        .kept
        .iter()
        .filter_map(|path| Some((path, fs::File::open(path).ok()?)))
        .collect();
    for (path, opened) in &kept {
        let below = path.strip_prefix(&copy.place).map_err(io::Error::other)?;
        let at = copy.tree.join(below);
        make_mount_point(&at, opened.metadata()?.is_dir())?;
        let source = PathBuf::from(format!("/proc/self/fd/{}", opened.as_raw_fd()));
        mount(Some(&source), &at, libc::MS_BIND | libc::MS_REC)?;
    }
    // Where it cannot be made, nothing of the worktree can be seen.
    if copy.place.is_dir() || fs::create_dir_all(&copy.place).is_ok() {
        mount(Some(&copy.tree), &copy.place, libc::MS_BIND | libc::MS_REC)?;
    }
    std::env::set_current_dir(here)
}

fn make_mount_point(at: &Path, is_folder: bool) -> io::Result<()> {
    if is_folder {
        return fs::create_dir_all(at);
    }
    if let Some(folder) = at.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(at, "")
}

fn c_path(path: &Path) -> io::Result<CString> {
    CString::new(path.as_os_str().as_bytes()).map_err(io::Error::other)
}

fn mount(source: Option<&Path>, at: &Path, flags: libc::c_ulong) -> io::Result<()> {
    let (source, at) = (source.map(c_path).transpose()?, c_path(at)?);
    let source = source
        .as_ref()
        .map_or(std::ptr::null(), |path| path.as_ptr());
    #[expect(unsafe_code, reason = "mount has no safe wrapper here")]
    // SAFETY: both paths end with a zero and outlive the call; neither a type nor data is given.
    let done = unsafe {
        libc::mount(
            source,
            at.as_ptr(),
            std::ptr::null(),
            flags,
            std::ptr::null(),
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Whether anything may be altered there and below.
fn set_read_only(at: &Path, is_read_only: bool) -> io::Result<()> {
    /// `struct mount_attr` and `MOUNT_ATTR_RDONLY` of the kernel (5.12).
    #[repr(C)]
    struct MountAttributes {
        set: u64,
        clear: u64,
        propagation: u64,
        userns: u64,
    }
    const READ_ONLY: u64 = 1;
    const RECURSIVE: libc::c_uint = 0x8000;
    let at = c_path(at)?;
    let attributes = MountAttributes {
        set: if is_read_only { READ_ONLY } else { 0 },
        clear: if is_read_only { 0 } else { READ_ONLY },
        propagation: 0,
        userns: 0,
    };
    #[expect(unsafe_code, reason = "mount_setattr has no safe wrapper here")]
    // SAFETY: the path ends with a zero, and the structure has the kernel's form and the size that is told.
    let done = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            at.as_ptr(),
            RECURSIVE,
            &raw const attributes,
            size_of::<MountAttributes>(),
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

fn own_ids() -> (libc::uid_t, libc::gid_t) {
    #[expect(unsafe_code, reason = "no safe wrapper without another dependency")]
    // SAFETY: both always succeed and touch no memory.
    unsafe {
        (libc::geteuid(), libc::getegid())
    }
}

/// Tests start servers of their own: `127.0.0.1` is there, and leads nowhere else.
fn raise_loopback() -> io::Result<()> {
    #[expect(unsafe_code, reason = "an interface is raised by an ioctl")]
    // SAFETY: the request is zeroed, its name fits and ends with a zero, and it lives on this stack for the call; the
    // socket is closed before the function returns.
    unsafe {
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if socket < 0 {
            return Err(io::Error::last_os_error());
        }
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let raised = libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request);
        let error = io::Error::last_os_error();
        libc::close(socket);
        if raised == 0 { Ok(()) } else { Err(error) }
    }
}

/// Limits of the program itself, between fork and exec.
pub(super) fn confine(borders: HardBorders) -> io::Result<()> {
    let limits = [
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_DATA, borders.max_memory),
        (libc::RLIMIT_NPROC, borders.max_processes),
        (libc::RLIMIT_FSIZE, MAX_FILE_BYTES),
    ];
    for (what, most) in limits {
        let limit = libc::rlimit {
            rlim_cur: most,
            rlim_max: most,
        };
        #[expect(unsafe_code, reason = "setrlimit has no safe wrapper here")]
        // SAFETY: the structure lives on this stack for the call.
        if unsafe { libc::setrlimit(what, &raw const limit) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// The keys that the kernel keeps for the user (tickets, unlocked vaults) are in no file, and no namespace holds
/// them. Whoever reaches them also has a memory from one run to the next. To a program it looks like a kernel without
/// keyrings.
const KEYRINGS: [(libc::c_long, libc::c_int); 3] = [
    (libc::SYS_add_key, libc::ENOSYS),
    (libc::SYS_request_key, libc::ENOSYS),
    (libc::SYS_keyctl, libc::ENOSYS),
];

/// Calls of the x32 form have this bit: they would pass a filter of plain numbers.
const X32_BIT: u32 = 0x4000_0000;

/// Calls that alter who may open a file, whose it is, when it was written and what is attached to it.
const ALTERING: &[libc::c_long] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
    FILE_SETATTR,
    libc::SYS_mount_setattr,
];

/// Older ones of the same kind, which younger processors were not given.
#[cfg(target_arch = "x86_64")]
const ALTERING_OF_OLD: &[libc::c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const ALTERING_OF_OLD: &[libc::c_long] = &[];

/// Younger calls have one number on every processor.
const FCHMODAT2: libc::c_long = 452;
const SETXATTRAT: libc::c_long = 463;
const REMOVEXATTRAT: libc::c_long = 466;
const FILE_SETATTR: libc::c_long = 469;

/// Which sockets a program may open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SocketFilter {
    /// All of them.
    All,
    /// Those of the internet, which the namespace of the network holds: a socket of the file system leads to services
    /// of this machine (a container engine, a session bus, an agent of keys), and no sandbox of files keeps anybody
    /// from it. `io_uring` has to go with them: it opens sockets past every filter.
    Internet,
}

/// Refuses these calls, each with its error, and sockets. What is refused behind hard borders is told to whoever holds
/// the descriptor that comes back, where the kernel can do that.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn filter_calls(
    refused: &[(libc::c_long, libc::c_int)],
    sockets: SocketFilter,
) -> io::Result<Option<OwnedFd>> {
    if sockets == SocketFilter::Internet
        && let Ok(listener) = set_filter(&calls_filter(refused, sockets, true), true)
    {
        return Ok(listener);
    }
    set_filter(&calls_filter(refused, sockets, false), false)
}

/// The filter as the kernel takes it; `is_told`: it asks what to answer, and else answers by itself.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn calls_filter(
    refused: &[(libc::c_long, libc::c_int)],
    sockets: SocketFilter,
    is_told: bool,
) -> Vec<libc::sock_filter> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO;
    const ASK: u32 = libc::SECCOMP_RET_USER_NOTIF;
    let line = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
    // Offsets in `struct seccomp_data`: the call's number, the architecture, the low half of the first argument.
    let (call, architecture, family) = (0, 4, 16);
    let mut program = vec![
        line(LOAD, 0, 0, architecture),
        line(EQUAL, 1, 0, ARCHITECTURE),
        line(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        line(LOAD, 0, 0, call),
        line(AT_LEAST, 0, 1, X32_BIT),
        line(RETURN, 0, 0, REFUSE | libc::ENOSYS as u32),
    ];
    for (call, error) in refused {
        program.push(line(EQUAL, 0, 1, number(*call)));
        // What programs try in passing is refused in passing.
        let is_quiet = *call == libc::SYS_io_uring_setup || !is_told;
        let answer = if is_quiet {
            REFUSE | error.unsigned_abs()
        } else {
            ASK
        };
        program.push(line(RETURN, 0, 0, answer));
    }
    if sockets == SocketFilter::Internet {
        program.extend([
            line(EQUAL, 1, 0, number(libc::SYS_socket)),
            line(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
            line(LOAD, 0, 0, family),
            line(EQUAL, 3, 0, libc::AF_INET as u32),
            line(EQUAL, 2, 0, libc::AF_INET6 as u32),
            line(EQUAL, 1, 0, libc::AF_NETLINK as u32),
            // Most programs try one in passing, to look up a name of a user.
            line(RETURN, 0, 0, REFUSE | libc::EAFNOSUPPORT as u32),
        ]);
    }
    program.push(line(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW));
    program
}

/// Puts a filter on this process and all that it starts, and returns where it asks, if it does.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn set_filter(program: &[libc::sock_filter], is_told: bool) -> io::Result<Option<OwnedFd>> {
    let filter = libc::sock_fprog {
        len: program.len() as libc::c_ushort,
        filter: program.as_ptr().cast_mut(),
    };
    let flags = if is_told {
        libc::SECCOMP_FILTER_FLAG_NEW_LISTENER
    } else {
        0
    };
    #[expect(
        unsafe_code,
        reason = "a filter of system calls has no safe wrapper here"
    )]
    // SAFETY: the program and its descriptor live for both calls, and the kernel copies them. The descriptor that comes
    // back is new, closed on exec, and nobody else's.
    unsafe {
        if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
            return Err(io::Error::last_os_error());
        }
        let set = libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            flags,
            &raw const filter,
        );
        match i32::try_from(set) {
            Ok(listener @ 0..) if is_told => Ok(Some(OwnedFd::from_raw_fd(listener))),
            Ok(0) => Ok(None),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// There is no filter for this processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter_calls(_: &[(libc::c_long, libc::c_int)], _: SocketFilter) -> io::Result<Option<OwnedFd>> {
    Err(io::Error::other(
        "no filter of system calls is known for this processor",
    ))
}
