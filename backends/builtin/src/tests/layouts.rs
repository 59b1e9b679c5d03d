//! A finding does not depend on where a formatter breaks the lines.

use super::wrong_classes::{assert_silent, assert_speaks};

/// Calls in pieces between which a formatter may break the line. All of it is bad in one line.
const CALLS: &[(&str, &str, &[&str])] = &[
    (
        "shell-injection",
        "src/x.py",
        &["subprocess.run(", "f\"tar {name}\",", "shell=True,", ")"],
    ),
    (
        "shell-injection",
        "src/x.py",
        &["subprocess.Popen(", "\"tar \" + name,", "shell=True", ")"],
    ),
    (
        "shell-injection",
        "src/x.py",
        &["subprocess.run(", "f\"tar {name}\",", "shell = True", ")"],
    ),
    (
        "shell-injection",
        "src/x.py",
        &["os.system(", "f\"tar {name}\"", ")"],
    ),
    (
        "shell-injection",
        "src/x.js",
        &["child_process.exec(", "`tar ${name}`,", "done", ");"],
    ),
    (
        "shell-injection",
        "src/x.go",
        &[
            "exec.Command(",
            "\"sh\", \"-c\",",
            "fmt.Sprintf(\"tar %s\", name),",
            ")",
        ],
    ),
    (
        "shell-injection",
        "src/x.rs",
        &[
            "Command::new(\"sh\")",
            ".arg(\"-c\")",
            ".arg(format!(\"tar {name}\"))",
        ],
    ),
    ("code-evaluation", "src/x.py", &["y = eval(", "x", ")"]),
    ("code-evaluation", "src/x.js", &["y = eval(", "x", ");"]),
];

/// The pieces on lines of their own where `breaks` has a bit, each an added line.
fn laid_out(pieces: &[&str], breaks: usize) -> String {
    let mut text = format!("+{}", pieces[0]);
    for (index, piece) in pieces.iter().enumerate().skip(1) {
        let broken = breaks >> (index - 1) & 1 == 1;
        let indent = if piece.starts_with(')') { "" } else { "    " };
        let blank = if piece.starts_with([')', '.']) || pieces[index - 1].ends_with('(') {
            ""
        } else {
            " "
        };
        text += &if broken {
            format!("\n+{indent}{piece}")
        } else {
            format!("{blank}{piece}")
        };
    }
    text + "\n"
}

#[test]
fn a_call_is_found_in_every_layout() {
    for (rule, path, pieces) in CALLS {
        for breaks in 0..1 << (pieces.len() - 1) {
            let text = laid_out(pieces, breaks);
            assert_speaks(rule, &format!("=== {path}\n a\n{text} b\n"));
        }
    }
}

#[test]
fn a_blank_before_the_bracket_hides_nothing() {
    assert_speaks("code-evaluation", "=== src/x.py\n a\n+y = eval (x)\n");
    assert_speaks(
        "code-evaluation",
        "=== src/x.py\n a\n+def run(x): return eval(x)\n",
    );
    assert_silent(
        "code-evaluation",
        "=== src/x.py\n a\n+def eval(x): return show(x)\n",
    );
    assert_speaks("code-evaluation", "=== src/x.js\n a\n+y = eval (x)\n");
    assert_speaks(
        "shell-injection",
        "=== src/x.py\n a\n+os.system (f\"tar {name}\")\n",
    );
}

#[test]
fn a_pipe_on_the_next_line_is_a_pipe() {
    let text = "=== Dockerfile\n FROM a\n+RUN curl -s http://x.io/i \\\n+    | bash\n";
    assert_speaks("pipe-to-shell", text);
}

#[test]
fn a_test_with_a_short_title_is_a_test() {
    for mark in ["describe.skip", "xdescribe"] {
        let text = format!(
            "=== a.test.ts\n-describe(\"a\", () => {{\n+{mark}(\"a\", () => {{\n   b();\n }});\n"
        );
        assert_speaks("skipped-test", &text);
    }
    let text = "=== a.test.ts\n describe(\"a\", () => {\n-  it(\"x\", () => {});\n+  xit(\"x\", () => {});\n });\n";
    assert_speaks("skipped-test", text);
}

#[test]
fn lines_of_different_statements_are_not_one() {
    for text in [
        "+run(f\"tar {name}\")\n+other(shell=True)\n",
        "+def f():\n+    run(f\"tar {name}\")\n+\n+call(\n+    [\"tar\", name],\n+    shell=True,\n+)\n",
        "+subprocess.run(\n+    [\"tar\", name],\n+    check=True,\n+)\n",
    ] {
        assert_silent("shell-injection", &format!("=== src/x.py\n a\n{text} b\n"));
    }
    let text =
        "=== src/x.js\n a\n+on(\"x\", () => {\n+  const a = \"b\" + c;\n+  regex.exec(d);\n+});\n";
    assert_silent("shell-injection", text);
}
