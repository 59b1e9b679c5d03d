//! What borders refuse a program, as the kernel tells it. A test that fails since it was refused something shows no
//! defect, and its own words for that may be any.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::path::Path;

use super::sandbox::Refusal;

/// What the refused calls are for.
const CALLS: [(libc::c_long, Refusal); 7] = [
    (libc::SYS_memfd_create, Refusal::Memory),
    (libc::SYS_memfd_secret, Refusal::Memory),
    (libc::SYS_shmget, Refusal::Memory),
    (libc::SYS_mount_setattr, Refusal::Files),
    (libc::SYS_add_key, Refusal::Keys),
    (libc::SYS_request_key, Refusal::Keys),
    (libc::SYS_keyctl, Refusal::Keys),
];

/// The most calls that are answered in a row, so that a flood of them keeps the guard from nothing else.
const MAX_IN_A_ROW: usize = 64;

/// What has been refused so far.
pub(super) struct Refusals {
    /// Where the kernel asks what to answer to a refused call; none: it answers by itself.
    listener: Option<OwnedFd>,
    /// Each refused call and its error.
    errors: Vec<(libc::c_long, libc::c_int)>,
    seen: BTreeSet<Refusal>,
    /// What the program's own network had refused when the borders were closed; none: it has no own one.
    before: Option<NetworkCounts>,
}

impl Refusals {
    pub(super) fn new(
        listener: Option<OwnedFd>,
        errors: Vec<(libc::c_long, libc::c_int)>,
        has_own_network: bool,
    ) -> Self {
        Self {
            listener,
            errors,
            seen: BTreeSet::new(),
            before: has_own_network.then(NetworkCounts::read),
        }
    }

    /// What is readable when a call waits for its answer.
    pub(super) fn descriptor(&self) -> Option<RawFd> {
        Some(self.listener.as_ref()?.as_raw_fd())
    }

    /// Refuses the calls that wait.
    pub(super) fn answer(&mut self) {
        let Some(listener) = self.descriptor() else {
            return;
        };
        for _ in 0..MAX_IN_A_ROW {
            let Some((id, call)) = next_call(listener) else {
                return;
            };
            let mut known = self.errors.iter();
            let error = known.find(|(refused, _)| *refused == call);
            refuse(listener, id, error.map_or(libc::EPERM, |(_, error)| *error));
            let kind = CALLS.iter().find(|(known, _)| *known == call);
            self.seen.extend(kind.map(|(_, kind)| *kind));
        }
    }

    /// Leaves word of them, in the place of whatever the program has put there. Nothing of the program runs any more.
    pub(super) fn write(mut self, path: &Path) -> io::Result<()> {
        let network = self
            .before
            .map(|before| NetworkCounts::read().since(before));
        let network = network.unwrap_or_default();
        self.seen
            .extend((network.unreached > 0).then_some(Refusal::Network));
        // Who talks to a server of its own finds it not yet there, or no more: that is no service of this machine.
        let has_served = network.accepted > 0;
        let is_missed = network.turned_away > 0 && !has_served;
        self.seen.extend(is_missed.then_some(Refusal::Service));
        let is_folder = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        let removed = if is_folder {
            fs::remove_dir_all(path)
        } else {
            fs::remove_file(path)
        };
        if let Err(error) = removed
            && error.kind() != io::ErrorKind::NotFound
        {
            return Err(error);
        }
        let served = has_served.then_some(SERVED);
        let lines: Vec<&str> = self
            .seen
            .iter()
            .map(|kind| kind.name())
            .chain(served)
            .collect();
        let mut file = fs::File::create_new(path)?;
        io::Write::write_all(&mut file, lines.join("\n").as_bytes())
    }
}

/// What the guard writes of a program that took connections.
pub(crate) const SERVED: &str = "served";

/// What the kernel counts of a network.
#[derive(Debug, Default, Clone, Copy)]
struct NetworkCounts {
    /// Addresses that could not be reached: no way leads there, or nobody answers for names.
    unreached: u64,
    /// Connections that nobody took, as nobody listens there.
    turned_away: u64,
    /// Connections that a server in this network took.
    accepted: u64,
}

