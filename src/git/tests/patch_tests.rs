use council_protocol::change::FileKind;
use proptest::prelude::*;

use super::*;

fn one(patch: &str) -> FileChange {
    let [file]: [FileChange; 1] = parse_patch(patch.as_bytes()).unwrap().try_into().unwrap();
    file
}

fn error(patch: &str) -> String {
    parse_patch(patch.as_bytes()).unwrap_err().to_string()
}

const HUNK: &str = "@@ -1 +1 @@\n-a\n+b\n";

#[test]
fn a_plain_diff_with_dates_and_directories() {
    let file = one(
        "diff -ruN old/src/a.c new/src/a.c\n--- old/src/a.c\t2024-01-01 00:00:00.0 +0000\n+++ new/src/a.c\t2024-01-02 00:00:00.0 +0000\n@@ -1 +1 @@ int main(void)\n-a\n+b\n",
    );
    assert_eq!(file.path, "src/a.c".into());
    assert_eq!(file.status, FileStatus::Modified);
    assert_eq!(file.hunks[0].section, "int main(void)");
}

#[test]
fn names_of_plain_diffs() {
    let path = |old: &str, new: &str| one(&format!("--- {old}\n+++ {new}\n{HUNK}")).path;
    assert_eq!(path("a/x.rs", "b/x.rs"), "x.rs".into());
    assert_eq!(path("src/x.rs", "src/x.rs"), "src/x.rs".into());
    assert_eq!(path("src/x.rs.orig", "src/x.rs"), "src/x.rs".into());
    assert_eq!(path("/tmp/a.rs", "/tmp/b.rs"), "tmp/b.rs".into());
    assert_eq!(path("../a.rs", "./b.rs"), "b.rs".into());
    assert_eq!(
        path("\"a/\\303\\244.rs\"", "\"b/\\303\\244.rs\""),
        "ä.rs".into()
    );
    assert_eq!(path("a b.rs", "a b.rs"), "a b.rs".into());
}

#[test]
fn added_and_removed_files_of_plain_diffs() {
    let added = one("--- /dev/null\n+++ b/x.rs\n@@ -0,0 +1 @@\n+a\n");
    assert_eq!(
        (added.status, added.path),
        (FileStatus::Added, "x.rs".into())
    );
    let removed = one("--- x.rs\t2024\n+++ x.rs\t1970\n@@ -1 +0,0 @@\n-a\n");
    assert_eq!((removed.status, removed.new_mode), (FileStatus::Deleted, 0));
}

#[test]
fn headers_of_git() {
    let file = one(
        "diff --git a/old name b/new name\nold mode 100644\nnew mode 100755\nsimilarity index 90%\nrename from old name\nrename to new name\nindex 1111111..2222222\n--- a/old name\t\n+++ b/new name\t\n@@ -1 +1 @@\n-a\n+b\n",
    );
    assert_eq!(
        (file.path.display(), file.status),
        ("new name".into(), FileStatus::Renamed)
    );
    assert_eq!(file.old_path, Some("old name".into()));
    assert_eq!(
        (file.old_mode, file.new_mode, file.similarity),
        (0o100644, 0o100755, Some(90))
    );
    assert_eq!(file.new_id, None, "an abbreviated id is no id");
}

#[test]
fn a_copy_keeps_the_name_of_its_source() {
    let text = format!(
        "diff --git a/x b/y\nsimilarity index 80%\ncopy from x\ncopy to y\nindex 1111111..2222222 100644\n--- a/x\n+++ b/y\n{HUNK}"
    );
    let file = one(&text);
    assert_eq!(
        (file.status, file.old_path.clone()),
        (FileStatus::Added, Some("x".into()))
    );
    let again = one(&file.unified());
    assert_eq!(again, file);
}

#[test]
fn only_a_mode_or_only_a_name() {
    let mode = one("diff --git a/a b/c b/a b/c\nold mode 100644\nnew mode 100755\n");
    assert_eq!(mode.path, "a b/c".into());
    let rename = one("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n");
    assert_eq!((rename.old_path, rename.hunks.len()), (Some("x".into()), 0));
    let empty = one("diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n");
    assert_eq!((empty.status, empty.old_mode), (FileStatus::Added, 0));
}

