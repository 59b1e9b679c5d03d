//! The hook as a file: POSIX sh, marked with its version, the same bytes for the same purpose.

/// The version of the scripts; an older one is replaced by `git council hook install`.
pub(crate) const VERSION: u32 = 1;

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

    /// git's name.
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
    /// Ours, of this version.
    Council(u32),
    /// Somebody else's.
    Other,
}

/// The line by which our own files are known.
fn marker_line(event: HookEvent, version: u32) -> String {
    format!("# git-council {} hook, version {version}", event.name())
}

/// Whose a file is.
pub(crate) fn detect_owner(bytes: &[u8]) -> HookOwner {
    let text = String::from_utf8_lossy(bytes);
    let version = text.lines().take(3).find_map(|line| {
        let rest = line.strip_prefix("# git-council ")?;
        rest.rsplit_once(", version ")?.1.parse().ok()
    });
    version.map_or(HookOwner::Other, HookOwner::Council)
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
    format!(
        "#!/bin/sh\n{}\n{made}# `git council hook uninstall` removes it and puts back what was here before.\n\
         kept=$0.{KEPT}\n\
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
        marker_line(event, VERSION),
        shell_quote(program),
    )
}

/// A word for the shell.
pub(crate) fn shell_quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_files_are_known_by_their_marker() {
        for event in HookEvent::ALL {
            let text = render_script(event, "/opt/it's/git-council", false);
            assert_eq!(
                detect_owner(text.as_bytes()),
                HookOwner::Council(VERSION),
                "{text}"
            );
            assert!(
                text.contains(r"council='/opt/it'\''s/git-council'"),
                "{text}"
            );
        }
        assert_eq!(detect_owner(b"#!/bin/sh\nmake test\n"), HookOwner::Other);
        assert_eq!(
            detect_owner(b"#!/bin/sh\n# git-council pre-push hook, version 7\n"),
            HookOwner::Council(7)
        );
        assert_eq!(
            detect_owner(&[0x7f, 0x45, 0x4c, 0x46, 0xff]),
            HookOwner::Other
        );
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
