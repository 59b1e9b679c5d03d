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

/// Whether the memory of these processes that is of no file is more than this, in bytes; memory that they share counts
/// once.
#[cfg(target_os = "linux")]
pub(super) fn have_more_memory(pids: &[i32], most: u64) -> bool {
    let sum = |file: &str, fields: [&str; 2]| -> u64 {
        let sizes = pids.iter().map(|pid| {
            let text = fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
            fields
                .map(|field| kilobytes(&text, field))
                .iter()
                .sum::<u64>()
        });
        sizes.sum::<u64>().saturating_mul(1 << 10)
    };
    // The exact number takes the kernel long, and is never larger.
    sum("status", ["RssAnon:", "RssShmem:"]) > most
        && sum("smaps_rollup", ["Pss_Anon:", "Pss_Shmem:"]) > most
}

/// A size of a file below `/proc`, in kilobytes.
#[cfg(target_os = "linux")]
fn kilobytes(text: &str, field: &str) -> u64 {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(field));
    let size = lines.next().and_then(|line| line.split_whitespace().next());
    size.and_then(|size| size.parse().ok()).unwrap_or(0)
}

/// Nothing is known of it here.
#[cfg(not(target_os = "linux"))]
pub(super) fn have_more_memory(_: &[i32], _: u64) -> bool {
    false
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