#[test]
fn binary_files() {
    let named = one("diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n");
    assert_eq!(named.kind, FileKind::Binary);
    let whole = one(
        "diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 4\nLcmZQzU|?VZ00961\n\nliteral 3\nKcmZQzU}OLQ0ssI2\n\n",
    );
    assert_eq!(
        (whole.kind, whole.old_size, whole.new_size),
        (FileKind::Binary, Some(3), Some(4))
    );
    let plain = one("Binary files old/x and new/x differ\n");
    assert_eq!((plain.kind, plain.path), (FileKind::Binary, "x".into()));
    assert_eq!(
        error("diff --git a/x b/x\nGIT binary patch\nliteral 4\nLcmZQzU|?VZ00961\n"),
        "line 4: the patch ends here, in the middle of a binary file"
    );
    assert_eq!(
        error("diff --git a/x b/x\nGIT binary patch\nliteral 4\n+fn hidden() {}\n\n"),
        "line 4: a binary patch is malformed"
    );
}

#[test]
fn carriage_returns_of_the_file_stay_and_those_of_the_transport_go() {
    let file = one("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\r\n+b\r\n");
    assert_eq!(file.hunks[0].body, "-a\r\n+b\r\n");
    let sent = format!("--- a/x\n+++ b/x\n{HUNK}").replace('\n', "\r\n");
    let file = one(&sent);
    assert_eq!(
        (file.path, file.hunks[0].body.as_str()),
        ("x".into(), "-a\n+b\n")
    );
    let git = format!("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n{HUNK}");
    assert_eq!(one(&git.replace('\n', "\r\n")).hunks[0].body, "-a\n+b\n");
}

#[test]
fn the_end_of_a_file_without_newline() {
    let file = one(
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ Kein Zeilenumbruch am Dateiende.\n+b\n\\ No newline at end of file\n",
    );
    let none = "\\ No newline at end of file\n";
    assert_eq!(file.hunks[0].body, format!("-a\n{none}+b\n{none}"));
}

#[test]
fn an_empty_line_is_a_context_line_whose_space_was_trimmed() {
    let file = one("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n\n-a\n+b\n");
    assert_eq!(file.hunks[0].body, " \n-a\n+b\n");
}

#[test]
fn signatures_of_mails_and_words_between_files_are_no_lines() {
    let text = format!("--- a/x\n+++ b/x\n{HUNK}-- \n2.47.3\n\nwords\n--- a/y\n+++ b/y\n{HUNK}");
    assert_eq!(parse_patch(text.as_bytes()).unwrap().len(), 2);
}

#[test]
fn hunks_that_do_not_add_up() {
    let hunk = |header: &str, body: &str| error(&format!("--- a/x\n+++ b/x\n{header}\n{body}"));
    assert_eq!(
        hunk("@@ -1,2 +1 @@", "-a\n"),
        "line 4: the patch ends here, in the middle of a hunk"
    );
    assert_eq!(
        hunk("@@ -1,2 +1 @@", "-a\n+b\n+c\n"),
        "line 6: the hunk has more lines than its header says"
    );
    assert_eq!(
        hunk("@@ -1 +1 @@", "-a\n+b\n+c\n"),
        "line 6: the hunk has more lines than its header says"
    );
    assert_eq!(
        hunk("@@ -1 +1 @@", "-a\n+b\n-c\n"),
        "line 6: the hunk has more lines than its header says"
    );
    assert_eq!(
        hunk("@@ -1 +1 @@", "-a\n+b\n c\n"),
        "line 6: the hunk has more lines than its header says"
    );
    let next = "-a\ndiff --git a/y b/y\n";
    assert_eq!(
        hunk("@@ -1 +1 @@", next),
        "line 5: the hunk has fewer lines than its header says"
    );
    assert_eq!(
        hunk("@@ -1 +x @@", ""),
        "line 3: a hunk's header is malformed"
    );
    assert_eq!(
        hunk("@@ -0 +1 @@", ""),
        "line 3: a hunk's header is malformed"
    );
    assert_eq!(
        hunk("@@ -4294967295 +1 @@", ""),
        "line 3: a hunk's header is malformed"
    );
    let twice = format!("{HUNK}{HUNK}");
    assert_eq!(
        error(&format!("--- a/x\n+++ b/x\n{twice}")),
        "line 6: the hunk does not come after the one before it"
    );
}

#[test]
fn what_would_be_missed_is_refused() {
    assert_eq!(
        error("diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n"),
        "line 1: a combined diff of a merge"
    );
    assert_eq!(error(HUNK), "line 1: a hunk without the name of its file");
    assert_eq!(
        error("Only in new: x.rs\n"),
        "line 1: a file is only on one side, and the patch does not show it"
    );
    assert_eq!(
        error("*** a.c\n--- b.c\n***************\n*** 1,2 ****\n"),
        "line 1: the diff is not a unified one"
    );
    assert_eq!(
        error("Files a and b differ\n"),
        "line 1: the diff is not a unified one"
    );
    assert_eq!(error("words\n"), "no change found in 6 bytes");
    assert_eq!(
        error("--- a/x\n+++ b/x\n"),
        "line 2: the patch ends here, in the middle of a file"
    );
    assert_eq!(
        error("diff --git a/x b/x\n--- a/x\n"),
        "line 3: the line with +++ is malformed"
    );
    assert_eq!(
        error("diff --git a/x b/y\nold mode 100644\nnew mode 100755\n"),
        "line 1: the name of a file is malformed"
    );
}

