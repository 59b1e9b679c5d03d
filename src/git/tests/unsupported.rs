//! Repositories that libgit2 cannot read: each has its own name and a way out.

use crate::testing::{Repo, filled};
use crate::{GitError, TargetSpec, read_change};

#[test]
fn without_git_a_repository_that_libgit2_cannot_read_is_named() {
    for (option, feature) in [
        ("--object-format=sha256", "its objects have SHA-256 ids"),
        ("--ref-format=reftable", "it keeps its refs in reftables"),
    ] {
        let repo = Repo::with(&[option]);
        repo.write("a.txt", "a\n").commit("first");
        let mut request = repo.request(TargetSpec::parse("HEAD"));
        request.env = Repo::env(&[("PATH", "/nowhere")]);
        let Err(error) = read_change(&request) else {
            panic!("{option} was read")
        };
        assert_eq!(
            error.to_string(),
            format!("cannot read this repository: {feature}")
        );
        assert!(error.hints().iter().any(|hint| hint.contains("--patch -")));
        // A patch can be reviewed there all the same.
        let patch = format!("{}\n", repo.git(&["show", "--format="])).into_bytes();
        let change = repo.read(TargetSpec::Patch(patch, "stdin".into()));
        assert_eq!(change.files.len(), 1);
    }
}

#[test]
fn a_partial_clone_names_the_object_that_it_left_at_the_remote() {
    let origin = Repo::new();
    origin.git(&["config", "uploadpack.allowFilter", "true"]);
    origin.write("a.txt", "one\n").commit("first");
    origin.write("a.txt", "two\n").commit("second");
    let repo = Repo::clone_of(&origin, &["--filter=blob:none", "--no-checkout"]);
    let change = repo.parse("HEAD");
    let error = change.fill_hunks(&mut change.files[0].clone()).unwrap_err();
    assert!(
        matches!(error, GitError::MissingObject { partial: true, .. }),
        "{error}"
    );
    assert!(
        error.hints()[0].contains("git fetch --refetch"),
        "{:?}",
        error.hints()
    );
}

#[test]
fn an_object_that_is_lost() {
    let repo = Repo::new();
    repo.write("a.txt", "one\n").commit("first");
    let id = repo.git(&["rev-parse", "HEAD:a.txt"]);
    let change = repo.parse("HEAD");
    repo.remove(&format!(".git/objects/{}/{}", &id[..2], &id[2..]));
    let error = change.fill_hunks(&mut change.files[0].clone()).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("object {id} is not in this repository")
    );
    assert!(error.hints()[0].contains("git fsck"));
}

#[test]
fn a_repository_of_another_user_is_opened_only_where_git_would_open_it() {
    let repo = Repo::new();
    repo.write("a.txt", "one\n").commit("first");
    for file in [".", ".git"] {
        // Only the superuser can give files away; elsewhere there is nothing to be seen.
        if std::os::unix::fs::chown(repo.path().join(file), Some(65534), None).is_err() {
            return;
        }
    }
    let path = std::env::var("PATH").unwrap();
    let asked = |settings: &[(&str, &str)]| {
        let mut request = repo.request(TargetSpec::parse("HEAD"));
        let hermetic = [("PATH", path.as_str()), ("GIT_CONFIG_NOSYSTEM", "1")];
        request.env = Repo::env(&[&hermetic, settings].concat());
        read_change(&request).map(|change| filled(&change).len())
    };
    let error = asked(&[("GIT_CONFIG_GLOBAL", "/dev/null")]).unwrap_err();
    assert!(matches!(error, GitError::Owner { .. }), "{error}");
    let hint = format!(
        "git config --global --add safe.directory {}",
        repo.path().display()
    );
    assert!(error.hints()[0].ends_with(&hint), "{:?}", error.hints());
    // The repository's own word does not count.
    repo.write("own", "[safe]\n\tdirectory = *\n");
    std::fs::copy(
        repo.path().join("own"),
        repo.path().join(".git/config.extra"),
    )
    .unwrap();
    let user = Repo::outside();
    user.write(
        "gitconfig",
        format!("[safe]\n\tdirectory = {}\n", repo.path().display()),
    );
    let config = user.path().join("gitconfig");
    assert_eq!(
        asked(&[("GIT_CONFIG_GLOBAL", config.to_str().unwrap())]).unwrap(),
        1
    );
    let counted = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "safe.directory"),
        ("GIT_CONFIG_VALUE_0", "*"),
    ];
    assert_eq!(asked(&counted).unwrap(), 1);
    // The switch is off again.
    assert!(asked(&[("GIT_CONFIG_GLOBAL", "/dev/null")]).is_err());
}
