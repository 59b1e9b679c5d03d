//! What a brief holds of changes whose defect lies outside of their hunks.

mod asked_methods;
mod asked_routes;
mod callers;
pub(crate) mod corpus;
mod definitions;
mod enum_cases;
mod everyday;
mod fields;
mod fixtures;
mod foreign;
mod given_fields;
mod handed_on;
mod headings;
mod heard_events;
mod held_types;
mod imports;
mod kin;
mod kin_forms;
mod listening;
mod long_functions;
mod meaning;
mod members;
mod named_elsewhere;
mod naming;
mod options;
mod other_types;
mod outer_functions;
mod outlets;
mod own_fields;
mod own_methods;
mod plain_callers;
mod plain_names;
mod reached;
mod reaching_tests;
mod read_answers;
mod read_pages;
mod read_settings;
mod read_tags;
mod read_templates;
mod read_texts;
mod rebound;
mod registered;
mod repositories;
mod runtime;
mod scopes;
mod set_fields;
mod shared_keys;
mod tables;
mod types;
mod users;

use std::collections::BTreeMap;
use std::time::Duration;

use council_protocol::Packet;

use super::*;
use corpus::{all_cases, build, prepare, untold, write_commit};

use crate::council::plan::RunSeed;
use crate::git::ReviewedChange;
use crate::git::testing::Repo;
use crate::prompt::{BriefClass, ChangeContext, ContextKind, PromptBuilder};

fn look(change: &ReviewedChange, packet: &Packet) -> GatheredContext {
    let sight = Sight::around(change).unwrap();
    let limits = SearchLimits::within(Duration::from_secs(60));
    gather_context(&sight, packet, &limits)
}

pub(crate) fn render(packet: &Packet, gathered: &GatheredContext) -> String {
    let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
    let around = ChangeContext {
        blocks: &gathered.blocks,
        gaps: &gathered.gaps,
    };
    let brief = prompter.render_filled_brief(packet, around, &BriefClass::default());
    brief.unwrap().text.to_string()
}

#[test]
fn a_brief_tells_what_lies_outside_of_the_change() {
    let cases = all_cases();
    assert!(cases.len() >= 40, "{}", cases.len());
    let (mut missing, mut told_by_change) = (Vec::new(), Vec::new());
    for case in &cases {
        let telling = case
            .files
            .iter()
            .map(|file| file.telling().len())
            .sum::<usize>();
        assert!(
            telling + usize::from(case.tells.is_some()) > 0,
            "{}",
            case.name
        );
        let repo = build(case);
        let (change, packet) = prepare(&repo, "main~1..main");
        let gathered = look(&change, &packet);
        if untold(case, &render(&packet, &GatheredContext::default())).is_empty() {
            told_by_change.push(case.name.clone());
        }
        let brief = render(&packet, &gathered);
        assert!(!brief.contains("the author praises it"), "{}", case.name);
        missing.extend(untold(case, &brief));
    }
    assert_eq!(
        told_by_change,
        Vec::<String>::new(),
        "no defect outside of the hunks"
    );
    assert_eq!(missing, Vec::<String>::new());
}

/// One case for tests of single properties.
fn case(name: &str) -> (Repo, ReviewedChange, Packet) {
    let cases = all_cases();
    let repo = build(cases.iter().find(|case| case.name == name).unwrap());
    let (change, packet) = prepare(&repo, "main~1..main");
    (repo, change, packet)
}

#[test]
fn the_same_change_gives_the_same_brief() {
    let (_repo, change, packet) = case("go/caller");
    let brief = || render(&packet, &look(&change, &packet));
    assert_eq!(brief(), brief());
}

#[test]
fn bounds_end_a_search_and_are_told() {
    let (_repo, change, packet) = case("python/caller");
    let sight = Sight::around(&change).unwrap();
    let limits = SearchLimits {
        files: 2,
        ..SearchLimits::within(Duration::from_secs(60))
    };
    let gathered = gather_context(&sight, &packet, &limits);
    assert_eq!(gathered.gaps.len(), 1, "{:?}", gathered.gaps);
    let over = SearchLimits::within(Duration::ZERO);
    let gathered = gather_context(&sight, &packet, &over);
    let named = |kind| gathered.blocks.iter().any(|block| block.kind == kind);
    assert!(!named(ContextKind::Use) && !gathered.gaps.is_empty());
}

