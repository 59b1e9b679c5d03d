//! What becomes of a finding that quotes several lines, when something comes between them or one of them is edited.

use proptest::prelude::*;

use super::moves::{Tree, about, carried_to, carried_to_prover, left_by, state_of};
use super::plan::report;
use crate::report::FindingFate;

/// A function of which each line has a name of its own.
const BLOCK: [&str; 5] = [
    "def load(key: str):",
    "    path = root + key",
    "    rows = connect(path)",
    "    audit(rows)",
    "    return pick(rows)",
];

/// What a finding says of each line.
const SAID: [&str; 5] = [
    "Nothing bounds load().",
    "root is joined with what a stranger sends.",
    "connect has no timeout.",
    "audit may fail.",
    "pick fails for none.",
];

/// What may come between two lines and mends none of them.
const BETWEEN: [&str; 4] = ["    # one by one", "", "    log.debug(1)", "    count += 1"];

fn file(lines: &[String]) -> Tree {
    let before = ["import m", ""].map(str::to_owned);
    let behind = ["", "def other():", "    return 1"].map(str::to_owned);
    Tree::from([("src/a.py", [&before[..], lines, &behind[..]].concat())])
}

proptest! {
    /// A finding about a block stays open as long as the line stands that it speaks of: whatever comes between its lines,
    /// and whatever becomes of the others. Once that line is another one it is resolved, and where
    /// nothing tells which line is meant, once half of the block is.
    #[test]
    fn a_block_is_open_as_long_as_the_line_in_question_stands(
        about_line in 1usize..5,
        speaks in any::<bool>(),
        between in prop::collection::vec((1usize..5, 0..BETWEEN.len()), 0..4),
        edited in prop::option::of(0usize..5),
    ) {
        let block = BLOCK.map(str::to_owned);
        let base = Tree::from([("src/a.py", file(&[])["src/a.py"].clone())]);
        let head = file(&block);
        let mut now = about("src/a.py", &BLOCK.join("\n"), 3);
        let found = &mut now.outcome.findings[0];
        found.finding.location.end_line = Some(7);
        found.finding.description = if speaks { SAID[about_line] } else { "Ungeprüfte Eingabe." }.to_owned();
        found.finding.why = String::new();
        found.members[0].finding = found.finding.clone();
        let mut lines: Vec<String> = block.to_vec();
        if let Some(nth) = edited {
            lines[nth] = lines[nth].replace('(', "_two(").replace(" + ", " / ");
        }
        let mut places = between.clone();
        places.sort_unstable();
        for (at, nth) in places.into_iter().rev() {
            lines.insert(at, BETWEEN[nth].to_owned());
        }
        let (carried, _) = carried_to(&left_by(&now, &base, &head), &base, &file(&lines));
        let (found, fate) = &carried.findings[0];
        let is_open = match edited {
            None => true,
            Some(nth) if speaks => nth != about_line,
            Some(_) => true,
        };
        prop_assert_eq!(*fate == FindingFate::StillOpen, is_open, "{:?}", lines);
        if is_open && edited.is_none() {
            prop_assert_eq!(found.finding.location.line, 3);
        }
        let rewritten: Vec<String> = lines.iter().map(|line| line.replace('(', "_two(").replace(" + ", " / ")).collect();
        let (carried, _) = carried_to(&left_by(&now, &base, &head), &base, &file(&rewritten));
        prop_assert_eq!(carried.findings[0].1, FindingFate::Resolved, "{:?}", rewritten);
    }

    /// A block is found by its lines that say something, whatever comes between them and whatever file they are moved to: a
    /// closing bracket behind the last of them is none.
    #[test]
    fn a_block_is_open_wherever_its_lines_stand(
        first in 0usize..3,
        between in (1usize..4, 0..BETWEEN.len()),
        is_moved in any::<bool>(),
    ) {
        let block = ["  const row = cache.get(key);", "  audit(row.owner, key);", "  return row.value;", "}"];
        let base = Tree::from([("src/a.py", file(&[])["src/a.py"].clone())]);
        let head = file(&block.map(str::to_owned));
        let mut now = about("src/a.py", &block[first..].join("\n"), 3 + first);
        let found = &mut now.outcome.findings[0];
        found.finding.location.end_line = Some(6);
        found.finding.description = "Ungeprüfte Eingabe.".into();
        found.members[0].finding = found.finding.clone();
        let mut lines = block.map(str::to_owned).to_vec();
        lines.insert(between.0.max(first + 1), BETWEEN[between.1].to_owned());
        let mut next = file(&lines);
        if is_moved {
            let text = next.remove("src/a.py").unwrap();
            next.insert("src/b.py", text);
        }
        let (carried, _) = carried_to(&left_by(&now, &base, &head), &base, &next);
        prop_assert_ne!(carried.findings[0].1, FindingFate::Resolved, "{:?}", next);
    }

    /// What was resolved comes back with its lines, whatever stands between them now and whatever their file is called.
    #[test]
    fn a_block_comes_back_with_its_lines(
        lines in 1usize..5,
        between in prop::option::of((1usize..4, 0..BETWEEN.len())),
        is_moved in any::<bool>(),
        is_mended in any::<bool>(),
    ) {
        let base = Tree::from([("src/a.py", file(&[])["src/a.py"].clone())]);
        let block = BLOCK.map(str::to_owned);
        let mended: Vec<String> = block.iter().map(|line| line.replace('(', "_two(").replace(" + ", " / ")).collect();
        let (bad, good) = (file(&block), file(&mended));
        let mut now = about("src/a.py", &BLOCK[..lines].join("\n"), 3);
        now.outcome.findings[0].finding.description = "Ungeprüfte Eingabe.".into();
        now.outcome.findings[0].members[0].finding = now.outcome.findings[0].finding.clone();
        let left = left_by(&now, &base, &bad);
        let (carried, changes) = carried_to(&left, &base, &good);
        prop_assert_eq!(carried.findings[0].1, FindingFate::Resolved);
        let mut passed = report(0);
        passed.receipt.run.earlier = Some(carried.settle(&passed.outcome));
        let gone = left.gone_after(&passed);
        let left = state_of(&passed, &good, &changes, gone);
        let mut again = if is_mended { mended } else { block.to_vec() };
        if let Some((at, nth)) = between {
            again.insert(at, BETWEEN[nth].to_owned());
        }
        let mut next = file(&again);
        if is_moved {
            let text = next.remove("src/a.py").unwrap();
            next.insert("src/b.py", text);
        }
        let (carried, _) = carried_to(&left, &base, &next);
        prop_assert_eq!(carried.standing().len(), usize::from(!is_mended), "{:?}", next);
    }

    /// A finding that quotes a piece of the diff, kept and removed lines together, with their marks or without, is open as long
    /// as the change removes these, whatever becomes of the kept ones; put back, they resolve it.
    #[test]
    fn a_piece_of_the_diff_is_open_as_long_as_its_lines_are_removed(
        marks in prop::sample::select(vec![["", ""], ["", "-"], [" ", "-"]]),
        is_put_back in any::<bool>(),
        edited in 0usize..4,
        begins_removed in any::<bool>(),
        cut in prop::option::of(0usize..80),
    ) {
        let check = ["    if not actor.is_admin:", "        raise PermissionError(uid)"];
        let (head, last) = ("def delete(db, uid, actor):", "    db.execute(\"delete\", uid)");
        let lines = |head: &str, check: &[&str]| -> Tree {
            let all = [&[head][..], check, &[last]].concat();
            file(&all.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
        };
        let (base, bad) = (lines(head, &check), lines(head, &[]));
        let [kept, mark] = marks;
        let (is_marked, cut) = (!mark.is_empty(), cut.filter(|_| !mark.is_empty()).unwrap_or(0));
        let quote = format!("{kept}{head}\n{mark}{}\n{mark}{}\n{kept}{last}", check[0], check[1]);
        // What is kept of a long quote is its beginning.
        let quote: String = quote.chars().take(quote.len() - cut).collect();
        let begins_removed = is_marked && begins_removed;
        let quote = if begins_removed { quote.split_once('\n').unwrap().1 } else { &quote };
        let (head_is_edited, last_is_edited) = (edited % 2 == 1, is_marked && edited > 1);
        let mut now = about("src/a.py", quote, 3);
        let found = &mut now.outcome.findings[0];
        found.finding.description = "The admin check is gone: anybody may delete.".into();
        found.members[0].finding = found.finding.clone();
        let (other_head, other_last) = ("def delete(db, uid: int, actor):", "    db.run(\"delete\", uid)");
        let now_lines = |check: &[&str]| {
            let head = if head_is_edited { other_head } else { head };
            let last = if last_is_edited { other_last } else { last };
            let all = [&[head][..], check, &[last]].concat();
            file(&all.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>())
        };
        let next = now_lines(if is_put_back { &check } else { &[] });
        let left = left_by(&now, &base, &bad);
        let carried = carried_to_prover(&left, &base, &next, &|_, finding| {
            // As evidence is found: without marks.
            let bare = |line: &str| line.trim_start_matches(['-', ' ']).to_owned();
            let quoted: Vec<String> = finding.quote.lines().map(bare).collect();
            let lines: Vec<String> = next["src/a.py"].iter().map(|line| bare(line)).collect();
            let at = lines.windows(quoted.len()).position(|here| here == quoted)?;
            u32::try_from(at + 1).ok()
        }).0;
        let is_open = carried.findings[0].1 != FindingFate::Resolved;
        // Without marks nobody can tell the head that was edited from a line that was quoted as removed.
        prop_assert_eq!(is_open, !is_put_back || !is_marked && head_is_edited);
    }

    /// A brace that is quoted with its line makes no block of it: what comes between the two mends nothing.
    #[test]
    fn a_line_is_open_whatever_comes_between_it_and_its_brace(
        between in prop::collection::vec(0..BETWEEN.len(), 1..4), is_mended in any::<bool>(),
    ) {
        let line = "    return cache.get(key).value;";
        let tree = |lines: &[&str]| file(&lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>());
        let (base, head) = (tree(&[]), tree(&["get(key) {", line, "}"]));
        let left = left_by(&about("src/a.py", &format!("{line}\n}}"), 4), &base, &head);
        let kept = if is_mended { "    return cache.find(key);" } else { line };
        let between = between.iter().map(|nth| BETWEEN[*nth]);
        let lines: Vec<&str> = ["get(key) {", kept].into_iter().chain(between).chain(["}"]).collect();
        let (carried, _) = carried_to(&left, &base, &tree(&lines));
        prop_assert_eq!(carried.findings[0].1 == FindingFate::Resolved, is_mended, "{:?}", lines);
    }

    /// The same of a block that the change leaves as it is: an edit of one of its lines mends no other one.
    #[test]
    fn a_block_that_the_change_leaves_is_open_as_long_as_most_of_it_stands(edited in 0usize..5) {
        let old = file(&BLOCK.map(str::to_owned));
        let with_more = |tree: &Tree| {
            let mut tree = tree.clone();
            tree.get_mut("src/a.py").unwrap().push("LIMIT = 9".to_owned());
            tree
        };
        let mut now = about("src/a.py", &BLOCK.join("\n"), 3);
        let found = &mut now.outcome.findings[0];
        found.finding.location.end_line = Some(7);
        found.finding.description = "Ungeprüfte Eingabe.".into();
        found.finding.why = String::new();
        found.members[0].finding = found.finding.clone();
        let mut lines: Vec<String> = BLOCK.map(str::to_owned).to_vec();
        lines[edited] = lines[edited].replace('(', "_two(").replace(" + ", " / ");
        let left = left_by(&now, &old, &with_more(&old));
        let (carried, _) = carried_to(&left, &old, &with_more(&file(&lines)));
        prop_assert_eq!(carried.findings[0].1, FindingFate::StillOpen, "{:?}", lines);
    }
}
