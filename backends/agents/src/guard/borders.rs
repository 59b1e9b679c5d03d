//! What keeps code that nobody trusts from other processes, from sockets and from more than its share: namespaces, a filter
//! of system calls, and limits. Files are the sandbox's.

use std::fs;
use std::io;

use super::sandbox::HardBorders;

/// The largest file that may be written, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Puts this process into namespaces of its own. What it starts sees no other process, and reaches no network.
pub(super) fn close(borders: HardBorders) -> Result<(), String> {
    let (user, group) = own_ids();
    let mut flags = libc::CLONE_NEWUSER | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
    if !borders.network {
        flags |= libc::CLONE_NEWNET;
    }
    let cannot = |error: io::Error| {
        format!(
            "this machine lets no program make namespaces of its own ({error}): tests of judges are not run"
        )
    };
    #[expect(unsafe_code, reason = "unshare has no safe wrapper here")]
    // SAFETY: the guard is single-threaded and has started nothing yet.
    if unsafe { libc::unshare(flags) } != 0 {
        return Err(cannot(io::Error::last_os_error()));
    }
    // The same user as before: who owns files is what it was.
    fs::write("/proc/self/setgroups", "deny").map_err(cannot)?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).map_err(cannot)?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).map_err(cannot)?;
    if !borders.network {
        raise_loopback().map_err(cannot)?;
    }
    filter_calls().map_err(cannot)
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

/// Calls of the x32 form have this bit: they would pass a filter of plain numbers.
const X32_BIT: u32 = 0x4000_0000;

/// Takes away sockets but those of the internet, which the namespace of the network holds: a socket of the file system
/// leads to services of this machine (a container engine, a session bus, an agent of keys), and no sandbox of files
/// keeps anybody from it. `io_uring` goes, too: it opens sockets past every filter.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn filter_calls() -> io::Result<()> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    const REFUSE: u32 = libc::SECCOMP_RET_ERRNO;
    let line = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let number = |call: libc::c_long| u32::try_from(call).unwrap_or(u32::MAX);
    // Offsets in `struct seccomp_data`: the call's number, the architecture, the low half of the first argument.
    let (call, architecture, family) = (0, 4, 16);
    let program = [
        line(LOAD, 0, 0, architecture),
        line(EQUAL, 1, 0, ARCHITECTURE),
        line(RETURN, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        line(LOAD, 0, 0, call),
        line(AT_LEAST, 0, 1, X32_BIT),
        line(RETURN, 0, 0, REFUSE | libc::ENOSYS as u32),
        line(EQUAL, 0, 1, number(libc::SYS_io_uring_setup)),
        line(RETURN, 0, 0, REFUSE | libc::ENOSYS as u32),
        line(EQUAL, 1, 0, number(libc::SYS_socket)),
        line(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
        line(LOAD, 0, 0, family),
        line(EQUAL, 3, 0, libc::AF_INET as u32),
        line(EQUAL, 2, 0, libc::AF_INET6 as u32),
        line(EQUAL, 1, 0, libc::AF_NETLINK as u32),
        line(RETURN, 0, 0, REFUSE | libc::EAFNOSUPPORT as u32),
        line(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let filter = libc::sock_fprog {
        len: program.len() as libc::c_ushort,
        filter: program.as_ptr().cast_mut(),
    };
    #[expect(unsafe_code, reason = "a filter of system calls is set by prctl")]
    // SAFETY: the program and its descriptor live on this stack for both calls, and the kernel copies them.
    unsafe {
        let set = libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(
                libc::PR_SET_SECCOMP,
                libc::c_ulong::from(libc::SECCOMP_MODE_FILTER),
                &raw const filter,
            ) == 0;
        if set {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

/// There is no filter for this processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter_calls() -> io::Result<()> {
    Err(io::Error::other(
        "no filter of system calls is known for this processor",
    ))
}