#[test]
fn files_that_usually_change_along_are_named() {
    let repo = Repo::new();
    let mut stream = String::new();
    for round in 0..4 {
        let text = |name: &str| format!("{name} {round}\n");
        let files = [("schema.sql", text("s")), ("model.py", text("m"))];
        let files = files.map(|(path, text)| (path.to_owned(), text));
        write_commit(&mut stream, &format!("round {round}"), &files);
    }
    let other = [("other.py".to_owned(), "o\n".to_owned())];
    write_commit(&mut stream, "other", &other);
    let change = [("schema.sql".to_owned(), "changed\n".to_owned())];
    write_commit(&mut stream, "the change", &change);
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    let (change, packet) = prepare(&repo, "main~1..main");
    let gathered = look(&change, &packet);
    let companions = gathered
        .blocks
        .iter()
        .filter(|block| block.kind == ContextKind::Companion);
    let told: Vec<_> = companions
        .map(|block| (block.path.display(), block.note.as_str()))
        .collect();
    let note = "changed in 3 of the 3 earlier commits that changed schema.sql and at most 20 files, and not in this change";
    assert_eq!(told, [("model.py".into(), note)]);
}

#[test]
fn a_fix_is_told_however_many_commits_came_after_it() {
    let repo = Repo::new();
    let mut stream = String::new();
    let file = |path: &str, text: String| [(path.to_owned(), text)];
    let pool = |guard: &str| format!("def put(pool, item):\n{guard}    pool.items.append(item)\n");
    let guarded = pool("    if item is None:\n        return\n");
    write_commit(
        &mut stream,
        "Fix crash of an empty put (#7)",
        &file("pool.py", guarded),
    );
    for round in 0..400 {
        let text = format!("round {round}\n");
        write_commit(&mut stream, "other", &file("notes.txt", text));
    }
    write_commit(&mut stream, "the change", &file("pool.py", pool("")));
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    assert!(brief.contains("Fix crash of an empty put (#7)"), "{brief}");

    let sight = Sight::around(&change).unwrap();
    let limits = SearchLimits {
        commits: 10,
        ..SearchLimits::within(Duration::from_secs(60))
    };
    let gathered = gather_context(&sight, &packet, &limits);
    let gap = "the commits that brought some removed lines were not found within 10 commits";
    assert_eq!(gathered.gaps, [gap]);
    assert!(!render(&packet, &gathered).contains("Fix crash"));
}

#[test]
fn the_rest_of_a_long_changed_function_is_shown() {
    let repo = Repo::new();
    let mut stream = String::new();
    let body = |unlock: &str| {
        let mut lines = vec!["package pool".to_owned(), String::new()];
        // A file of its own size, so that it does not count as small.
        lines.extend((0..40).map(|n| format!("var filling{n} = {n}")));
        lines.push("func (p *Pool) Refill(want int) error {".to_owned());
        lines.extend((1..260).map(|n| match n {
            20 => "\tp.mu.Lock()".to_owned(),
            240 => format!("\t{unlock}"),
            _ => format!("\tp.step({n})"),
        }));
        lines.extend(["\treturn nil".to_owned(), "}".to_owned()]);
        lines.join("\n") + "\n"
    };
    let file = |unlock: &str| [("pool.go".to_owned(), body(unlock))];
    write_commit(&mut stream, "one", &file("p.mu.Unlock()"));
    write_commit(&mut stream, "two", &file("p.mu.TryUnlock()"));
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    let note = "rest of `Refill`, which the change edits";
    assert!(brief.contains(note), "{brief}");
    assert!(brief.contains(" 63  \tp.mu.Lock()\n"), "{brief}");
    let outside = brief.contains("filling39");
    assert!(!outside, "{brief}");
    let change_alone = render(&packet, &GatheredContext::default());
    assert!(!change_alone.contains("p.mu.Lock()"), "{change_alone}");
}