#[test]
fn a_patch_that_ends_behind_the_name_of_a_file_is_cut_off() {
    let whole = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    let name = "diff --git a/big.py b/big.py";
    for end in ["", "\n", "\r\n"] {
        let said = error(&format!("{whole}{name}{end}"));
        assert_eq!(said, "line 7: the patch ends here, in the middle of a file");
    }
    // git writes it of a file whose times alone changed.
    let files = parse_patch(format!("{name}\n{whole}").as_bytes()).unwrap();
    assert_eq!(files.len(), 2);
}

/// Headers that tell of a change below them, and nothing below: what was changed is not shown.
#[test]
fn a_patch_that_breaks_off_after_its_headers_is_cut_off() {
    let sections = [
        "index 1111111..2222222 100644\n",
        "old mode 100644\nnew mode 100755\nindex 1111111..2222222\n",
        "new file mode 100644\nindex 0000000..2222222\n",
        "deleted file mode 100644\nindex 1111111..0000000\n",
        "index e69de29..2222222 100644\n",
        "old mode 100644\n",
    ];
    for headers in sections {
        let said = error(&format!("diff --git a/a.py b/a.py\n{headers}"));
        assert!(
            said.ends_with("in the middle of a file"),
            "{headers}: {said}"
        );
    }
    for end in ["", "index 1111111..2222222 100644\n"] {
        let names = "diff --git a/a b/b\nsimilarity index 90%\nrename from a\nrename to b\n";
        let said = error(&format!("{names}{end}"));
        assert!(said.ends_with("in the middle of a file"), "{said}");
    }
}

#[test]
fn names_that_lead_out_are_refused() {
    for name in [
        "a/../../etc/passwd",
        "a/.git/config",
        "a/x//y",
        "a/sub/.GIT/hooks/x",
    ] {
        let text = format!(
            "diff --git {name} b/x\n--- {name}\n+++ b{}\n{HUNK}",
            &name[1..]
        );
        assert!(
            error(&text).contains("is no path inside a repository"),
            "{name}"
        );
    }
}

#[test]
fn one_file_twice_is_a_series() {
    let text = format!("--- a/x\n+++ b/x\n{HUNK}--- a/x\n+++ b/x\n{HUNK}");
    assert_eq!(error(&text), "x is changed more than once");
}

/// `patch` applies a file in another format behind a unified one: read over, its lines would be reviewed by nobody.
#[test]
fn a_second_file_in_another_format_is_refused() {
    let unified = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    let plain = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    for other in [
        "*** b.py\t2026-01-01\n--- b.py\t2026-01-02\n***************\n*** 1 ****\n--- 1,2 ----\n  x\n+ key\n",
        "***************\n*** 1 ****\n--- 1,2 ----\n  x\n+ key\n",
        "Index: b.py\n1a2,3\n> key\n> more\n",
        "diff b.py c.py\n3,4c5\n< x\n< y\n---\n> key\n",
        "Index: b.py\n12d11\n< x\n",
        "Index: b.py\n1a\nkey\n.\n",
    ] {
        for first in [unified, plain] {
            for text in [format!("{first}{other}"), format!("{other}{first}")] {
                assert!(
                    error(&text).ends_with("the diff is not a unified one"),
                    "{text}"
                );
            }
        }
    }
    // Words between two files of a series are words.
    let words =
        "From: A <a@x>\nSubject: [PATCH] 3,4 is 5\n\n*** new ***\n1a2 is a place\n< 12d >\n---\n";
    assert_eq!(
        parse_patch(format!("{words}{unified}").as_bytes())
            .unwrap()
            .len(),
        1
    );
}

