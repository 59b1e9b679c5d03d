//! Both sources over the same repositories: the same change, byte for byte.

use std::path::Path;

use council_protocol::Side;

use crate::read::read_from;
use crate::repository::OpenRepository;
use crate::testing::{Repo, filled};
use crate::{ChangeRequest, ReviewedChange, TargetSpec, read_change};

/// A way to make a repository.
type Make = fn(&Repo);

/// What is made, by a name for messages.
const SHAPES: [(&str, Make); 9] = [
    ("one commit", |repo| {
        drop(repo.write("a.txt", "one\n").commit("first"))
    }),
    ("a change, an addition and a removal", |repo| {
        repo.write("a.txt", "one\ntwo\n")
            .write("gone/b.txt", "b\n")
            .commit("first");
        repo.remove("gone/b.txt")
            .write("a.txt", "one\n2\n")
            .write("dir/new.txt", "new");
        repo.commit("second");
    }),
    ("renames", |repo| {
        let text: String = (0..40).map(|n| format!("line {n}\n")).collect();
        repo.write("old.txt", &text).commit("first");
        repo.remove("old.txt")
            .write("new.txt", text.replace("line 7", "seven"));
        repo.commit("second");
    }),
    ("bytes of every kind", |repo| {
        repo.write("bin", [0_u8, 1, 2, 255])
            .write("latin", b"caf\xe9\n")
            .commit("first");
        repo.write("bin", [0_u8, 9])
            .write("latin", b"th\xe9\n")
            .write("crlf", "a\r\nb\r\n");
        repo.commit("second");
    }),
    ("links and modes", |repo| {
        repo.write("run.sh", "#!/bin/sh\n")
            .link("link", "run.sh")
            .commit("first");
        repo.git(&["update-index", "--chmod=+x", "run.sh"]);
        repo.remove("link").link("link", "elsewhere");
        repo.git(&["add", "link"]);
        repo.git(&["commit", "-q", "-m", "second"]);
        repo.git(&["reset", "-q", "--hard"]);
    }),
    ("a merge", |repo| {
        repo.write("a", "a\n").commit("first");
        repo.git(&["checkout", "-q", "-b", "side"]);
        repo.write("b", "b\n").commit("side");
        repo.git(&["checkout", "-q", "main"]);
        repo.write("c", "c\n").commit("main");
        repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    }),
    ("a dirty worktree", |repo| {
        repo.write("a", "a\n")
            .write("gone", "x\n")
            .write(".gitignore", "ignored\n")
            .commit("first");
        repo.write("a", "staged\n").git(&["add", "a"]);
        repo.write("a", "staged\nand more\n")
            .write("untracked/file", "u\n")
            .write("ignored", "i\n");
        repo.write("later", "l\n")
            .git(&["add", "--intent-to-add", "later"]);
        repo.remove("gone");
    }),
    ("odd names", |repo| {
        repo.write("with space", "a\n")
            .write("tab\there", "b\n")
            .write("quote\"d", "c\n")
            .write("ü/ñ", "d\n");
        repo.commit("first");
    }),
    ("many files", |repo| {
        for n in 0..300 {
            repo.write(&format!("d{}/f{n}", n % 7), format!("{n}\n"));
        }
        repo.commit("first");
        for n in (0..300).step_by(9) {
            repo.write(&format!("d{}/f{n}", n % 7), format!("{n}\nmore\n"));
        }
        repo.commit("second");
    }),
];

fn specs() -> Vec<TargetSpec> {
    vec![
        TargetSpec::parse("HEAD"),
        TargetSpec::Staged,
        TargetSpec::Worktree,
        TargetSpec::parse("4b825dc642cb6eb9a060e54bf8d69288fbee4904..HEAD"),
        TargetSpec::parse("HEAD~1...HEAD"),
    ]
}

fn request(repo: &Repo, spec: TargetSpec) -> ChangeRequest {
    let path = std::env::var("PATH").unwrap();
    ChangeRequest {
        env: Repo::env(&[
            ("PATH", &path),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ]),
        ..repo.request(spec)
    }
}

