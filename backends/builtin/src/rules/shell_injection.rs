//! `shell-injection`: a shell command put together from pieces.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "shell-injection",
        perspective: SECURITY,
        category: "injection",
        severity: Significant,
        summary: "a shell command put together from strings and values",
        why: "A shell reads the whole string: a value with `;`, `$(…)` or a quote in it is a command of its own.",
        fix: "Start the program without a shell, with its arguments as a list.",
        examples: &[RuleExample {
            path: "src/archive.py",
            bad: "subprocess.run(f\"tar czf {name}.tgz {folder}\", shell=True)\n",
            good: "subprocess.run([\"tar\", \"czf\", f\"{name}.tgz\", folder])\n",
        }],
    },
    scope: RuleScope::Production,
    languages: &[
        Language::Python,
        Language::Script,
        Language::Ruby,
        Language::Php,
        Language::Go,
        Language::Rust,
        Language::Java,
        Language::Kotlin,
        Language::C,
    ],
    claims: &[
        "shell injection",
        "command injection",
        "shell=true",
        "os.system",
        "exec(",
    ],
    check: RuleCheck::Line {
        needles: &[
            "shell=true",
            "os.system",
            "os.popen",
            "getoutput",
            "exec(",
            "execsync(",
            "\"-c\"",
            "\"/c\"",
            "popen(",
            "system(",
            "%x",
            "shell_exec",
            "passthru",
        ],
        look: check_line,
    },
};

pattern!(
    /// Python: a formatted string goes to a shell.
    PYTHON,
    r#"(?x)
      \b(?:subprocess\.\w+|run|call|check_call|check_output|Popen)\(\s*(?:[rb]*f[rb]*["'].*\{|[^,]*["']\s*[%+]\s*\w|[^,]*["']\.format\(|[^,]*\w\s*\+\s*["']).*shell\s*=\s*True
    | \b(?:os\.system|os\.popen|(?:subprocess|commands)\.getoutput|getstatusoutput)\(\s*(?:[rb]*f[rb]*["'].*\{|.*["']\s*[%+]\s*\w|.*["']\.format\(|.*\w\s*\+\s*["'])"#
);
pattern!(
    /// Node: `exec` takes a shell's line, `execFile` does not.
    SCRIPT,
    r#"\b(?:child_process|cp|require\(["'](?:node:)?child_process["']\))\.exec(?:Sync)?\(\s*(?:`[^`]*\$\{|["'][^"']*["']\s*\+|\w+\s*\+)|(?:^|[^.\w])exec(?:Sync)?\(\s*(?:`[^`]*\$\{|["'][^"']*["']\s*\+)"#
);
pattern!(
    GO,
    r#"exec\.Command(?:Context)?\(.*"(?:sh|bash|/bin/sh|/bin/bash|cmd)".*"[-/][cC]",\s*(?:fmt\.Sprintf\(|"[^"]*"\s*\+|\w+\s*\+\s*")"#
);
pattern!(
    RUST,
    r#""[-/][cC]"\s*\)?\s*(?:,\s*|\.args?\(\s*&?\[?\s*)&?format!\([^)]*\{"#
);
pattern!(
    RUBY,
    r##"(?:^|[^.\w])(?:system|exec|spawn|IO\.popen|Open3\.\w+)[( ]\s*"[^"]*#\{|%x[\[({][^\])}]*#\{"##
);
pattern!(
    PHP,
    r#"(?:^|[^>:\w$])(?:shell_exec|exec|system|passthru|popen|proc_open)\(\s*(?:"[^"]*\{?\$|["'][^"']*["']\s*\.\s*\$)"#
);
pattern!(JAVA, r#"\.exec\(\s*"[^"]*"\s*\+|"-c"\s*,\s*"[^"]*"\s*\+"#);
pattern!(
    /// A choice between two constants.
    CHOICE,
    r#"\$\{\s*[\w.!]+\s*\?\s*(?:'[^']*'|"[^"]*")\s*:\s*(?:'[^']*'|"[^"]*")\s*\}"#
);
pattern!(ESCAPED, r"(?i)quote|escape|shlex|shellwords|sanitize");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = CHOICE
        .replace_all(&line.without_comments(), "")
        .into_owned();
    let found = match line.file.language {
        Language::Python => PYTHON.find(&code),
        Language::Script => SCRIPT.find(&code),
        Language::Go => GO.find(&code),
        Language::Rust => RUST.find(&code),
        Language::Ruby => RUBY.find(&code),
        Language::Php => PHP.find(&code),
        _ => JAVA.find(&code),
    };
    // Inside a string it is somebody else's code.
    let called = found.is_some_and(|found| !line.in_literal(found.start()));
    if called && !is_release_script(&line.file.path) && !ESCAPED.is_match(&code) {
        hits.push(line.line_hit("A shell's command line is put together from strings and values."));
    }
}

/// Whether a file is one that maintainers run by hand or in CI, with arguments of their own.
fn is_release_script(path: &str) -> bool {
    const FOLDERS: [&str; 11] = [
        "scripts",
        "script",
        "build",
        "tools",
        "ci",
        ".ci",
        ".github",
        "hack",
        "release",
        "packaging",
        "xtask",
    ];
    const NAMES: [&str; 5] = ["release", "publish", "setup.py", "build.rs", "noxfile.py"];
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    folders.split('/').any(|folder| FOLDERS.contains(&folder))
        || NAMES.iter().any(|word| name.starts_with(word))
}