proptest! {
    /// Law: what `patch` would apply behind an indentation is never read over, whatever stands before or behind it.
    #[test]
    fn an_indented_change_is_refused(
        indentation in "[ \t]{1,3}|X| X|- ", format in 0_usize..5, is_first: bool, is_deeper: bool,
        words in "([A-Z][a-z ,]{0,20}\n){0,2}",
    ) {
        let change = [
            "--- a/b\n+++ b/b\n@@ -1 +1,2 @@\n hi\n+key\n",
            "diff --git a/b b/c\nsimilarity index 100%\nrename from b\nrename to c\n",
            "@@ -1 +1,2 @@\n hi\n+key\n",
            "*** b.py\t2026-01-01\n--- b.py\t2026-01-02\n***************\n*** 1 ****\n--- 1,2 ----\n  x\n+ key\n",
            "Index: b.py\n1a2,3\n> key\n> more\n",
        ][format];
        let indented: String = change.lines().map(|line| format!("{indentation}{line}\n")).collect();
        // `patch` takes away as much as stands before each line.
        let indented = if is_deeper { indented.replacen(&indentation, &format!("\t{indentation}"), 1) } else { indented };
        let plain = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
        let text = if is_first { format!("{indented}{words}{plain}") } else { format!("{plain}{words}{indented}") };
        prop_assert!(parse_patch(text.as_bytes()).is_err(), "{}", text);
    }
}

#[test]
fn words_that_are_indented_are_words() {
    let hunk = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n";
    for words in [
        "  - one\n  - two\n",
        " a | 2 +-\n 1 file changed\n",
        "  --- a line ---\n",
        "\tindented\n    code();\n",
        "-- \n2.47.3\n",
        "- @@ is a sign\n",
    ] {
        for text in [format!("{words}{hunk}"), format!("{hunk}Words:\n{words}")] {
            assert_eq!(parse_patch(text.as_bytes()).unwrap().len(), 1, "{text}");
        }
    }
}

const SAMPLE: &str = "From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\nFrom: A <a@x>\nSubject: [PATCH 1/2] one\n two\n\nbody\n---\n x | 2 +-\n\ndiff --git a/x b/x\nindex 1111111..2222222 100644\n--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@ fn f()\n a\n-b\n+B\n c\n\\ No newline at end of file\ndiff --git \"a/\\303\\244\" b/y\nsimilarity index 100%\nrename from \"\\303\\244\"\nrename to y\ndiff --git a/z b/z\nGIT binary patch\nliteral 1\nIcmZPo000310RR91\n\n-- \n2.47.3\n";

#[test]
fn the_sample_is_read_whole() {
    assert_eq!(parse_patch(SAMPLE.as_bytes()).unwrap().len(), 3);
    assert_eq!(
        mail_framing(SAMPLE.as_bytes()).commits[0].message,
        "one two\n\nbody\n"
    );
}

proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse_patch(&bytes);
        mail_framing(&bytes);
    }

    #[test]
    fn no_damage_makes_it_panic_and_what_is_read_has_sound_hunks(
        cuts in proptest::collection::vec((0..SAMPLE.len(), any::<u8>(), 0..3u8), 1..6),
    ) {
        let mut bytes = SAMPLE.as_bytes().to_vec();
        for (at, byte, how) in cuts {
            let at = at.min(bytes.len().saturating_sub(1));
            match how {
                0 => bytes[at] = byte,
                1 => bytes.truncate(at + 1),
                _ => drop(bytes.splice(at..at, [b'\n', byte])),
            }
        }
        for file in parse_patch(&bytes).unwrap_or_default() {
            for hunk in &file.hunks {
                let lines = hunk.lines().fold((0, 0), |(old, new), line| {
                    (old + u32::from(line.old_no.is_some()), new + u32::from(line.new_no.is_some()))
                });
                prop_assert_eq!(lines, (hunk.old_lines, hunk.new_lines));
            }
            file.unified();
        }
    }
}

/// What stands in a mail is not what is applied where it is encoded: a review of the letters would be one of another patch.
#[test]
fn a_mail_that_has_to_be_decoded_is_refused() {
    let mail = |head: &str| {
        format!(
            "From: A <a@x>\nSubject: [PATCH] x\n{head}\n\n---\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n{HUNK}"
        )
    };
    for encoding in [
        "quoted-printable",
        "base64",
        "Quoted-Printable",
        "x-uuencode",
        "\tBASE64 ",
    ] {
        for name in ["Content-Transfer-Encoding", "content-transfer-encoding"] {
            let told = error(&mail(&format!("{name}: {encoding}")));
            assert!(
                told.starts_with("line 3: the mail is encoded"),
                "{encoding}: {told}"
            );
        }
    }
    for plain in [
        "Content-Transfer-Encoding: 8bit",
        "Content-Transfer-Encoding: 7BIT",
        "MIME-Version: 1.0",
    ] {
        assert_eq!(one(&mail(plain)).path.display(), "x");
    }
}