/// Everything that a packet is made of, or why there is none.
fn told(change: Result<ReviewedChange, crate::GitError>) -> String {
    let change = match change {
        Ok(change) => change,
        Err(error) => return error.to_string(),
    };
    let files = filled(&change);
    let sides = [Side::Old, Side::New].map(|side| change.blobs.entries(side).unwrap());
    let contents: Vec<_> = files
        .iter()
        .map(|file| change.blobs.read(Side::New, &file.path).unwrap())
        .collect();
    format!(
        "{:?}\n{files:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{sides:?}\n{contents:?}\n{:?}",
        change.target,
        change.framing,
        change.nothing,
        change.notes,
        change.place,
        change
            .trusted_tree()
            .map(|tree| (tree.origin(), tree.read_file("a.txt").unwrap()))
    )
}

fn by_command(request: &ChangeRequest) -> Result<ReviewedChange, crate::GitError> {
    let store = OpenRepository::by_command(&request.dir, &request.env, "a test asks for it")?;
    read_from(store, request)
}

#[test]
fn both_sources_tell_the_same_byte_for_byte() {
    for (name, make) in SHAPES {
        let repo = Repo::new();
        make(&repo);
        for spec in specs() {
            let request = request(&repo, spec);
            let (one, two) = (told(read_change(&request)), told(by_command(&request)));
            // Paths of the repository end in a slash or not.
            let plain = |text: &str| text.replace("/\"", "\"");
            assert_eq!(plain(&one), plain(&two), "{name}: {:?}", request.spec);
        }
    }
}

/// The same through the whole of what reviews a change: the packet's bytes.
#[test]
fn what_libgit2_cannot_read_is_read_and_named() {
    let options: [(&[&str], &str); 2] = [
        (&["--object-format=sha256"], "its objects have SHA-256 ids"),
        (&["--ref-format=reftable"], "it keeps its refs in reftables"),
    ];
    for (name, make) in SHAPES {
        let plain = Repo::new();
        make(&plain);
        for (options, why) in options {
            let odd = Repo::with(options);
            make(&odd);
            for spec in [
                TargetSpec::parse("HEAD"),
                TargetSpec::Staged,
                TargetSpec::Worktree,
            ] {
                let change = read_change(&request(&odd, spec.clone())).unwrap();
                let named = change.git_source.clone().unwrap_or_default();
                assert!(
                    named.starts_with("the git command (git ") && named.ends_with(why),
                    "{named}"
                );
                let bodies = |change: &ReviewedChange| {
                    let files = filled(change);
                    let body = |file: &council_protocol::FileChange| {
                        (
                            file.path.clone(),
                            file.status,
                            file.kind,
                            file.hunks.clone(),
                            file.new_mode,
                            file.old_size,
                        )
                    };
                    files.iter().map(body).collect::<Vec<_>>()
                };
                let other = read_change(&request(&plain, spec)).unwrap();
                assert_eq!(other.git_source, None);
                assert_eq!(bodies(&change), bodies(&other), "{name} {options:?}");
            }
        }
    }
}

