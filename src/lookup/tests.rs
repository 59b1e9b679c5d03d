use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use council_agents::tools::LineRange;
use council_protocol::Hunk;
use council_protocol::change::{BlobError, FileKind};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};

use super::*;

/// Files of the reviewed side, and what else stands in its tree.
pub(super) struct Tree {
    pub(super) new: BTreeMap<&'static str, Vec<u8>>,
    pub(super) old: BTreeMap<&'static str, Vec<u8>>,
    pub(super) other: Vec<(&'static str, EntryKind)>,
}

impl BlobSource for Tree {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let files = if side == Side::New {
            &self.new
        } else {
            &self.old
        };
        let bytes = files.get(&*path.display());
        Ok(bytes.map(|bytes| bytes.as_slice().into()))
    }

    fn entries(&self, _: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
        let files = self.new.keys().map(|path| (*path, EntryKind::File));
        let all = files.chain(self.other.iter().copied());
        let entry = |(path, kind): (&str, EntryKind)| TreeEntry {
            path: path.into(),
            kind,
            is_executable: false,
        };
        Ok(Some(all.map(entry).collect()))
    }
}

const APP: &str =
    "import db\n\ndef pay(order):\n    db.lock(order)\n    charge(order)\n    return order\n";
const OTHER: &str = concat!(
    "from app import pay\n\ndef checkout(cart):\n    token = \"ghp_",
    "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8\"\n    pay(cart)\n"
);

fn change(path: &str, status: FileStatus, hunk: Hunk) -> FileChange {
    FileChange {
        path: path.into(),
        old_path: None,
        status,
        kind: FileKind::Text,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: vec![hunk],
    }
}

pub(super) fn lookup_over(tree: Tree) -> CodeLookup {
    let hunk = |old: (u32, u32), new: (u32, u32), body: &str| Hunk {
        old_start: old.0,
        old_lines: old.1,
        new_start: new.0,
        new_lines: new.1,
        section: String::new(),
        body: body.into(),
    };
    let body =
        "     db.lock(order)\n-    db.unlock(order)\n+    charge(order)\n     return order\n";
    let packet = Packet {
        version: PACKET_VERSION,
        target: Target {
            kind: TargetKind::Commit,
            label: String::new(),
            slug: String::new(),
            base: None,
            head: None,
            only: Vec::new(),
        },
        files: vec![
            change(
                "shop/app.py",
                FileStatus::Modified,
                hunk((4, 3), (4, 3), body),
            ),
            change(
                "shop/gone.py",
                FileStatus::Deleted,
                hunk((1, 2), (0, 0), "-a = 1\n-b = 2\n"),
            ),
        ],
        instructions: Vec::new(),
        coverage: Default::default(),
        framing: Default::default(),
    };
    let tree = Arc::new(tree);
    CodeLookup::over_change(Arc::new(packet), tree, Redactor::default(), None).unwrap()
}

fn lookup() -> CodeLookup {
    let mut new: BTreeMap<&'static str, Vec<u8>> = BTreeMap::from([
        ("a/far.py", b"pay = 1\n".to_vec()),
        ("shop/app.py", APP.as_bytes().to_vec()),
        ("shop/other.py", OTHER.as_bytes().to_vec()),
        ("shop/.env", b"PASSWORD=hunter2hunter2\n".to_vec()),
        ("logo.png", b"\x89PNG\0\0pay".to_vec()),
        (
            "long.js",
            format!("{}\ny\n", "x".repeat(9_000)).into_bytes(),
        ),
    ]);
    new.insert(
        "many.txt",
        "pay me, and all of the others\n".repeat(3_000).into_bytes(),
    );
    lookup_over(Tree {
        new,
        old: BTreeMap::from([("shop/gone.py", b"a = 1\nb = 2\n".to_vec())]),
        other: vec![("link", EntryKind::Symlink), ("sub", EntryKind::Submodule)],
    })
}

