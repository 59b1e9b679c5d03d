//! `--patch` inside of the repository that the patch is of.

use council_protocol::{FileChange, Side};

use crate::testing::{Repo, filled};
use crate::{ReviewedChange, TargetSpec};

/// How people make patches.
const OPTIONS: [&[&str]; 6] = [
    &[],
    &["-U0"],
    &["-U12", "--full-index", "--binary"],
    &["-M", "--binary"],
    &["--histogram", "--binary"],
    &["--no-renames", "--binary"],
];

/// A repository with files of many kinds, and a change of most of them in the worktree.
fn changed() -> Repo {
    let repo = Repo::new();
    let lines = |word: &str| -> String { (0..40).map(|nth| format!("{word} {nth}\n")).collect() };
    repo.write("src/a.py", lines("a"));
    repo.write("src/moved.py", lines("moved"));
    repo.write("src/gone.py", lines("gone"));
    repo.write("src/untouched.py", lines("untouched"));
    repo.write("dos.txt", lines("dos").replace('\n', "\r\n"));
    repo.write("open.txt", "no end");
    repo.write("empty.txt", "");
    repo.write("run.sh", "echo\n");
    repo.link("link", "open.txt");
    repo.commit("one");
    let edited = |word: &str| {
        lines(word)
            .replace(" 20\n", " twenty\n")
            .replace(" 39\n", " 39")
    };
    repo.write("src/a.py", edited("a"));
    repo.write("src/b.py", edited("b"));
    repo.write("src/new.py", edited("moved"));
    repo.remove("src/moved.py")
        .remove("src/gone.py")
        .remove("empty.txt");
    repo.write(
        "dos.txt",
        lines("dos")
            .replace('\n', "\r\n")
            .replace("dos 3\r", "dos three\r"),
    );
    repo.write("open.txt", "no end\nbut more\n");
    repo.remove("link").link("link", "src/a.py");
    repo.git(&["add", "-A"]);
    repo.git(&["update-index", "--chmod=+x", "run.sh"]);
    repo
}

fn read_patch(repo: &Repo, options: &[&str], base: &str) -> ReviewedChange {
    let args = [&["diff"][..], options, &["--cached", base]].concat();
    let patch = repo.command(&args).output().unwrap().stdout;
    repo.read(TargetSpec::Patch(patch, "fix.patch".into()))
}

fn shown(files: &[FileChange]) -> Vec<String> {
    let mut all: Vec<String> = files
        .iter()
        .map(|file| {
            let lines = file.hunks.iter().flat_map(|hunk| hunk.lines());
            let changed = lines.filter(|line| line.old_no.is_none() || line.new_no.is_none());
            let changed: Vec<String> = changed.map(|line| format!("{line:?}")).collect();
            format!(
                "{} {:?} {:o} {:o} {changed:?}",
                file.path.display(),
                file.old_path,
                file.old_mode,
                file.new_mode
            )
        })
        .collect();
    all.sort();
    all
}

/// Law: however a patch was made, in its repository it is the change that git makes of it, with the whole files on both
/// sides and all others beside them; on a commit behind it as well.
#[test]
fn a_patch_in_its_repository_is_the_change_itself() {
    for options in OPTIONS {
        let repo = changed();
        let base = repo.git(&["rev-parse", "HEAD"]).trim().to_owned();
        for is_committed in [false, true] {
            if is_committed {
                repo.git(&["commit", "-q", "-m", "two"]);
            }
            let change = read_patch(&repo, options, &base);
            assert_eq!(change.notes, [""; 0], "{options:?}");
            assert!(change.blobs.has_blobs() && change.reviewed_tree().is_some());
            assert_eq!(
                change.earlier_history().is_some(),
                !is_committed,
                "only of HEAD's files"
            );
            for path in [
                "src/a.py",
                "src/b.py",
                "src/new.py",
                "dos.txt",
                "open.txt",
                "src/untouched.py",
            ] {
                let read = |side| {
                    change
                        .blobs
                        .read(side, &path.into())
                        .unwrap()
                        .map(|bytes| bytes.to_vec())
                };
                let now = repo
                    .command(&["show", &format!(":{path}")])
                    .output()
                    .unwrap()
                    .stdout;
                assert_eq!(read(Side::New), Some(now), "{path} {options:?}");
                let before = repo
                    .command(&["show", &format!("{base}:{path}")])
                    .output()
                    .unwrap();
                let before = before.status.success().then_some(before.stdout);
                assert_eq!(read(Side::Old), before, "{path} {options:?}");
            }
            for path in ["src/gone.py", "src/moved.py", "empty.txt"] {
                assert_eq!(
                    change.blobs.read(Side::New, &path.into()).unwrap(),
                    None,
                    "{path}"
                );
            }
            if !options.contains(&"--no-renames") && !is_committed {
                let staged = repo.read(TargetSpec::Staged);
                assert_eq!(
                    shown(&filled(&change)),
                    shown(&filled(&staged)),
                    "{options:?}"
                );
            }
        }
    }
}

type PatchEdit<'e> = &'e dyn Fn(String) -> String;

/// Law: a patch of other files than those here is read as it is, and why is told with the first file that differs.
#[test]
fn a_patch_of_other_files_is_read_alone_and_says_why() {
    let other = |options: &[&str], edit: PatchEdit<'_>| {
        let repo = changed();
        let args = [
            &["diff"][..],
            options,
            &["--cached", "HEAD", "--", "src/a.py"],
        ]
        .concat();
        let patch = edit(repo.git(&args) + "\n");
        repo.read(TargetSpec::Patch(patch.into_bytes(), "fix.patch".into()))
    };
    let context = |patch: String| patch.replace("\n a 18\n", "\n a eighteen\n");
    let removed = |patch: String| patch.replace("\n-a 20\n", "\n-a zwanzig\n");
    let added = |patch: String| patch.replace("\n+a twenty\n", "\n+a forged\n");
    let moved = |patch: String| patch.replace("@@ -18,7 +18,7 @@", "@@ -17,7 +17,7 @@");
    let missing = |patch: String| {
        patch
            .replace("src/a.py", "src/c.py")
            .replace("index ", "index 1")
    };
    let edits: [(&str, PatchEdit<'_>, bool); 6] = [
        ("as it is", &|patch| patch, true),
        ("context", &context, false),
        ("removed", &removed, false),
        ("added", &added, false),
        ("moved", &moved, false),
        ("missing", &missing, false),
    ];
    for (name, edit, applies) in edits {
        let change = other(&[], edit);
        assert_eq!(change.blobs.has_blobs(), applies, "{name}");
        let told = change
            .notes
            .iter()
            .filter(|note| note.contains("not of the files of this repository: src/"));
        assert_eq!(
            told.count(),
            usize::from(!applies),
            "{name}: {:?}",
            change.notes
        );
        assert_eq!(filled(&change).len(), 1, "{name}");
    }
}
