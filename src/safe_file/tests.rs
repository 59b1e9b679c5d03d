use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

/// A checkout, and a folder outside of it with one file.
fn places() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let (tree, outside) = (home.path().join("tree"), home.path().join("outside"));
    fs::create_dir_all(tree.join(".git")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("own"), "mine").unwrap();
    (home, tree, outside)
}

fn content(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let read = |entry: fs::DirEntry| {
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        (entry.file_name().into_string().unwrap(), text)
    };
    entries.map(read).collect()
}

#[test]
fn a_link_in_the_place_of_a_file_is_replaced_and_one_on_the_way_is_refused() {
    let (_home, tree, outside) = places();
    symlink(outside.join("own"), tree.join("report.sarif")).unwrap();
    write_file(&tree.join("report.sarif"), "report").unwrap();
    assert!(!is_link(&tree.join("report.sarif")));
    symlink(&outside, tree.join("out")).unwrap();
    let refused = write_file(&tree.join("out/own"), "report").unwrap_err();
    assert!(refused.to_string().contains("symbolic link"), "{refused}");
    assert!(make_folder(&tree.join("out/deep")).is_err());
    // A checkout behind the link makes it no better.
    fs::create_dir(outside.join(".git")).unwrap();
    assert!(write_file(&tree.join("out/own"), "report").is_err());
    fs::remove_dir(outside.join(".git")).unwrap();
    symlink(outside.join("own"), tree.join("log")).unwrap();
    assert!(open_append(&tree.join("log")).is_err());
    assert_eq!(content(&outside), [("own".to_owned(), "mine".to_owned())]);
}

#[test]
fn a_pipe_in_the_place_of_a_file_keeps_nobody_waiting() {
    let home = tempfile::tempdir().unwrap();
    let git = home.path().join(".git");
    let own = git.join("council");
    fs::create_dir_all(git.join("objects")).unwrap();
    fs::write(git.join("HEAD"), "ref: refs/heads/main").unwrap();
    fs::create_dir_all(&own).unwrap();
    let pipe = own.join("shown.json");
    let make = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(make.unwrap().success());
    let (said, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for path in [&*pipe, Path::new("/dev/zero"), Path::new("/dev/tty")] {
            assert!(read(path).is_err() && read_text(path).is_err());
            assert!(open_to_read(path).is_err());
        }
        assert!(open_append(&pipe).is_err());
        assert!(open_here(OpenOptions::new().write(true), &pipe).is_err());
        write_file(&pipe, "whole").unwrap();
        assert_eq!(read_text(&pipe).unwrap(), "whole");
        assert_eq!(read(&pipe).unwrap(), b"whole");
        said.send(()).unwrap();
    });
    let waited = heard.recv_timeout(std::time::Duration::from_secs(20));
    waited.expect("it waits, or an assertion failed");
}

#[test]
fn the_user_s_own_links_outside_of_a_checkout_lead_where_they_lead() {
    let (home, _, outside) = places();
    symlink(&outside, home.path().join("reports")).unwrap();
    write_file(&home.path().join("reports/new"), "report").unwrap();
    assert_eq!(fs::read_to_string(outside.join("new")).unwrap(), "report");
}