/// The heads of the blocks in a brief of the last commit.
fn heads(repo: &Repo) -> Vec<String> {
    let (change, packet) = prepare(repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    let heads = brief.lines().filter_map(|line| line.strip_prefix("=== "));
    heads.map(str::to_owned).collect()
}

fn has(heads: &[String], part: &str) -> bool {
    heads.iter().any(|head| head.contains(part))
}

#[test]
fn a_string_of_the_code_gives_no_file_a_second_name() {
    let repo = Repo::new();
    let path = |end: &str| {
        format!(
            "package web\n\nfunc clean(p string) string {{\n\tif p == \"\" {{\n\t\treturn \"/\"\n\t}}\n\treturn p{end}\n}}\n"
        )
    };
    repo.write("path.go", path(""));
    repo.write(
        "web.go",
        "package web\n\nfunc handle(p string) string {\n\treturn clean(p)\n}\n",
    );
    repo.commit("one");
    repo.write("path.go", path(" + \"x\"")).commit("two");
    let heads = heads(&repo);
    let uses: Vec<_> = heads
        .iter()
        .filter(|head| head.contains("web.go"))
        .collect();
    assert_eq!(uses.len(), 1, "{heads:?}");
    assert!(uses[0].starts_with("web.go:"), "{heads:?}");
}

#[test]
fn callers_of_the_very_method_come_before_others_of_its_name() {
    let repo = Repo::new();
    let source = |test: &str| {
        format!(
            "pub struct ScriptSource {{ body: String }}\n\nimpl ScriptSource {{\n    pub fn parse(raw: &str) -> Option<Self> {{\n        if {test} {{\n            return None;\n        }}\n        Some(Self {{ body: raw.to_owned() }})\n    }}\n}}\n"
        )
    };
    repo.write("src/util/frontmatter.rs", source("raw.is_empty()"));
    repo.write("src/workspace/embedded.rs", "use crate::util::frontmatter::ScriptSource;\n\npub fn expand(content: &str) -> String {\n    let source = ScriptSource::parse(content).unwrap();\n    source.body().to_owned()\n}\n");
    for n in 1..8 {
        let text =
            format!("pub fn port{n}(text: &str) -> u16 {{\n    text.parse().unwrap_or({n})\n}}\n");
        repo.write(&format!("src/util/n{n}.rs"), text);
    }
    repo.commit("one");
    repo.write("src/util/frontmatter.rs", source("raw.trim().is_empty()"))
        .commit("two");
    let heads = heads(&repo);
    assert!(has(&heads, "src/workspace/embedded.rs:"), "{heads:?}");
    assert!(!has(&heads, "src/util/n1.rs"), "{heads:?}");
}

#[test]
fn who_names_a_file_that_is_gone_is_shown() {
    let repo = Repo::new();
    repo.write(
        "lib/u.py",
        "def gone(x):\n    return x\n\ndef g2(x):\n    return x\n",
    );
    repo.write(
        "app/m.py",
        "from lib.u import gone\n\ndef go(x):\n    return gone(x)\n",
    );
    repo.write("u.h", "int copy(char *d);\n");
    repo.write("main.c", "#include \"u.h\"\nint main(void) { return 0; }\n");
    repo.write("templates/page.html", "<p>x</p>\n<b>y</b>\n");
    repo.write("v.py", "def v(r):\n    return render(r, \"page.html\")\n");
    repo.commit("one");
    repo.git(&["mv", "lib/u.py", "lib/v.py"]);
    repo.remove("u.h")
        .remove("templates/page.html")
        .commit("two");
    let heads = heads(&repo);
    for (place, why) in [
        ("app/m.py:", "names `lib/u.py`, which the change moves"),
        ("main.c:", "names `u.h`, which the change deletes"),
        (
            "v.py:",
            "names `templates/page.html`, which the change deletes",
        ),
    ] {
        let is_it = |head: &&String| head.starts_with(place) && head.contains(why);
        assert!(heads.iter().any(|head| is_it(&head)), "{place}: {heads:?}");
    }
}

#[test]
fn a_setting_is_no_definition_of_a_function() {
    let repo = Repo::new();
    repo.write(
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n",
    );
    let main = |end: &str| {
        format!(
            "import {{ run, test }} from \"./lib/x.js\";\n\nexport function main(a) {{\n  test(a);\n  return run(a{end});\n}}\n"
        )
    };
    repo.write("src/main.js", main("")).commit("one");
    repo.write("src/main.js", main(" + 1")).commit("two");
    let heads = heads(&repo);
    assert!(!has(&heads, "ci.yml"), "{heads:?}");
}

/// Where time ends the search, what was found by then is shown, and time is named.
#[test]
fn what_was_found_before_time_ran_out_is_shown() {
    let (_repo, change, packet) = case("go/caller");
    let sight = Sight::around(&change).unwrap();
    let ample = SearchLimits::within(Duration::from_secs(60));
    let whole = gather_context(&sight, &packet, &ample);
    let spent = gather::with_search_of(
        &sight,
        &packet,
        &ample,
        &SearchLimits::within(Duration::ZERO),
    );
    let uses = |gathered: &GatheredContext| {
        gathered
            .blocks
            .iter()
            .filter(|block| block.kind == ContextKind::Use)
            .count()
    };
    assert!(uses(&whole) > 0);
    assert_eq!(uses(&whole), uses(&spent));
}

#[test]
fn secrets_around_a_change_are_taken_out() {
    let repo = Repo::new();
    let mut stream = String::new();
    let side = |limit: u8| {
        let client = "import os\n\ndef connect(limit):\n    password = \"hunter2!\"\n    return open_client(password, limit)\n";
        let filling = "# filling\n".repeat(170);
        vec![
            ("client.py".to_owned(), client.to_owned()),
            (
                "main.py".to_owned(),
                format!("from client import connect\n{filling}\n\nconnect({limit})\n"),
            ),
        ]
    };
    write_commit(&mut stream, "one", &side(1));
    write_commit(&mut stream, "two", &side(2));
    repo.pipe(&["fast-import", "--quiet"], stream.as_bytes());
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    assert!(brief.contains("def connect(limit):"), "{brief}");
    assert!(
        brief.contains("[redacted: secret]") && !brief.contains("hunter2!"),
        "{brief}"
    );
}

/// Names that a bound keeps from being looked for are told, whichever side the lines stand on.
#[test]
fn edited_lines_without_a_look_are_counted() {
    let table = |rows: usize, value: &str| -> String {
        let row = |row: usize| format!("ROW_{row} = {value}\n");
        (0..rows).map(row).collect()
    };
    let long = format!("'{}'", "x".repeat(300));
    for (before, now, told) in [
        (table(1_990, "1"), table(1_990, "2"), None),
        (String::new(), table(2_001, "1"), Some("1 edited line")),
        (
            table(2_050, "1"),
            table(2_050, "2"),
            Some("100 edited lines"),
        ),
        (table(2_050, "1"), String::new(), Some("50 edited lines")),
        (
            String::new(),
            table(1_900, &long),
            Some("1900 edited lines"),
        ),
    ] {
        let repo = Repo::new();
        for text in [before, now] {
            repo.write("table.py", format!("import os\n{text}"));
            repo.commit("rows");
        }
        let (change, packet) = prepare(&repo, "main~1..main");
        let gaps = look(&change, &packet).gaps.join("\n");
        let of_lines = gaps.contains("edited line");
        let is_told = told.map_or(!of_lines, |told| gaps.contains(&format!("names in {told}")));
        assert!(is_told, "{told:?}: {gaps}");
    }
}

/// Whoever reviews a change in a language without known functions is told so, and nobody else is.
#[test]
fn a_language_without_known_functions_is_told() {
    for (paths, told) in [
        (&["a.rs"][..], None),
        (&["lib/a.pl"], Some("language of lib/a.pl:")),
        (
            &["a.rs", "b.ex", "lib/a.pl"],
            Some("language of b.ex and of 1 more file:"),
        ),
    ] {
        let repo = Repo::new();
        for (commit, value) in [("one", "1"), ("two", "2")] {
            for path in paths {
                repo.write(path, format!("a\nb = {value}\nc\n"));
            }
            repo.commit(commit);
        }
        let (change, packet) = prepare(&repo, "main~1..main");
        let gaps = look(&change, &packet).gaps.join("\n");
        match told {
            Some(told) => assert!(gaps.contains(told), "{paths:?}: {gaps}"),
            None => assert!(!gaps.contains("language"), "{paths:?}: {gaps}"),
        }
    }
}
