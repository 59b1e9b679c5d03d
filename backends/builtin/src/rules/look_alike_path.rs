//! `look-alike-path`: a new path that a reader takes for another one of the tree.

use std::collections::HashMap;

use council_secrets::latin_letter;
use icu_normalizer::DecomposingNormalizerBorrowed;

use super::prelude::*;
use crate::beside::{folders_of, is_new, paths_beside};

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "look-alike-path",
        perspective: SECURITY,
        category: "unicode",
        severity: Significant,
        summary: "a new file or folder whose path looks like another one of the tree",
        why: "Letters of other scripts look like Latin ones, and `é` can be one character or two. A reader takes one \
              file for the other, and an import reaches the wrong one. macOS takes two spellings of `é` for one file.",
        fix: "Rename the file, or change the one that is there already.",
        examples: &[],
    },
    scope: RuleScope::Always,
    guards: Guarded::Review,
    languages: &[],
    claims: &["look-alike", "homoglyph", "file name", "path"],
    check: RuleCheck::Change(check_change),
};

fn check_change(change: &ChangeView<'_>, hits: &mut HitList) {
    let beside = paths_beside(change, &as_seen);
    let files = change.files.iter().filter(|file| file.exists());
    let (new, old): (Vec<_>, Vec<_>) = files.partition(|file| is_new(file));
    let mut first: HashMap<String, &str> = HashMap::new();
    for file in old.iter().chain(&new) {
        first.entry(as_seen(&file.path)).or_insert(&file.path);
    }
    for file in new {
        let shown = as_seen(&file.path);
        let in_change = first.get(&shown).copied();
        let in_tree = || beside.get(&shown).map(String::as_str);
        let twin = in_change
            .filter(|path| *path != &*file.path)
            .or_else(in_tree);
        let folders = || folders_of(&file.path).map(|here| (here, beside.get(&as_seen(here))));
        let said = match twin.and_then(|there| what_differs(&file.path, there)) {
            Some(differs) => Some(format!("The path {differs}.")),
            None => folders()
                .find_map(|(here, there)| what_differs(here, there?))
                .map(|differs| format!("The path of its folder {differs}.")),
        };
        if let Some(said) = said {
            hits.push(file.file_hit(said));
        }
    }
}

/// How one path differs from another one that looks alike; none: only in case, which another rule tells.
fn what_differs(here: &str, there: &str) -> Option<String> {
    if here.to_lowercase() == there.to_lowercase() {
        return None;
    }
    let mut pairs = here.chars().zip(there.chars());
    let (own, other) = pairs.find(|(own, other)| own != other)?;
    let (own, other) = (u32::from(own), u32::from(other));
    Some(format!(
        "looks like `{there}`, but has U+{own:04X} where that one has U+{other:04X}"
    ))
}

/// A path as a reader sees it: letters of other scripts as the Latin ones that they look like, marks apart from their
/// letters, all in lower case.
fn as_seen(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    let latin = |c: char| latin_letter(c).and_then(|letter| letter.chars().next());
    let parts = DecomposingNormalizerBorrowed::new_nfkd();
    let letters = parts.normalize_iter(path.chars());
    let seen: String = letters.map(|c| latin(c).unwrap_or(c)).collect();
    seen.to_lowercase()
}

#[cfg(test)]
mod tests {
    use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};
    use proptest::prelude::*;

    use crate::beside::testing::said_of_path;

    fn said(there: &str, added: &str) -> Option<String> {
        said_of_path("look-alike-path", there, added)
    }

    #[test]
    fn other_names_and_other_case_are_no_twins() {
        for (there, added) in [
            ("cop.py", "cup.py"),
            ("a.py", "A.PY"),
            ("\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.md", "primer.md"),
            ("caf\u{e9}.py", "cafe.py"),
            ("\u{441}\u{43e}\u{440}/a.py", "\u{441}\u{43e}\u{440}/b.py"),
        ] {
            assert_eq!(said(there, added), None, "{there} {added}");
        }
        let other = said("cop.py", "\u{441}\u{43e}\u{440}.py").unwrap();
        assert_eq!(
            other,
            "The path looks like `cop.py`, but has U+0441 where that one has U+0063."
        );
    }

    proptest! {
        /// Law: a name is told whose letters look like those of one that is there, be they all of another script, and so
        /// is one that spells its accents otherwise; it does not matter which one came first, nor whether it is a folder's.
        #[test]
        fn no_spelling_of_a_path_hides_its_twin(
            letters in proptest::collection::vec(0_usize..6, 1..8),
            other in proptest::collection::vec(any::<bool>(), 8),
            is_folder in any::<bool>(),
            is_turned in any::<bool>(),
        ) {
            const TWINS: [(&str, &str); 6] = [
                ("a", "\u{430}"), ("o", "\u{3bf}"), ("p", "\u{440}"), ("K", "\u{39a}"),
                ("\u{e9}", "e\u{301}"), ("\u{450}", "\u{435}\u{300}"),
            ];
            let plain: String = letters.iter().map(|&at| TWINS[at].0).collect();
            let pairs = letters.iter().zip(&other);
            let twin: String = pairs.map(|(&at, &other)| if other { TWINS[at].1 } else { TWINS[at].0 }).collect();
            prop_assume!(plain != twin);
            let end = if is_folder { "/x.py" } else { ".py" };
            let (mut there, mut added) = (format!("src/{plain}{end}"), format!("src/{twin}{end}"));
            if is_folder {
                added.push('i');
            }
            if is_turned {
                (there, added) = (added, there);
            }
            prop_assert!(said(&there, &added).is_some(), "{} {}", there, added);
        }

        /// Law: however a name is normalised, it is the same name to a reader.
        #[test]
        fn no_normal_form_is_a_name_of_its_own(
            name in "[a-z\u{e0}-\u{f6}\u{f8}-\u{ff}\u{430}-\u{45f}\u{ac00}-\u{ac40}]{1,8}",
        ) {
            let composed = ComposingNormalizerBorrowed::new_nfc().normalize(&name).into_owned();
            let apart = DecomposingNormalizerBorrowed::new_nfd().normalize(&name).into_owned();
            prop_assert_eq!(said(&composed, &apart).is_some(), composed != apart);
        }
    }
}
