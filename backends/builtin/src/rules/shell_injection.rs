//! `shell-injection`: a shell command put together from pieces.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "shell-injection",
        perspective: SECURITY,
        category: "injection",
        severity: Significant,
        summary: "a shell command built from strings and values",
        why: "The shell interprets the whole string: a value that contains `;`, `$(…)` or a quote can run a command \
              of its own.",
        fix: "Start the program without a shell, and pass its arguments as a list.",
        examples: &[RuleExample {
            path: "src/archive.py",
            bad: "subprocess.run(f\"tar czf {name}.tgz {folder}\", shell=True)\n",
            good: "subprocess.run([\"tar\", \"czf\", f\"{name}.tgz\", folder])\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
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
        needles: NEEDLES,
        look: check_line,
    },
};

const NEEDLES: &[&str] = &[
    "shell=",
    "shell =",
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
];

pattern!(
    /// Python: a formatted string goes to a shell.
    PYTHON,
    r#"(?x)
      \b(?:subprocess\.\w+|run|call|check_call|check_output|Popen)\s*\(\s*(?:[rb]*f[rb]*["'].*\{|[^,]*["']\s*[%+]\s*\w|[^,]*["']\.format\(|[^,]*\w\s*\+\s*["']).*shell\s*=\s*True
    | \b(?:os\.system|os\.popen|(?:subprocess|commands)\.getoutput|getstatusoutput)\s*\(\s*(?:[rb]*f[rb]*["'].*\{|.*["']\s*[%+]\s*\w|.*["']\.format\(|.*\w\s*\+\s*["'])"#
);
pattern!(
    /// Node: `exec` takes a shell's line, `execFile` does not.
    SCRIPT,
    r#"\b(?:child_process|cp|require\(["'](?:node:)?child_process["']\))\.exec(?:Sync)?\s*\(\s*(?:`[^`]*\$\{|["'][^"']*["']\s*\+|\w+\s*\+)|(?:^|[^.\w])exec(?:Sync)?\s*\(\s*(?:`[^`]*\$\{|["'][^"']*["']\s*\+)"#
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
    if is_release_script(&line.file.path) {
        return;
    }
    let own = find_call(line.file.language, &line.without_comments());
    // Inside a string it is somebody else's code.
    if let Some(at) = own {
        if !line.in_literal(at) {
            hits.push(line.line_hit(DESCRIPTION));
        }
    } else if let Some(whole) = line.statement().filter(|_| !line.in_literal(line.indent())) {
        // Another line of it was asked before.
        let asks = |text: &str| {
            NEEDLES
                .iter()
                .any(|needle| text.to_lowercase().contains(needle))
        };
        let mut before = (whole.lines.0..line.number()).filter(|&at| line.file.is_added(at));
        let is_told = before.any(|at| line.file.line_text(at).is_some_and(asks));
        if !is_told && find_call(line.file.language, &whole.text).is_some() {
            hits.push(line.line_hit(DESCRIPTION));
        }
    }
}

const DESCRIPTION: &str = "A shell's command line is put together from strings and values.";

/// Where a call of a shell begins that takes a string put together from values.
fn find_call(language: Language, text: &str) -> Option<usize> {
    let code = CHOICE.replace_all(text, "");
    let found = match language {
        Language::Python => PYTHON.find(&code),
        Language::Script => SCRIPT.find(&code),
        Language::Go => GO.find(&code),
        Language::Rust => RUST.find(&code),
        Language::Ruby => RUBY.find(&code),
        Language::Php => PHP.find(&code),
        _ => JAVA.find(&code),
    };
    found
        .filter(|_| !ESCAPED.is_match(&code))
        .map(|found| found.start())
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