/// Whichever part of a path in our own folder is a link: nothing outside of it changes.
#[test]
fn no_path_of_our_own_folder_leads_out_of_it() {
    for parts in [&["council"][..], &["council", "a"], &["council", "a", "a"]] {
        for link_at in 0..parts.len() {
            let (_home, tree, outside) = places();
            let git = tree.join(".git");
            fs::create_dir(git.join("objects")).unwrap();
            fs::write(git.join("HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::create_dir_all(outside.join("a/a")).unwrap();
            fs::write(outside.join("a/own"), "mine").unwrap();
            fs::write(outside.join("a/a/own"), "mine").unwrap();
            let before = [
                content(&outside),
                content(&outside.join("a")),
                content(&outside.join("a/a")),
            ];
            let mut path = git.clone();
            for (at, part) in parts.iter().enumerate() {
                path.push(part);
                if at == link_at {
                    symlink(outside.join(parts[1..=at].join("/")), &path).unwrap();
                } else if at < link_at {
                    fs::create_dir(&path).unwrap();
                }
            }
            for file in [path.join("own"), path.join("new")] {
                assert!(write_file(&file, "theirs").is_err(), "{}", file.display());
                assert!(FileWriter::new(&file).write_new(b"theirs").is_err());
                assert!(open_append(&file).is_err());
                assert!(check_place(&file).is_err());
            }
            assert!(make_folder(&path.join("deep")).is_err());
            assert!(make_dirs(&git, &Path::new(&parts.join("/")).join("deep")).is_err());
            assert_eq!(list_own(&path).count(), 0);
            let after = [
                content(&outside),
                content(&outside.join("a")),
                content(&outside.join("a/a")),
            ];
            assert_eq!(before, after, "{parts:?} {link_at}");
        }
    }
}

#[test]
fn a_pipe_or_a_device_is_written_to_instead_of_replaced() {
    let (_home, tree, _) = places();
    let socket = tree.join("socket");
    let _open = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    fs::write(tree.join("file"), "").unwrap();
    symlink(&socket, tree.join("link")).unwrap();
    for device in ["/dev/null", "/dev/stdout", "/proc/self/fd/1"].map(Path::new) {
        assert!(is_device(device), "{}", device.display());
    }
    assert!(is_device(&socket));
    for name in ["file", "link", "new", ".git"] {
        assert!(!is_device(&tree.join(name)), "{name}");
    }
}

#[test]
fn what_is_written_has_the_user_s_mode_and_nothing_is_left_beside_it() {
    let (_home, tree, _) = places();
    fs::write(tree.join("plain"), "").unwrap();
    write_file(&tree.join("ours"), "one").unwrap();
    write_file(&tree.join("ours"), "two").unwrap();
    let refused = FileWriter::new(&tree.join("ours"))
        .write_new(b"three")
        .unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
    let mode = |name| fs::metadata(tree.join(name)).unwrap().permissions().mode();
    assert_eq!(mode("ours"), mode("plain"));
    let mut names: Vec<_> = content(&tree).into_iter().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(names, [".git", "ours", "plain"]);
}

/// Whichever folder of a path is a link, and wherever in it: nothing outside of the checkout changes. There are so
/// few ways that all of them are tried.
#[test]
fn no_path_of_a_checkout_leads_out_of_it() {
    let ways = (1..5).flat_map(|depth| (0..5).map(move |link_at| (depth, link_at)));
    for (depth, link_at) in ways {
        for to_file in [false, true] {
            stays_inside(depth, link_at, to_file);
        }
    }
}

fn stays_inside(depth: usize, link_at: usize, to_file: bool) {
    let (_home, tree, outside) = places();
    fs::create_dir_all(outside.join("a/a/a/a")).unwrap();
    let before = content(&outside);
    let mut path = tree.clone();
    for at in 0..depth {
        let next = path.join("a");
        if at == link_at {
            symlink(
                if to_file {
                    outside.join("own")
                } else {
                    outside.clone()
                },
                &next,
            )
            .unwrap()
        } else {
            let _ = fs::create_dir(&next);
        }
        path = next;
    }
    let _ = make_folder(&path);
    let _ = write_file(&path.join("own"), "theirs");
    let _ = FileWriter::new(&path.join("new")).write_new(b"theirs");
    let _ = write_file(&path, "theirs");
    let _ = open_append(&path.join("own")).and_then(|mut file| file.write_all(b"theirs"));
    let _ = make_dirs(&tree, Path::new("a/a/a/a/a/a"));
    assert_eq!(content(&outside), before, "{depth} {link_at} {to_file}");
    let deep = fs::read_dir(outside.join("a/a/a/a")).unwrap().count();
    assert_eq!(deep, 0);
}
