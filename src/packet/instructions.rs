//! Instructions of the trusted side: what a repository tells its reviewers.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use council_protocol::RepoPath;
use council_protocol::packet::Instruction;

/// Files that are read from the trusted ref, in this order.
pub(crate) const INSTRUCTION_FILES: &[&str] = &[
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    "REVIEW.md",
    ".github/copilot-instructions.md",
];

/// Those of them that a folder may have for what lies in it.
const OF_FOLDERS: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// The most folders that are asked for theirs, the nearest to the change first.
const MAX_FOLDERS: usize = 24;

/// The most bytes that are kept of one file.
const MAX_FILE_BYTES: usize = 32 * 1024;

/// The most bytes that are kept of all files.
const MAX_TOTAL_BYTES: usize = 64 * 1024;

/// Reads the instruction files of the top, and of the folders that `changed` files lie in, through `read`, which knows the
/// trusted side only; `origin` names it, e.g. a commit.
///
/// Bytes that are not UTF-8 become U+FFFD. A file over 32 KiB, or over its share of 64 KiB in all, is cut at a line with a
/// note that says how much is missing. Empty files are left out.
pub(crate) fn read_instructions(
    read: &mut dyn FnMut(&str) -> Option<Vec<u8>>,
    origin: &str,
    changed: &[RepoPath],
) -> Vec<Instruction> {
    let mut found = Vec::new();
    let top = INSTRUCTION_FILES.iter().map(|&name| name.to_owned());
    for path in top.chain(paths_in_folders(changed)) {
        let Some(bytes) = read(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        if text.trim().is_empty() {
            continue;
        }
        found.push(Instruction {
            path: RepoPath::from(path.as_str()),
            origin: origin.to_owned(),
            text: text.to_owned(),
        });
    }
    let sizes: Vec<usize> = found
        .iter()
        .map(|file| file.text.len().min(MAX_FILE_BYTES))
        .collect();
    for (file, share) in found.iter_mut().zip(share_room(&sizes, MAX_TOTAL_BYTES)) {
        file.text = cut_text(&file.text, share);
    }
    found
}

/// Where the folders of these files may have instructions of their own, the deepest folders first.
fn paths_in_folders(changed: &[RepoPath]) -> Vec<String> {
    let mut folders = BTreeSet::new();
    for path in changed {
        let path = path.display();
        let slashes = path.match_indices('/').map(|(at, _)| at);
        folders.extend(slashes.map(|at| path[..at].to_owned()));
    }
    let mut folders: Vec<String> = folders.into_iter().collect();
    folders.sort_by_key(|folder| Reverse(folder.matches('/').count()));
    let folders = folders.iter().take(MAX_FOLDERS);
    let paths = folders.flat_map(|folder| OF_FOLDERS.map(|name| format!("{folder}/{name}")));
    paths.collect()
}

/// Shares room among texts of these sizes: each gets what it needs, or as much as any other that gets less than it needs.
pub(crate) fn share_room(sizes: &[usize], room: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|&nth| sizes[nth]);
    let (mut shares, mut left) = (vec![0; sizes.len()], room);
    for (place, &nth) in order.iter().enumerate() {
        shares[nth] = sizes[nth].min(left / (order.len() - place));
        left -= shares[nth];
    }
    shares
}

/// Whether a text is what [`cut_text`] left of a longer one.
pub(crate) fn is_cut(text: &str) -> bool {
    let last = text.lines().next_back().unwrap_or_default();
    last.starts_with("[cut here: ") && last.ends_with(" bytes shown]")
}

