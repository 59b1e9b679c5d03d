//! The invariants of ARCHITECTURE.md, read off the sources and the manifests.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every Rust file below `dir`, relative to the root, with its text.
fn sources(dir: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![root().join(dir)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).unwrap();
            open.extend(
                entries
                    .map(|e| e.unwrap().path())
                    .filter(|p| !p.ends_with("target")),
            );
        } else if path.extension().is_some_and(|e| e == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path.strip_prefix(root()).unwrap().to_path_buf(), text));
        }
    }
    assert!(!found.is_empty(), "no sources in {dir}");
    found.sort();
    found
}

/// The part of a file that is in the program: comments and everything from the tests on left out.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let product = text.split("#[cfg(test)]\nmod ").next().unwrap_or(text);
    product
        .lines()
        .enumerate()
        .map(|(i, l)| (i + 1, l))
        .filter(|(_, l)| !l.trim_start().starts_with("//"))
}

fn is_test_file(path: &Path) -> bool {
    path.components().any(|c| c.as_os_str() == "tests")
        || path.file_stem().is_some_and(|s| {
            s == "tests" || s == "testing" || s.to_string_lossy().ends_with("_tests")
        })
}

/// Where any of `words` is named in the product code of `dirs`.
fn named(dirs: &[&str], words: &[&str]) -> Vec<String> {
    let mut hits = Vec::new();
    for (path, text) in dirs.iter().flat_map(|dir| sources(dir)) {
        if is_test_file(&path) {
            continue;
        }
        for (number, line) in code(&text) {
            for word in words.iter().filter(|w| has_word(line, w)) {
                hits.push(format!("{}:{number}: {word}", path.display()));
            }
        }
    }
    hits
}

/// Whether a line has a word that does not merely end another one, as `libgit2::` ends in `git2::`.
fn has_word(line: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let starts = |at: usize| !line[..at].ends_with(in_word);
    let whole = !word.starts_with(in_word);
    line.match_indices(word).any(|(at, _)| whole || starts(at))
}

const ALL: [&str; 3] = ["src", "backends", "plugins"];

#[test]
fn the_thinking_rooms_name_no_clock_runtime_file_or_socket() {
    let words = [
        "std::fs",
        "std::net",
        "std::env",
        "std::process",
        "std::thread",
        "Instant",
        "SystemTime",
        "tokio",
        "jiff",
    ];
    let rooms = [
        "src/council",
        "src/duel/protocol",
        "src/duel/verdict.rs",
        "src/report",
        "src/packet",
        "src/prompt",
        "src/text",
        "plugins/protocol/src",
    ];
    let rooms: Vec<_> = rooms
        .into_iter()
        .filter(|r| root().join(r).exists())
        .collect();
    assert_eq!(named(&rooms, &words), Vec::<String>::new());
}

#[test]
fn only_the_cli_prints_exits_or_reads_the_environment() {
    let words = [
        "println!",
        "eprintln!",
        "print!(",
        "process::exit",
        "env::var",
        "env::args",
    ];
    let rooms: Vec<String> = fs::read_dir(root().join("src"))
        .unwrap()
        .map(|e| e.unwrap())
        .map(|e| format!("src/{}", e.file_name().to_string_lossy()))
        .filter(|r| r != "src/cli")
        .collect();
    let rooms: Vec<&str> = rooms.iter().map(String::as_str).collect();
    assert_eq!(named(&rooms, &words), Vec::<String>::new());
}

#[test]
fn use_cases_know_nothing_of_the_command_line_and_nothing_of_the_process() {
    let words = [
        "crate::cli",
        "clap",
        "current_exe",
        "current_dir",
        "temp_dir",
        "vars_os",
        "stdout()",
        "stderr()",
        "dbg!",
    ];
    assert_eq!(named(&["src/run"], &words), Vec::<String>::new());
}

/// Each type that is read from text as well as from bytes has serde's code for it in the program twice.
#[test]
fn json_is_read_from_bytes_alone() {
    let hits = named(&ALL, &["serde_json::from_str", "serde_json::from_reader"]);
    assert_eq!(hits, Vec::<String>::new());
}

/// Files whose product code has `word`.
fn files_naming(word: &str) -> Vec<String> {
    let mut files: Vec<_> = named(&ALL, &[word])
        .iter()
        .map(|hit| hit.split(':').next().unwrap().to_owned())
        .collect();
    files.dedup();
    files
}

#[test]
fn each_risky_crate_has_one_door() {
    for (word, room) in [
        ("git2::", "src/git/libgit2.rs"),
        ("octocrab::", "src/publish/"),
        ("libloading::", "plugins/host/src/"),
    ] {
        let files = files_naming(word);
        assert!(files.len() <= 1, "{word} is named in {files:?}");
        assert!(
            files.iter().all(|f| f.starts_with(room)),
            "{word} belongs to {room}: {files:?}"
        );
    }
}

