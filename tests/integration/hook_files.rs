//! The hooks as files: what is installed, what is left alone, what is there afterwards.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use crate::harness::Repo;
use crate::hook::Desk;

#[test]
fn a_manager_is_given_its_lines() {
    for (file, words) in [
        (".pre-commit-config.yaml", "id: git-council"),
        ("lefthook.yml", "use_stdin: true"),
        (".husky/pre-commit", "hook run pre-push \"$@\""),
        ("hk.pkl", "stdin = \"{{hook_stdin}}\""),
    ] {
        let desk = Desk::new();
        desk.repo.write(file, "");
        let run = desk.repo.council(["hook", "install"]).ends(2);
        run.tells("manages the hooks here").prints(words);
        assert!(!desk.repo.path().join(".git/hooks/pre-push").exists());
        desk.repo.council(["hook", "install", "--force"]).ends(0);
    }
}

#[test]
fn a_hook_that_was_edited_after_the_installation_is_the_users() {
    let desk = Desk::new().installed();
    let file = desk.repo.path().join(".git/hooks/pre-push");
    let mut text = fs::read_to_string(&file).unwrap();
    text.insert_str(text.find("kept=").unwrap(), "make test || exit 1\n");
    fs::write(&file, &text).unwrap();
    desk.repo
        .council(["hook", "install"])
        .ends(2)
        .tells("was edited after git-council installed it");
    desk.repo
        .council(["hook", "install", "--force"])
        .ends(2)
        .tells("was edited after git-council installed it");
    desk.repo
        .council(["hook", "status"])
        .ends(0)
        .prints("then edited: git-council leaves it alone");
    desk.repo
        .council(["hook", "uninstall"])
        .ends(2)
        .tells("it was left as it is");
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}

/// Every file below a directory with its mode and bytes.
fn snapshot(dir: &Path) -> Vec<(PathBuf, u32, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![dir.to_path_buf()];
    while let Some(path) = open.pop() {
        let meta = fs::symlink_metadata(&path).unwrap();
        let bytes = if meta.is_dir() {
            open.extend(
                fs::read_dir(&path)
                    .unwrap()
                    .map(|entry| entry.unwrap().path()),
            );
            Vec::new()
        } else if meta.is_symlink() {
            fs::read_link(&path)
                .unwrap()
                .into_os_string()
                .into_encoded_bytes()
        } else {
            fs::read(&path).unwrap()
        };
        all.push((path, meta.permissions().mode(), bytes));
    }
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    #[test]
    fn install_and_uninstall_leave_bytes_and_modes(
        pre_push in prop::option::of((prop::collection::vec(any::<u8>(), 0..80), 0o400..0o777_u32)),
        post_commit in prop::option::of(prop::collection::vec(any::<u8>(), 0..80)),
        link in any::<bool>(),
        directory in any::<bool>(),
        twice in any::<bool>(),
    ) {
        let repo = Repo::with_base();
        let hooks = repo.path().join(".git/hooks");
        fs::remove_dir_all(&hooks).ok();
        if directory || pre_push.is_some() || post_commit.is_some() || link {
            fs::create_dir_all(&hooks).unwrap();
        }
        if let Some((bytes, mode)) = &pre_push {
            fs::write(hooks.join("pre-push"), bytes).unwrap();
            fs::set_permissions(hooks.join("pre-push"), PermissionsExt::from_mode(*mode | 0o400)).unwrap();
        }
        if link {
            std::os::unix::fs::symlink("../../hook.sh", hooks.join("post-commit")).unwrap();
        } else if let Some(bytes) = &post_commit {
            fs::write(hooks.join("post-commit"), bytes).unwrap();
        }
        let before = snapshot(&repo.path().join(".git"));
        for _ in 0..=usize::from(twice) {
            repo.council(["hook", "install", "--post-commit", "--force"]).ends(0);
        }
        repo.council(["hook", "uninstall"]).ends(0);
        prop_assert_eq!(snapshot(&repo.path().join(".git")), before);
    }
}