pub(super) fn bounds() -> QueryBounds {
    QueryBounds {
        max_bytes: 24 << 10,
        until: Instant::now() + Duration::from_secs(20),
    }
}

pub(super) fn run(query: &ToolQuery) -> QueryResult {
    lookup().run_query(query, &bounds())
}

pub(super) fn read(path: &str, from: Option<u32>, to: Option<u32>) -> QueryResult {
    let lines = LineRange { from, to };
    run(&ToolQuery::ReadFile {
        path: path.to_owned(),
        lines,
    })
}

pub(super) fn search(regex: &str, glob: Option<&str>) -> QueryResult {
    run(&ToolQuery::Search {
        regex: regex.to_owned(),
        glob: glob.map(str::to_owned),
    })
}

#[test]
fn a_changed_file_is_shown_as_the_brief_shows_it_with_what_was_removed() {
    let result = read("shop/app.py", Some(4), Some(6));
    let expected = "=== shop/app.py: lines 4-6 of 6\n4      db.lock(order)\n  -    db.unlock(order)\n5 +    charge(order)\n6      return order\n";
    assert_eq!(result.text.as_deref(), Ok(expected));
    assert_eq!(result.asked, "shop/app.py 4-6");
    let seen = |first, last| SeenLines {
        path: "shop/app.py".into(),
        first,
        last,
    };
    assert_eq!(result.seen, [seen(4, 6)]);
    assert_eq!(read("shop/app.py", Some(2), Some(3)).seen, [seen(2, 3)]);
    let gone = read("shop/gone.py", None, None).text.unwrap();
    assert_eq!(
        gone,
        "=== shop/gone.py (deleted by the change): lines 1-2 of 2\n1 -a = 1\n2 -b = 2\n"
    );
}

#[test]
fn no_path_leads_out_of_the_tree() {
    let cases = [
        ("../etc/passwd", "no `..`"),
        ("shop/../../etc/passwd", "no `..`"),
        ("/etc/passwd", "no such file"),
        ("~/.ssh/id_rsa", "no such file"),
        (".git/config", "no such file"),
        ("shop", "no such file"),
        ("shop/app.py\0.txt", "no such file"),
        ("link", "a symbolic link"),
        ("link/passwd", "no such file"),
        ("sub", "a submodule"),
        ("sub/inner.py", "no such file"),
        ("elsewhere/app.py", "there is shop/app.py"),
        ("logo.png", "it is binary"),
    ];
    for (path, problem) in cases {
        for query in [
            ToolQuery::ReadFile {
                path: path.to_owned(),
                lines: LineRange::default(),
            },
            ToolQuery::History {
                path: path.to_owned(),
                lines: LineRange::default(),
            },
        ] {
            let error = run(&query).text.unwrap_err();
            let is_history = matches!(query, ToolQuery::History { .. });
            assert!(error.contains(problem) || is_history, "{path}: {error}");
        }
    }
    // What tools put before a path is taken off.
    for path in ["./shop/app.py", "a/shop/app.py", "/work/tree/shop/app.py"] {
        assert!(read(path, None, None).text.is_ok(), "{path}");
    }
}

#[test]
fn huge_ranges_and_long_lines_are_cut_and_say_so() {
    let whole = read("many.txt", Some(2), Some(u32::MAX)).text.unwrap();
    assert!(whole.len() < 25 << 10, "{}", whole.len());
    assert!(
        whole.contains("did not fit: ask for them]"),
        "{}",
        &whole[whole.len() - 100..]
    );
    assert!(
        read("many.txt", Some(40_000), None)
            .text
            .unwrap_err()
            .contains("3000 lines")
    );
    let long = read("long.js", None, None);
    assert!(
        long.text
            .unwrap()
            .contains("[7000 more bytes of this line are not shown]")
    );
    let cut: Vec<_> = long
        .seen
        .iter()
        .map(|seen| (seen.first, seen.last))
        .collect();
    assert_eq!(cut, [(2, 2)], "a line that is cut was not seen");
    let alone = read("long.js", Some(1), Some(1));
    assert!(alone.text.unwrap().contains(&"x".repeat(9_000)));
    assert_eq!(
        alone.seen.len(),
        1,
        "a line that is asked for alone is shown whole"
    );
}

