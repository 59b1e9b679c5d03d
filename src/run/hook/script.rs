//! The hook as a file: POSIX sh, marked with its version, the same bytes for the same purpose.

use crate::packet::sha256;
use crate::run::shell::shell_quote;

/// The version of the scripts; an older one is replaced by `git council hook install`.
pub(crate) const VERSION: u32 = 2;

/// The marker stands among so many lines at the top.
const MARKER_LINES: usize = 5;

/// Digits of the sum by which an edited script is known.
const SUM_DIGITS: usize = 16;

/// What an earlier hook is called while ours stands in its place.
pub(crate) const KEPT: &str = "before-council";

/// What the program reviews at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookEvent {
    PrePush,
    PostCommit,
}

impl HookEvent {
    /// Both of them.
    pub(crate) const ALL: [Self; 2] = [Self::PrePush, Self::PostCommit];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::PrePush => "pre-push",
            Self::PostCommit => "post-commit",
        }
    }
}

/// Whose a file in the hooks directory is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookOwner {
    /// Ours, of this version. Whoever edited it afterwards owns it: their lines are neither renewed over nor removed.
    Council {
        version: u32,
        is_edited: bool,
    },
    Other,
}

/// The line by which our own files are known; `body` is everything else of the file.
fn marker_line(event: HookEvent, body: &str) -> String {
    let sum = sum_of(body);
    format!(
        "# git-council {} hook, version {VERSION}, sum {sum}",
        event.name()
    )
}

fn sum_of(body: &str) -> String {
    let mut sum = sha256(body.as_bytes());
    sum.truncate(SUM_DIGITS);
    sum
}

/// Whose a file is.
pub(crate) fn detect_owner(bytes: &[u8]) -> HookOwner {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let found = lines.iter().take(MARKER_LINES).enumerate();
    let mut found = found.filter_map(|(at, line)| Some((at, version_of(line)?)));
    let Some((at, (version, has_sum))) = found.next() else {
        return HookOwner::Other;
    };
    let body = [&lines[..at], &lines[at + 1..]].concat().concat();
    let marker = lines[at].strip_suffix('\n').unwrap_or(lines[at]);
    let is_ours = |event: HookEvent| marker == marker_line(event, &body);
    // Version 1 had no sum, and what a later one sums up is not known here.
    let has_known_sum = has_sum || version > 1;
    let is_edited = version <= VERSION && has_known_sum && !HookEvent::ALL.into_iter().any(is_ours);
    HookOwner::Council { version, is_edited }
}

/// The version that a marker names, and whether it has a sum; none: the line is no marker.
fn version_of(line: &str) -> Option<(u32, bool)> {
    let rest = line.trim_end().strip_prefix("# git-council ")?;
    let (_, rest) = rest.rsplit_once(", version ")?;
    let (version, sum) = rest
        .split_once(',')
        .map_or((rest, None), |(v, s)| (v, Some(s)));
    Some((version.parse().ok()?, sum.is_some()))
}

/// The file. `program` is where this program lies, for whoever has it on no PATH; `made_dir` whether the directory is ours.
pub(crate) fn render_script(event: HookEvent, program: &str, made_dir: bool) -> String {
    let name = event.name();
    let made = if made_dir { "# made-directory\n" } else { "" };
    let (without, chained) = match event {
        HookEvent::PrePush => (
            "pushing without a review",
            // git tells the refs once; both hooks hear them.
            "refs=$(cat; printf x); refs=${refs%x}\n\
             \x20 printf %s \"$refs\" | \"$kept\" \"$@\" || exit $?\n\
             \x20 [ \"$GIT_COUNCIL\" = 0 ] && exit 0\n\
             \x20 printf %s \"$refs\" | \"$council\" hook run pre-push \"$@\"\n\
             \x20 exit $?",
        ),
        HookEvent::PostCommit => ("no review was started", "\"$kept\" \"$@\""),
    };
    let head = "#!/bin/sh\n";
    let rest = format!(
        "{made}# `git council hook uninstall` removes it and puts back what was here before.\n\
         kept=${{0%/*}}/{name}.{KEPT}\n\
         council=$(command -v git-council) || council={}\n\
         if [ ! -x \"$council\" ]; then\n\
         \x20 echo 'git-council is not on PATH: {without} (git council hook uninstall removes this hook)' >&2\n\
         \x20 if [ -x \"$kept\" ]; then exec \"$kept\" \"$@\"; fi\n\
         \x20 exit 0\n\
         fi\n\
         if [ -x \"$kept\" ]; then\n\
         \x20 {chained}\n\
         fi\n\
         [ \"$GIT_COUNCIL\" = 0 ] && exit 0\n\
         exec \"$council\" hook run {name} \"$@\"\n",
        shell_quote(program),
    );
    let marker = marker_line(event, &format!("{head}{rest}"));
    format!("{head}{marker}\n{rest}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn our_own_files_are_known_by_their_marker() {
        let ours = |version| HookOwner::Council {
            version,
            is_edited: false,
        };
        for event in HookEvent::ALL {
            let text = render_script(event, "/opt/it's/git-council", false);
            assert_eq!(detect_owner(text.as_bytes()), ours(VERSION), "{text}");
            assert!(
                text.contains(r"council='/opt/it'\''s/git-council'"),
                "{text}"
            );
        }
        assert_eq!(detect_owner(b"#!/bin/sh\nmake test\n"), HookOwner::Other);
        assert_eq!(
            detect_owner(b"#!/bin/sh\n# git-council pre-push hook, version 7\n"),
            ours(7)
        );
        assert_eq!(
            detect_owner(&[0x7f, 0x45, 0x4c, 0x46, 0xff]),
            HookOwner::Other
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]
        #[test]
        fn whatever_is_written_into_a_script_makes_it_the_users(
            event in prop::sample::select(HookEvent::ALL.to_vec()),
            program in "[ -~]{1,30}",
            made_dir in any::<bool>(),
            line in "[ -~\n]{1,20}",
            at in any::<prop::sample::Index>(),
        ) {
            let mut text = render_script(event, &program, made_dir);
            let untouched = text.clone();
            text.insert_str(at.index(text.len() + 1), &line);
            let ours = HookOwner::Council { version: VERSION, is_edited: false };
            prop_assert_eq!(detect_owner(untouched.as_bytes()), ours);
            prop_assert_ne!(detect_owner(text.as_bytes()), ours, "{}", text);
        }
    }

    #[test]
    fn the_scripts_are_sh() {
        for event in HookEvent::ALL {
            let mut child = std::process::Command::new("sh")
                .arg("-n")
                .stdin(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let text = render_script(event, "/x", true);
            std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
            assert!(child.wait().unwrap().success(), "{text}");
        }
    }
}
