//! How much a brief shows of what a change uses.

use super::reached::{Reach, assert_shown};
use super::*;

/// A file whose change begins to call `total`, which is defined elsewhere.
fn brief_of_call(defining: &str, context_bytes: usize) -> String {
    let repo = Repo::new();
    let caller =
        |value: &str| format!("from calc import total\n\ndef bill(n):\n    return {value}\n");
    repo.write("calc.py", defining);
    repo.write("app.py", caller("0")).commit("one");
    repo.write("app.py", caller("total(n)")).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let gathered = look(&change, &packet);
    let class = BriefClass {
        context_bytes,
        ..BriefClass::default()
    };
    let around = ChangeContext {
        blocks: &gathered.blocks,
        gaps: &gathered.gaps,
    };
    let prompter = PromptBuilder::new(&RunSeed("0".repeat(64)), &BTreeMap::new()).unwrap();
    let brief = prompter.render_filled_brief(&packet, around, &class);
    brief.unwrap().text.to_string()
}

/// Law: a function that the change calls is shown to its end where there is room; where it is not, its heading says on
/// which line it ends.
#[test]
fn a_called_function_is_shown_to_its_end_or_said_to_go_on() {
    for lines in [1, 47, 49, 50, 51, 56, 74, 75, 90, 160, 340] {
        for comment in [0, 3, 14] {
            let above = "# why\n".repeat(comment);
            let body: String = (0..lines).map(|n| format!("    n += step_{n}\n")).collect();
            let defining = format!("{above}def total(n):\n{body}    return n * 7\n");
            let last = comment + lines + 2;
            for (room, is_ample) in [(60_000, true), (3_000, false)] {
                let brief = brief_of_call(&defining, room);
                let is_whole = brief.contains(&format!("{last}      return n * 7\n"));
                let head = "definition of `total`";
                let goes_on = brief.contains(&format!("{head}, which goes on to line {last}\n"));
                assert!(is_whole || !is_ample, "{lines} {comment}: {brief}");
                let is_cut = !brief.contains(head) || goes_on;
                assert!(is_whole || is_cut, "{lines} {comment}: {brief}");
                let is_short = last <= comment + 75;
                assert!(!(is_short && goes_on), "{lines} {comment}: {brief}");
            }
        }
    }
}

/// Law: however many heads a function has, what runs is shown.
#[test]
fn a_function_with_several_heads_is_shown_with_what_runs() {
    for mark in ["@overload", "@typing.overload", "@t.overload"] {
        for heads in 0..6 {
            let one = |n| format!("{mark}\ndef total(a: T{n}) -> T{n}: ...\n");
            let heads: String = (0..heads).map(one).collect();
            let runs = "def total(a):\n    raise ValueError(a)\n";
            let brief = brief_of_call(&format!("{heads}{runs}"), 60_000);
            assert!(brief.contains("raise ValueError(a)"), "{heads}: {brief}");
        }
    }
    for branches in 1..4 {
        let one = |n| format!("elif system == {n}:\n    def total(a):\n        return a + {n}\n");
        let branches: String = (0..branches).map(one).collect();
        let brief = brief_of_call(&branches[2..], 60_000);
        let shown = brief.matches("        return a + ").count();
        assert_eq!(shown, branches.matches("return").count(), "{brief}");
    }
    let stubs = "@overload\ndef total(a: int): ...\n@overload\ndef total(a: str): ...\n";
    assert!(brief_of_call(stubs, 60_000).contains("def total(a: str)"));
}

/// What is defined more often than is shown is told.
#[test]
fn more_definitions_than_are_shown_are_counted() {
    let repo = Repo::new();
    let caller = |value: &str| format!("def bill(n):\n    return {value}\n");
    for n in 0..5 {
        let text = format!("def reckon_up(a):\n    return a + {n}\n");
        repo.write(&format!("b{n}.py"), text);
    }
    repo.write("app.py", caller("0")).commit("one");
    repo.write("app.py", caller("reckon_up(n)")).commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    let shown = brief.matches("definition of `reckon_up`").count();
    let told = format!(
        "[some names have more definitions than are shown: `reckon_up` ({})]",
        5 - shown
    );
    assert!(brief.contains(&told), "{brief}");
}

/// Law: a definition without brackets is shown to the end of its expression.
#[test]
fn an_expression_on_several_lines_is_shown_whole() {
    assert_shown(&[
        Reach {
            edited: (
                "b.js",
                "import {isPayable} from './valid.js';\nexport function bill(order) {\n  return LEAST;\n}\n",
            ),
            swapped: ("LEAST", "isPayable(order)"),
            user: (
                "valid.js",
                "export const isPayable = order =>\n  order !== null\n  && order.open\n  && spend(order);\n",
            ),
            line: "&& spend(order);",
        },
        Reach {
            edited: (
                "src/b.rs",
                "use crate::u::*;\nfn allowed(n: u32) -> u32 {\n    LEAST\n}\n",
            ),
            swapped: ("LEAST", "n & MASK_ALL"),
            user: ("src/u.rs", "pub const MASK_ALL: u32 = GET |\n    QUERY;\n"),
            line: "    QUERY;",
        },
    ]);
}

#[test]
fn what_a_test_without_a_name_defines_is_nobodys_definition_elsewhere() {
    let far = "\n".repeat(3) + &"// far\n\n".repeat(170);
    let told = |changed: &str, call: &str, other: &str| {
        let repo = Repo::new();
        let text = |call: &str| {
            format!("{other}{far}export function total(order) {{\n\treturn {call};\n}}\n")
        };
        let helper = "test('one', async t => {\n\tconst options = {\n\t\tparseJson(text) {\n\t\t\treturn 77;\n\t\t},\n\t};\n});\n";
        repo.write("test/one.ts", helper)
            .write(changed, text("0"))
            .commit("one");
        repo.write(changed, text(call)).commit("two");
        let (change, packet) = prepare(&repo, "main~1..main");
        render(&packet, &look(&change, &packet))
    };
    let brief = told("test/two.ts", "order.parseJson()", "");
    assert!(!brief.contains("return 77"), "{brief}");
    let brief = told("source/two.ts", "order.parseJson()", "");
    assert!(!brief.contains("return 77"), "{brief}");
    // What has a name is shown.
    let named = "export function parseJson(text) {\n\treturn 78;\n}\n";
    let brief = told("source/two.ts", "parseJson(order)", named);
    assert!(brief.contains("return 78"), "{brief}");
}

#[test]
fn what_stands_in_the_edited_test_is_its_definition() {
    let repo = Repo::new();
    let far = "\t// far\n\n".repeat(170);
    let text = |call: &str| {
        format!(
            "describe('one', () => {{\n\tfunction parseJson(text) {{\n\t\treturn 77;\n\t}}\n{far}\tit('two', () => {{\n\t\treturn {call};\n\t}});\n}});\n"
        )
    };
    repo.write("test/one.ts", text("0")).commit("one");
    repo.write("test/one.ts", text("parseJson(1)"))
        .commit("two");
    let (change, packet) = prepare(&repo, "main~1..main");
    let brief = render(&packet, &look(&change, &packet));
    assert!(brief.contains("return 77"), "{brief}");
}