/// T1, T34: a tag comes with a fetch, and must decide neither what is reviewed nor whose configuration is obeyed.
#[test]
fn a_name_that_could_be_several_is_refused_by_both_sources() {
    let repo = Repo::new();
    repo.write("a.txt", "one\n").commit("first");
    repo.git(&["checkout", "-q", "-b", "feat"]);
    repo.write("a.txt", "two\n").commit("second");
    let short = repo.git(&["rev-parse", "--short=12", "main"]);
    let refused = |name: &str, places: [&str; 2]| {
        let targets = ["", "~0", "..feat", "...feat"].map(|rest| format!("{name}{rest}"));
        for target in targets {
            let request = request(&repo, TargetSpec::parse(&target));
            for said in [told(read_change(&request)), told(by_command(&request))] {
                let wanted = format!("it could be {} or {}", places[0], places[1]);
                assert!(said.contains(&wanted), "{target}: {said}");
            }
        }
    };
    let read = |target: &str| {
        let request = request(&repo, TargetSpec::parse(target));
        for change in [read_change(&request), by_command(&request)] {
            assert_eq!(filled(&change.unwrap()).len(), 1, "{target}");
        }
    };
    // What is the same commit by either name is no question, an annotated tag included.
    repo.git(&["tag", "-a", "-m", "same", "main", "main"]);
    read("main...feat");
    repo.git(&["tag", "-f", "main", "feat"]);
    refused("main", ["refs/heads/main", "refs/tags/main"]);
    read("refs/heads/main...refs/heads/feat");
    repo.git(&["tag", "-f", "main", "feat^{tree}"]);
    refused("main", ["refs/heads/main", "refs/tags/main"]);
    repo.git(&["tag", "-d", "main"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    repo.git(&["branch", "origin/main", "feat"]);
    let places = ["refs/heads/origin/main", "refs/remotes/origin/main"];
    refused("origin/main", places);
    // A branch that is called like a short id; a whole id is always the id, and HEAD is HEAD.
    repo.git(&["update-ref", &format!("refs/heads/{short}"), "feat"]);
    refused(&short, [&format!("refs/heads/{short}"), "a short id"]);
    let whole = repo.git(&["rev-parse", "main"]);
    repo.git(&["update-ref", &format!("refs/heads/{whole}"), "feat"]);
    repo.git(&["update-ref", "refs/heads/HEAD", "main"]);
    read(&format!("{whole}..HEAD"));
}

#[test]
fn a_sparse_index_is_expanded() {
    let repo = Repo::new();
    repo.write("in/x", "x\n")
        .write("out/of/y", "y\n")
        .commit("first");
    repo.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "in"]);
    assert_eq!(filled(&repo.parse("HEAD")).len(), 2);
    repo.write("in/x", "new\n").git(&["add", "in/x"]);
    repo.write("in/z", "z\n");
    let staged = read_change(&request(&repo, TargetSpec::Staged)).unwrap();
    assert!(
        staged
            .git_source
            .as_deref()
            .is_some_and(|named| named.ends_with("its index is sparse"))
    );
    assert_eq!(filled(&staged).len(), 1);
    let worktree = read_change(&request(&repo, TargetSpec::Worktree)).unwrap();
    let paths: Vec<_> = filled(&worktree)
        .iter()
        .map(|file| file.path.display().into_owned())
        .collect();
    assert_eq!(paths, ["in/x", "in/z"]);
}

#[test]
fn a_partial_clone_is_read_as_far_as_it_is_there() {
    let origin = Repo::new();
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.write("a.txt", "one\n").commit("first");
    origin.write("a.txt", "two\n").commit("second");
    let repo = Repo::clone_of(&origin, &["--filter=blob:none", "--no-checkout"]);
    let change = by_command(&request(&repo, TargetSpec::parse("HEAD"))).unwrap();
    let error = change.fill_hunks(&mut change.files[0].clone()).unwrap_err();
    assert!(
        matches!(error, crate::GitError::MissingObject { partial: true, .. }),
        "{error}"
    );
}

#[test]
fn nothing_of_a_repository_is_executed_by_the_second_source() {
    let repo = Repo::with(&["--object-format=sha256"]);
    repo.write("a.txt", "one\n").commit("first");
    repo.write("a.txt", "two\n")
        .write(".gitattributes", "* filter=evil diff=evil\n");
    let trap = repo.path().join("trap");
    let evil = format!("touch {}", trap.display());
    for key in [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "diff.external",
        "filter.evil.clean",
        "filter.evil.process",
        "diff.evil.textconv",
        "diff.evil.command",
        "core.alternateRefsCommand",
        "gpg.program",
    ] {
        repo.git(&["config", key, &evil]);
    }
    std::fs::create_dir_all(repo.path().join(".git/hooks")).unwrap();
    for spec in [
        TargetSpec::parse("HEAD"),
        TargetSpec::Staged,
        TargetSpec::Worktree,
        TargetSpec::Default,
    ] {
        if let Ok(change) = read_change(&request(&repo, spec)) {
            filled(&change);
        }
    }
    assert!(!Path::new(&trap).exists());
}
