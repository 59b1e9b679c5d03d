//! `deceptive-path`: a path that is not shown as it is read, or that holds what cannot be seen.

use council_protocol::change::{FileKind, FileStatus};

use super::prelude::*;
use crate::unicode::{character_name, find_invisible, is_bidi_control, look_alike};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "deceptive-path",
        perspective: SECURITY,
        category: "unicode",
        severity: Critical,
        summary: "a path that some systems take for `.git`, a link into `.git`, or a path with a bidirectional control \
                  (critical), or with an invisible or a look-alike character (significant)",
        why: "Two different files can have names that look the same, and a name displayed in another order hides the \
              file's type. Where case, trailing dots or ignorable characters do not count, `.GIT/hooks` is git's own \
              folder, and what lies there is run. Through a link to `.git`, a file or a submodule of the same change is \
              written there.",
        fix: "Rename the file, or point the link elsewhere.",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Review,
    languages: &[],
    claims: &["invisible", "bidi", "file name", "path"],
    check: RuleCheck::File(check_file),
};

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    // Where a backslash parts folders, a name may hold several.
    if file.exists() && file.path.split(['/', '\\']).any(is_git_folder) {
        hits.push(file.file_hit("On some systems the path leads into git's own folder."));
        return;
    }
    if let Some(line) = link_into_git(file) {
        let said = "The link leads into git's own folder: what is written through it is run.";
        hits.push(line.line_hit(said));
        return;
    }
    let is_new = matches!(file.change.status, FileStatus::Added | FileStatus::Renamed);
    if !is_new || !file.exists() {
        return;
    }
    let bidi = file.path.chars().find(|&c| is_bidi_control(c));
    let Some(c) = bidi.or_else(|| find_invisible(&file.path, false)) else {
        let mut words = file.path.split(|c: char| !c.is_alphanumeric());
        if let Some(c) = words.find_map(look_alike) {
            let code = u32::from(c);
            let words =
                format!("The path mixes Latin letters with U+{code:04X}, which looks like one.");
            hits.push(file.file_hit(words).with_severity(Significant));
        }
        return;
    };
    let (code, name) = (u32::from(c), character_name(c));
    let hit = file.file_hit(format!("The path holds U+{code:04X} ({name})."));
    hits.push(match bidi {
        Some(_) => hit,
        None => hit.with_severity(Significant),
    });
}

/// The target of a link that leads into git's own folder, here or in a submodule.
fn link_into_git<'f>(file: &'f FileView<'_>) -> Option<LineView<'f, 'f>> {
    if file.change.kind != FileKind::Symlink || !file.exists() {
        return None;
    }
    let mut targets = file.added_lines();
    targets.find(|line| line.text().split(['/', '\\']).any(is_git_folder))
}

/// Whether a file system may take a name for `.git`: macOS passes over ignorable characters and case, Windows over case,
/// trailing dots and blanks and what stands behind a colon, and it knows the folder by its short name, too.
pub(crate) fn is_git_folder(name: &str) -> bool {
    let is_ignorable = |c: char| matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let plain: String = name.chars().filter(|&c| !is_ignorable(c)).collect();
    let plain = plain.split([':', '\\']).next().unwrap_or_default();
    let plain = plain.trim_end_matches(['.', ' ']).to_ascii_lowercase();
    matches!(plain.as_str(), ".git" | "git~1")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::is_git_folder;

    #[test]
    fn names_that_only_begin_like_it_are_others() {
        for name in [
            ".gitignore",
            ".github",
            "git",
            "git~2",
            ".gitmodules",
            "a.git",
            ".git-hooks",
            "",
        ] {
            assert!(!is_git_folder(name), "{name}");
        }
        assert!(is_git_folder("GIT~1") && is_git_folder(".git::$INDEX_ALLOCATION"));
    }

    proptest! {
        #[test]
        fn no_spelling_of_it_is_another(
            case in proptest::collection::vec(any::<bool>(), 4),
            gaps in proptest::collection::vec("[\u{200c}-\u{200f}\u{202a}-\u{202e}\u{206a}-\u{206f}\u{feff}]{0,2}", 5),
            end in "[. ]{0,3}",
        ) {
            let letters = ".git".chars().zip(&case);
            let letters = letters.map(|(c, up)| if *up { c.to_ascii_uppercase() } else { c });
            let mut name = gaps[4].clone();
            for (c, gap) in letters.zip(&gaps) {
                name.push(c);
                name.push_str(gap);
            }
            name.push_str(&end);
            prop_assert!(is_git_folder(&name), "{:?}", name);
        }
    }
}