#[test]
fn unsafe_code_stands_where_the_architecture_says_with_its_reason() {
    let allowed = [
        "plugins/abi/",
        "plugins/sdk/",
        "plugins/host/",
        "plugins/examples/",
        "backends/agents/src/guard",
        "src/git/",
    ];
    for hit in named(
        &ALL,
        &["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"],
    ) {
        assert!(allowed.iter().any(|dir| hit.starts_with(dir)), "{hit}");
    }
}

/// A change may bring links: whoever writes, writes through `safe_file`. Scratch files lie where no change can put anything.
#[test]
fn one_file_writes_files() {
    let words = [
        "fs::write(",
        "fs::copy(",
        "File::create",
        "OpenOptions::new",
        "NamedTempFile",
        "tempfile_in",
        "tempdir_in",
    ];
    let allowed = [
        "src/safe_file/lib.rs",
        // Options only: `safe_file` opens.
        "src/session/real.rs",
        "src/duel/driver/file.rs",
        // Scratch in a folder of our own, or of the system.
        "src/git/fetch.rs",
        "src/git/signature.rs",
        "src/run/workspaces.rs",
    ];
    let mut hits = named(&["src"], &words);
    hits.retain(|hit| !allowed.iter().any(|file| hit.starts_with(file)));
    assert_eq!(hits, Vec::<String>::new());
}

/// T31: what lies in a git directory or a worktree may be a pipe into which nobody writes.
#[test]
fn one_file_reads_what_lies_in_a_git_directory_or_a_worktree() {
    let words = ["fs::read(", "fs::read_to_string(", "File::open("];
    let allowed = [
        "src/safe_file/lib.rs",
        "src/safe_file/pipe.rs",
        // A test reads what it has written.
        "src/run/eval/files.rs",
        "src/duel/driver/file.rs",
        // The system's own.
        "src/cli/limits.rs",
        "src/run/hook/pusher.rs",
        "src/run/hook/machine_load.rs",
        // Looked at before they are opened.
        "src/run/layers.rs",
        "src/git/worktree.rs",
        // In a folder of our own that is made anew.
        "src/git/fetch.rs",
    ];
    let mut hits = named(&["src"], &words);
    hits.retain(|hit| !allowed.iter().any(|file| hit.starts_with(file)));
    assert_eq!(hits, Vec::<String>::new());
}

/// An installed program has no pages beside it: it names each by its address, which one function makes.
#[test]
fn no_message_names_a_page_that_an_installed_program_has_not() {
    let pages = std::fs::read_dir(root().join("docs")).unwrap();
    let pages = pages.map(|page| page.unwrap().file_name().into_string().unwrap());
    let pages: Vec<String> = pages
        .filter(|page| page.ends_with(".md"))
        .map(|page| format!("docs/{page}"))
        .collect();
    let is_address = |line: &str| {
        ["page_address(", "page_url(", "include_str!("]
            .iter()
            .any(|call| line.contains(call))
    };
    let mut named = Vec::new();
    for (path, text) in ["src", "backends", "secrets"]
        .iter()
        .flat_map(|dir| sources(dir))
    {
        let is_shown = |line: &&str| {
            let line = line.trim_start();
            // What is written above an argument is its help.
            !line.starts_with("//") || line.starts_with("/// ") && path.starts_with("src/cli")
        };
        // Keys have their pages by paths; whoever shows them puts the addresses there.
        if is_test_file(&path) || path.ends_with("config/keys.rs") {
            continue;
        }
        let product = text.split("#[cfg(test)]\nmod ").next().unwrap_or(&text);
        for line in product
            .lines()
            .filter(is_shown)
            .filter(|line| !is_address(line))
        {
            let pages = pages.iter().filter(|page| line.contains(*page));
            named.extend(pages.map(|page| format!("{}: {page}", path.display())));
        }
    }
    // Paragraphs of a list that is shown with addresses.
    named.retain(|hit| !hit.starts_with("src/cli/commands/backends.rs"));
    assert_eq!(named, Vec::<String>::new());
}

/// Judges get code to read: their folders are closed to other users, whatever the umask says.
#[test]
fn one_file_makes_temporary_folders() {
    let words = ["tempdir(", "tempdir_in(", "tempfile::Builder"];
    let allowed = [
        "backends/agents/src/private.rs",
        // Beside what is written, or closed in the same way.
        "src/safe_file/lib.rs",
        "src/git/fetch.rs",
    ];
    let mut hits = named(&ALL, &words);
    hits.retain(|hit| !allowed.iter().any(|file| hit.starts_with(file)));
    assert_eq!(hits, Vec::<String>::new());
}

