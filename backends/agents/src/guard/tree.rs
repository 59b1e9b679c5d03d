//! Finding and ending everything below the guard.

#[cfg(target_os = "linux")]
use std::{collections::BTreeMap, fs};

/// Every living process below `ancestor`, found by parenthood: sessions and process groups do not matter, because an
/// orphan of ours becomes a child of the guard.
#[cfg(target_os = "linux")]
pub(super) fn below(ancestor: i32, _: u32) -> Vec<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for pid in all_pids() {
        if let Some(parent) = parent_of(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = Vec::new();
    let mut open = vec![ancestor];
    while let Some(pid) = open.pop() {
        let below = children.remove(&pid).unwrap_or_default();
        found.extend(&below);
        open.extend(below);
    }
    found
}

/// Without a subreaper only the program's process group can be reached, as one negative id.
#[cfg(not(target_os = "linux"))]
pub(super) fn below(_: i32, program: u32) -> Vec<i32> {
    let group = -i32::try_from(program).unwrap_or(i32::MAX);
    #[expect(unsafe_code, reason = "no safe wrapper without another dependency")]
    // SAFETY: signal 0 only asks whether the group exists.
    let lives = unsafe { libc::kill(group, 0) == 0 };
    if lives { vec![group] } else { Vec::new() }
}

/// The memory of these processes that is not shared with files, in bytes.
#[cfg(target_os = "linux")]
pub(super) fn memory_of(pids: &[i32]) -> u64 {
    // The smallest page that Linux has: on machines with larger ones less is let through than was asked for.
    const PAGE: u64 = 4_096;
    let own = |pid: &i32| {
        let sizes = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
        let mut fields = sizes.split_whitespace().skip(1);
        let resident: u64 = fields.next()?.parse().ok()?;
        let shared: u64 = fields.next()?.parse().ok()?;
        Some(resident.saturating_sub(shared).saturating_mul(PAGE))
    };
    pids.iter().filter_map(own).sum()
}

/// Nothing is known of it here.
#[cfg(not(target_os = "linux"))]
pub(super) fn memory_of(_: &[i32]) -> u64 {
    0
}

/// Sends `signal` to each process.
pub(super) fn send_signal(pids: &[i32], signal: i32) {
    for &pid in pids {
        #[expect(unsafe_code, reason = "no safe wrapper without another dependency")]
        // SAFETY: kill touches no memory of ours; a process that is gone gives ESRCH, which is what we want anyway.
        unsafe {
            libc::kill(pid, signal);
        }
    }
}

#[cfg(target_os = "linux")]
fn all_pids() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The parent, from `/proc/PID/stat`; none for a zombie or a process that is gone.
#[cfg(target_os = "linux")]
fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in brackets may hold anything, brackets and spaces included.
    let mut fields = stat[stat.rfind(')')? + 1..].split_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    (state != "Z").then_some(parent)
}