#[test]
fn no_result_holds_a_secret_and_no_pattern_finds_one() {
    let shown = read("shop/other.py", None, None).text.unwrap();
    assert!(
        shown.contains("[redacted: ") && !shown.contains("ghp_a1B2"),
        "{shown}"
    );
    let shown = read("shop/.env", None, None).text.unwrap();
    assert!(
        shown.contains("PASSWORD=") && !shown.contains("hunter2"),
        "{shown}"
    );
    for pattern in ["ghp_a1B2", "ghp_[a-z]+", "hunter2", "(?i)HUNTER"] {
        let found = search(pattern, None).text.unwrap();
        assert!(found.contains("[0 lines in 0 files"), "{pattern}: {found}");
    }
    let asked = search(
        concat!("ghp_", "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8"),
        None,
    )
    .asked;
    assert!(!asked.contains("ghp_a1B2"), "{asked}");
}

#[test]
fn a_search_goes_from_the_change_outwards_and_keeps_its_bounds() {
    let found = search(r"\bpay\b", Some("**/*.py")).text.unwrap();
    let at = |path: &str| {
        found
            .find(path)
            .unwrap_or_else(|| panic!("{path} in {found}"))
    };
    assert!(at("shop/app.py") < at("shop/other.py") && at("shop/other.py") < at("a/far.py"));
    assert!(found.contains("\n5      pay(cart)\n"), "{found}");
    assert!(found.contains("[4 lines in 3 files"), "{found}");
    let many = search("pay", Some("*.txt")).text.unwrap();
    assert!(many.contains("[20 lines in 1 file,"), "{many}");
    assert!(
        many.contains("lines match there: narrow the search"),
        "{many}"
    );
    for pattern in ["(", "(a{1000}){1000}", "\\p{L}{5000}", "(?=x)"] {
        let error = search(pattern, None).text.unwrap_err();
        assert!(error.contains("cannot be used"), "{pattern}: {error}");
    }
    let begun = Instant::now();
    assert!(search("(a*)*(a*)*(x+x+)+y", None).text.is_ok());
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
    let over = QueryBounds {
        until: Instant::now(),
        ..bounds()
    };
    let query = ToolQuery::Symbol {
        name: "pay".to_owned(),
    };
    let text = lookup().run_query(&query, &over).text.unwrap();
    assert!(text.contains("time ran out"), "{text}");
}

#[test]
fn a_symbol_is_shown_whole_with_the_lines_that_use_it() {
    let query = ToolQuery::Symbol {
        name: "app.pay()".to_owned(),
    };
    let text = run(&query).text.unwrap();
    let (defined, used) = text.split_once("Used in:\n").unwrap();
    assert!(
        defined.contains("3  def pay(order):") && defined.contains("  -    db.unlock(order)"),
        "{text}"
    );
    assert!(
        used.contains("5      pay(cart)") && used.contains("1  from app import pay"),
        "{text}"
    );
    let none = run(&ToolQuery::Symbol {
        name: "nobody".to_owned(),
    })
    .text
    .unwrap();
    assert!(none.starts_with("No definition was found."), "{none}");
    assert!(
        run(&ToolQuery::Symbol {
            name: "a b".to_owned()
        })
        .text
        .is_err()
    );
}