impl NetworkCounts {
    fn read() -> Self {
        let read = |name| fs::read_to_string(format!("/proc/self/net/{name}")).unwrap_or_default();
        let (four, six) = (read("snmp"), read("snmp6"));
        Self {
            unreached: unreached_addresses(&four, &six),
            // Both families are counted here.
            turned_away: count_in(&four, "Tcp:", "AttemptFails"),
            accepted: count_in(&four, "Tcp:", "PassiveOpens"),
        }
    }

    fn since(self, before: Self) -> Self {
        Self {
            unreached: self.unreached.saturating_sub(before.unreached),
            turned_away: self.turned_away.saturating_sub(before.turned_away),
            accepted: self.accepted.saturating_sub(before.accepted),
        }
    }
}

fn unreached_addresses(four: &str, six: &str) -> u64 {
    let of_six = ["Ip6OutNoRoutes", "Udp6NoPorts"].map(|name| {
        let mut lines = named_counts(six);
        lines
            .find(|(known, _)| *known == name)
            .map_or(0, |(_, count)| count)
    });
    let of_four = [("Ip:", "OutNoRoutes"), ("Udp:", "NoPorts")];
    let of_four = of_four.map(|(group, name)| count_in(four, group, name));
    of_six.iter().chain(&of_four).sum()
}

/// Lines of a name and a number.
fn named_counts(text: &str) -> impl Iterator<Item = (&str, u64)> {
    let lines = text
        .lines()
        .filter_map(|line| line.split_once(char::is_whitespace));
    lines.filter_map(|(name, count)| Some((name, count.trim().parse().ok()?)))
}

/// A number of a group that has a line of names and a line of numbers.
fn count_in(text: &str, group: &str, name: &str) -> u64 {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(group));
    let (names, counts) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    let mut pairs = names.split_whitespace().zip(counts.split_whitespace());
    let found = pairs.find(|(known, _)| *known == name);
    found.and_then(|(_, count)| count.parse().ok()).unwrap_or(0)
}

/// `SECCOMP_IOCTL_NOTIF_RECV` and `SECCOMP_IOCTL_NOTIF_SEND` of the kernel (5.0).
const RECEIVE: libc::c_ulong = 0xC050_2100;
const SEND: libc::c_ulong = 0xC018_2101;

/// The next call that waits: its number for the answer, and which call it is. None: none waits.
fn next_call(listener: RawFd) -> Option<(u64, libc::c_long)> {
    let mut waits = libc::pollfd {
        fd: listener,
        events: libc::POLLIN,
        revents: 0,
    };
    #[expect(unsafe_code, reason = "the kernel asks by an ioctl")]
    // SAFETY: both structures live on this stack for the calls, and the request is zeroed, as the kernel wants it.
    unsafe {
        let mut request: libc::seccomp_notif = std::mem::zeroed();
        let is_there = libc::poll(&raw mut waits, 1, 0) == 1
            && libc::ioctl(listener, RECEIVE as _, &raw mut request) == 0;
        is_there.then(|| (request.id, libc::c_long::from(request.data.nr)))
    }
}

fn refuse(listener: RawFd, id: u64, error: libc::c_int) {
    let answer = libc::seccomp_notif_resp {
        id,
        val: 0,
        error: -error,
        flags: 0,
    };
    #[expect(unsafe_code, reason = "the kernel is answered by an ioctl")]
    // SAFETY: the structure lives on this stack for the call. Who asked may be gone, and nobody waits then.
    unsafe {
        libc::ioctl(listener, SEND as _, &raw const answer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_the_kernel_are_read_by_name() {
        let text = "Ip: Forwarding OutNoRoutes X\nIp: 2 4 7\nUdp: InDatagrams NoPorts\nUdp: 1 3\n";
        assert_eq!(count_in(text, "Ip:", "OutNoRoutes"), 4);
        assert_eq!(count_in(text, "Udp:", "NoPorts"), 3);
        assert_eq!(count_in(text, "Tcp:", "NoPorts"), 0);
        let six: Vec<_> = named_counts("Ip6OutNoRoutes \t2\nodd\n").collect();
        assert_eq!(six, [("Ip6OutNoRoutes", 2)]);
    }
}
