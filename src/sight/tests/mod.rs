//! What a brief holds of changes whose defect lies outside of their hunks.

pub(crate) mod corpus;

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
    let note =
        "changed in 3 of the 3 earlier commits that changed schema.sql, and not in this change";
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