/// At most about `bytes` bytes of `text`, cut behind a whole line, with a note when something is missing.
pub(crate) fn cut_text(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let kept = text[..end]
        .rfind('\n')
        .map_or(&text[..end], |line| &text[..=line]);
    format!(
        "{kept}[cut here: {} of {} bytes shown]\n",
        kept.len(),
        text.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        /// No text takes what another needs: whoever is cut has as much as anybody, and nothing is left over meanwhile.
        #[test]
        fn room_is_shared_fairly(sizes in proptest::collection::vec(0..5_000_usize, 0..9), room in 0..20_000_usize) {
            let shares = share_room(&sizes, room);
            let all: usize = shares.iter().sum();
            let most = shares.iter().max().copied().unwrap_or_default();
            proptest::prop_assert!(all <= room);
            for (&size, &share) in sizes.iter().zip(&shares) {
                proptest::prop_assert!(share <= size);
                if share < size {
                    // The rest of a division goes to the largest.
                    proptest::prop_assert!(share + 1 >= most || share + sizes.len() >= most, "{:?}", shares);
                    proptest::prop_assert!(room - all < sizes.len().max(1), "{:?}", shares);
                }
            }
        }
    }

    fn read_from<'a>(
        files: &'a [(&'a str, &'a [u8])],
    ) -> impl FnMut(&str) -> Option<Vec<u8>> + use<'a> {
        |path| {
            files
                .iter()
                .find(|(name, _)| *name == path)
                .map(|(_, bytes)| bytes.to_vec())
        }
    }

    #[test]
    fn files_come_in_their_order_with_their_origin() {
        let files: &[(&str, &[u8])] = &[
            ("REVIEW.md", b"be kind\xff\n"),
            ("AGENTS.md", b"\xef\xbb\xbfbe strict\n"),
        ];
        let found = read_instructions(&mut read_from(files), "origin/main", &[]);
        let shown: Vec<_> = found
            .iter()
            .map(|i| (i.path.display().into_owned(), i.text.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("AGENTS.md".to_owned(), "be strict\n"),
                ("REVIEW.md".to_owned(), "be kind\u{fffd}\n")
            ]
        );
        assert!(found.iter().all(|i| i.origin == "origin/main"));
    }

    /// Law: what a folder tells its agents is told with a change below it, however deep, and with no other.
    #[test]
    fn a_folder_has_instructions_for_what_lies_in_it() {
        let files: &[(&str, &[u8])] = &[
            ("AGENTS.md", b"of the top\n"),
            ("GEMINI.md", b"of the top, too\n"),
            ("svc/AGENTS.md", b"of svc\n"),
            ("svc/api/CLAUDE.md", b"of the api\n"),
            ("web/AGENTS.md", b"of the web\n"),
        ];
        for (changed, told) in [
            ("a.py", &["AGENTS.md", "GEMINI.md"][..]),
            ("svc/a.py", &["AGENTS.md", "GEMINI.md", "svc/AGENTS.md"]),
            (
                "svc/api/v1/a.py",
                &[
                    "AGENTS.md",
                    "GEMINI.md",
                    "svc/api/CLAUDE.md",
                    "svc/AGENTS.md",
                ],
            ),
        ] {
            let found = read_instructions(&mut read_from(files), "x", &[changed.into()]);
            let paths: Vec<_> = found
                .iter()
                .map(|one| one.path.display().into_owned())
                .collect();
            assert_eq!(paths, told, "{changed}");
        }
    }

    #[test]
    fn empty_files_say_nothing() {
        assert!(read_instructions(&mut read_from(&[("CLAUDE.md", b" \n\n")]), "x", &[]).is_empty());
    }

    #[test]
    fn a_long_file_is_cut_at_a_line_and_says_so() {
        let long = "0123456789abcde\n".repeat(4_000);
        let files: &[(&str, &[u8])] = &[("AGENTS.md", long.as_bytes())];
        let text = &read_instructions(&mut read_from(files), "x", &[])[0].text;
        assert!(
            text.ends_with("abcde\n[cut here: 32768 of 64000 bytes shown]\n"),
            "{text:?}"
        );
    }

    #[test]
    fn all_files_together_stay_within_the_bound() {
        let long = "é\n".repeat(20_000);
        let files: Vec<_> = INSTRUCTION_FILES
            .iter()
            .map(|name| (*name, long.as_bytes()))
            .collect();
        let found = read_instructions(&mut read_from(&files), "x", &[]);
        assert_eq!(found.len(), INSTRUCTION_FILES.len());
        let bytes: usize = found.iter().map(|i| i.text.len()).sum();
        assert!(bytes <= MAX_TOTAL_BYTES + 4 * 64, "{bytes}");
    }
}