/// Law: every definition in the tree is shown or named with its place, however many lines use the name and however far away
/// it is; and a long one is said to go on.
#[test]
fn no_definition_is_lost_behind_uses() {
    for (uses, definitions, lines) in [
        (0, 1, 3),
        (200, 1, 3),
        (9, 7, 90),
        (70, 9, 3),
        (200, 40, 2),
        (3, 2, 300),
    ] {
        let mut new: BTreeMap<&'static str, Vec<u8>> = BTreeMap::new();
        new.insert("shop/app.py", APP.as_bytes().to_vec());
        let path = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        for n in 0..uses {
            new.insert(
                path(format!("shop/u{n}.py")),
                b"x = 1\nreckon_up(x)\n".to_vec(),
            );
        }
        for n in 0..definitions {
            let body = "    x += 1\n".repeat(lines);
            let text = format!("def reckon_up(x):\n{body}    return x\n");
            new.insert(path(format!("zz/far{n}.py")), text.into_bytes());
        }
        let tree = Tree {
            new,
            old: BTreeMap::from([("shop/gone.py", b"a = 1\nb = 2\n".to_vec())]),
            other: Vec::new(),
        };
        let query = ToolQuery::Symbol {
            name: "reckon_up".to_owned(),
        };
        let text = lookup_over(tree).run_query(&query, &bounds()).text.unwrap();
        let noun = if definitions == 1 { "" } else { "s" };
        let told = format!("[{definitions} definition{noun}, ");
        assert!(text.contains(&told), "{told}: {text}");
        let named = text.matches("zz/far").count();
        let is_named =
            named == definitions || text.contains(&format!("and {} more", definitions - named));
        assert!(is_named, "{named} of {definitions}: {text}");
        let goes_on = text.contains(&format!("goes on to line {}", lines + 2));
        assert_eq!(goes_on, lines > 120, "{text}");
    }
}

/// A partial clone has the names of files and not their content: nobody can say that they do not use a name.
#[test]
fn files_whose_content_is_not_here_are_told_by_every_search() {
    struct Partial(Tree);
    impl BlobSource for Partial {
        fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
            let is_here = path.as_bytes() == b"shop/app.py" || side == Side::Old;
            let missing = BlobError {
                path: path.clone(),
                cause: "object not found".to_owned(),
            };
            if is_here {
                self.0.read(side, path)
            } else {
                Err(missing)
            }
        }

        fn entries(&self, side: Side) -> Result<Option<Vec<TreeEntry>>, BlobError> {
            self.0.entries(side)
        }
    }
    let whole = lookup();
    let files = [
        ("shop/app.py", APP),
        ("shop/other.py", OTHER),
        ("far/one.py", "pay()\n"),
    ];
    let tree = Tree {
        new: files
            .map(|(path, text)| (path, text.as_bytes().to_vec()))
            .into(),
        old: BTreeMap::new(),
        other: Vec::new(),
    };
    let partial = Arc::new(Partial(tree));
    let packet = Arc::clone(&whole.packet);
    let lookup = CodeLookup::over_change(packet, partial, Redactor::default(), None).unwrap();
    let told = |query: ToolQuery| lookup.run_query(&query, &bounds()).text.unwrap();
    let search = |glob: Option<&str>| {
        told(ToolQuery::Search {
            regex: "pay".to_owned(),
            glob: glob.map(str::to_owned),
        })
    };
    for text in [
        told(ToolQuery::Symbol {
            name: "pay".to_owned(),
        }),
        search(None),
    ] {
        assert!(text.contains("2 files could not be searched"), "{text}");
    }
    let text = search(Some("far/**"));
    assert!(text.contains("1 file could not be searched"), "{text}");
    assert!(!text.contains("fits the glob"), "{text}");
}

/// What cannot be looked up is no fact about the tree: the answer names what finds it.
#[test]
fn a_name_that_is_no_word_is_not_said_to_be_nowhere() {
    for name in ["$get", "ready?", "save!", "my-func", "Store.$state"] {
        let name = name.to_owned();
        let why = run(&ToolQuery::Symbol { name }).text.unwrap_err();
        let regex = why.split('`').nth(5).unwrap();
        let plain = regex.replace('\\', "");
        assert!(regex::Regex::new(regex).unwrap().is_match(&plain), "{why}");
        assert!(why.contains("`search`"), "{why}");
    }
}