/// "Who." above `judge` tells nobody anything, and schemas publish it. What says something in two words is code.
#[test]
fn no_doc_is_a_word_or_two() {
    let doc =
        |line: &str| line.trim_start().starts_with("///") || line.trim_start().starts_with("//!");
    let is_stub = |line: &str| {
        let text = line.trim_start().trim_start_matches(['/', '!']).trim();
        doc(line) && !text.contains('`') && text.ends_with('.') && text.split(' ').count() < 3
    };
    for (path, text) in ALL
        .iter()
        .chain(&["secrets", "syntax"])
        .flat_map(|dir| sources(dir))
    {
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let above = at > 0 && doc(lines[at - 1]);
            let below = lines.get(at + 1).is_some_and(|next| doc(next));
            let alone = !above && !below;
            assert!(
                !(alone && is_stub(lines[at])),
                "{}:{}: {}",
                path.display(),
                at + 1,
                lines[at]
            );
        }
    }
}

#[test]
fn every_crate_inherits_the_lints() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest
        .split("members = [")
        .nth(1)
        .unwrap()
        .split(']')
        .next()
        .unwrap();
    let members: Vec<_> = members.split('"').skip(1).step_by(2).collect();
    assert!(members.len() > 10, "{members:?}");
    for member in members {
        let text = fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap();
        assert!(
            text.contains("[lints]\nworkspace = true"),
            "{member}/Cargo.toml"
        );
    }
}

/// Which workspace crates a crate may depend on (ARCHITECTURE.md, "Rooms").
#[test]
fn crates_depend_in_one_direction() {
    let allowed: &[(&str, &[&str])] = &[
        ("plugins/protocol", &[]),
        ("plugins/abi", &[]),
        ("plugins/sdk", &["council-protocol", "council-abi"]),
        ("plugins/host", &["council-protocol", "council-abi"]),
        ("plugins/conformance", &["council-protocol"]),
        ("src/council", &["council-protocol"]),
        ("src/safe_file", &[]),
        ("src/git", &["council-protocol", "council-files"]),
        ("secrets", &[]),
        ("syntax", &[]),
        (
            "backends/builtin",
            &["council-protocol", "council-secrets", "council-syntax"],
        ),
        (
            "backends/agents",
            &["council-protocol", "council-builtin", "council-secrets"],
        ),
        ("backends/teams", &["council-protocol", "council-agents"]),
        (
            "backends/subagents",
            &["council-protocol", "council-agents"],
        ),
        ("backends/inline", &["council-protocol", "council-agents"]),
        ("backends/background", &["council-protocol"]),
    ];
    for (member, may) in allowed {
        let text = fs::read_to_string(root().join(member).join("Cargo.toml")).unwrap();
        let product = text.split("[dev-dependencies]").next().unwrap();
        for line in product.lines().filter(|l| l.starts_with("council-")) {
            let name = line.split(['.', ' ', '=']).next().unwrap();
            assert!(may.contains(&name), "{member} may not depend on {name}");
        }
    }
}

#[test]
fn no_source_or_document_names_a_machine_or_a_registry_host() {
    let places = ["/work", "/root/"].map(|p| format!("{p}/"));
    let files = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "CHANGELOG.md",
        "Cargo.lock",
    ];
    for file in files {
        let text = fs::read_to_string(root().join(file)).unwrap();
        assert!(!places.iter().any(|p| text.contains(p.as_str())), "{file}");
    }
}

/// A line of a document is read in a terminal, too. Tables, code and addresses are as long as they have to be.
#[test]
fn no_line_of_a_document_is_longer_than_a_terminal_is_wide() {
    let pages = fs::read_dir(root().join("docs")).unwrap();
    let pages = pages.map(|page| page.unwrap().path());
    let pages = pages.filter(|page| page.extension().is_some_and(|end| end == "md"));
    let top = [
        "README.md",
        "SECURITY.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ];
    let top = top.iter().map(|name| root().join(name));
    let mut long = Vec::new();
    for page in pages.chain(top) {
        let name = page.strip_prefix(root()).unwrap().display().to_string();
        let mut is_code = false;
        for (number, line) in fs::read_to_string(&page).unwrap().lines().enumerate() {
            let text = line.trim_start();
            is_code ^= text.starts_with("```");
            let is_free =
                is_code || line.starts_with("    ") || text.starts_with(['|', '<', '#', '!']);
            if !is_free && !line.contains("http") && line.chars().count() > 120 {
                long.push(format!("{name}:{}", number + 1));
            }
        }
    }
    assert!(long.is_empty(), "{long:?}");
}
