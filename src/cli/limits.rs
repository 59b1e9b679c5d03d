//! Limits that the system sets to the process (`ulimit`): what is too tight to work with is said at once.

use crate::run::error::RunError;

/// The fewest open files: pipes of the runtime, the run's folder, git's object files.
const MIN_FILES: u64 = 32;

/// The least address space: where memory cannot be had, a program can only be aborted. A debug build maps 79 MB of itself,
/// and was aborted at 512 MiB over a file of 11 MB.
const MIN_ADDRESS_SPACE: u64 = 576 << 20;

/// The least of what is written to: threads have stacks, and a thread that cannot be started ends the program.
const MIN_DATA: u64 = 256 << 20;

/// The least stack of the first thread: reading the arguments alone takes a part of it.
const MIN_STACK: u64 = 1 << 20;

/// The stack on which a stack that is too small is told of.
const ERROR_STACK: usize = 4 << 20;

/// Where Linux tells the limits of this process.
const LIMITS_FILE: &str = "/proc/self/limits";

/// Refuses to begin what could only end in the middle. Where the limits are not told, nothing is refused.
pub(super) fn check_limits() -> Result<(), RunError> {
    check(&LIMITS)
}

/// Tells with `tell` of a stack that is too small to read the arguments on, and gives what `tell` gives; none where it is
/// large enough. Its own thread has a stack that no limit makes smaller.
pub(super) fn refuse_small_stack(tell: fn(&RunError) -> u8) -> Option<u8> {
    let error = check(&[("Max stack size", "bytes of stack", MIN_STACK, "s")]).err()?;
    let thread = std::thread::Builder::new().stack_size(ERROR_STACK);
    let told = thread.spawn(move || tell(&error)).ok()?;
    told.join().ok()
}

/// The name of a limit there, what it is about, the least value, and the letter of `ulimit`.
type KnownLimit = (&'static str, &'static str, u64, &'static str);

const LIMITS: [KnownLimit; 3] = [
    ("Max open files", "open files", MIN_FILES, "n"),
    ("Max data size", "bytes of data", MIN_DATA, "d"),
    (
        "Max address space",
        "bytes of memory",
        MIN_ADDRESS_SPACE,
        "v",
    ),
];

fn check(limits: &[KnownLimit]) -> Result<(), RunError> {
    let told = std::fs::read_to_string(LIMITS_FILE).unwrap_or_default();
    match refused_limit(&told, limits) {
        None => Ok(()),
        Some((what, limit, least, flag)) => Err(RunError::run(format!(
            "the limit on {what} is {limit}, and at least {least} are needed"
        ))
        .hint(format!("raise it: ulimit -{flag}"))),
    }
}

/// The first limit that is too tight: what it is about, its value, the least one, and the letter of `ulimit`.
fn refused_limit(
    told: &str,
    limits: &[KnownLimit],
) -> Option<(&'static str, u64, u64, &'static str)> {
    limits.iter().find_map(|&(name, what, least, flag)| {
        let line = told.lines().find_map(|line| line.strip_prefix(name))?;
        let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
        (limit < least).then_some((what, limit, least, flag))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_limit_that_is_too_tight_is_named() {
        let told = |files: &str, space: &str| {
            let text = format!(
                "Limit                     Soft Limit           Hard Limit           Units\n\
                 Max open files            {files}              524288               files\n\
                 Max address space         {space}              unlimited            bytes\n"
            );
            refused_limit(&text, &LIMITS).map(|(what, limit, ..)| (what, limit))
        };
        assert_eq!(told("1024", "unlimited"), None);
        assert_eq!(told("8", "1"), Some(("open files", 8)));
        assert_eq!(
            told("1024", "61440000"),
            Some(("bytes of memory", 61_440_000))
        );
        assert_eq!(refused_limit("", &LIMITS), None);
    }
}
