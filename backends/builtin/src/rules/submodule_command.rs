//! `submodule-command`: a setting of a submodule that git, or an older one, runs as a command.

use council_protocol::change::FileKind;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "submodule-command",
        perspective: SECURITY,
        category: "hooks",
        severity: Critical,
        summary: "a submodule's URL, path or update that is an option or a command, a name that leads elsewhere, or a \
                  `.gitmodules` that is a link",
        why: "git, or an older one, takes a URL, host or path that begins with a dash for an option, and runs what stands \
              behind `!` or `ext::`; it hands a password for one host to another where the URL holds a line break; it \
              writes a submodule whose name holds `..`, or whose path ends in a carriage return, to another place than \
              it says: on the machine of everyone who clones with submodules.",
        fix: "Write the URL of a repository, and a path in the tree.",
        examples: &[RuleExample {
            path: ".gitmodules",
            bad: "[submodule \"x\"]\n\tpath = x\n\turl = -u./run\n",
            good: "[submodule \"x\"]\n\tpath = x\n\turl = https://example.com/x\n",
        }],
    },
    scope: RuleScope::Always,
    guards: Guarded::Review,
    languages: &[],
    claims: &["submodule", "gitmodules", "command"],
    check: RuleCheck::File(check_file),
};

pattern!(
    SETTING,
    r"(?i)(?:^|\])[ \t]*(url|path|update)[ \t]*=[ \t]*(.*)$"
);

pattern!(
    SECTION,
    r#"(?i)^[ \t]*\[submodule[ \t]+"((?:[^"\\]|\\.)*)"[ \t]*\]"#
);

// `ssh://-oProxyCommand=…`, `git@-o…:x` (CVE-2017-1000117), `host:-x`.
pattern!(
    HOST,
    r"^(?:[A-Za-z][A-Za-z0-9+.-]*(?:://|::))*(?:[^/@]*@)?\[?-|^[^/:]+:-"
);

// What git hands to a credential helper as lines of its own (CVE-2020-5260).
pattern!(ESCAPED_BREAK, r"(?i)%0[ad0]");

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    if !file.file_name().eq_ignore_ascii_case(".gitmodules") || !file.exists() {
        return;
    }
    if file.change.kind == FileKind::Symlink {
        let said = "`.gitmodules` is a link: what git reads as the settings of submodules stands elsewhere.";
        hits.push(file.file_hit(said));
        return;
    }
    for line in file.added_lines() {
        // A value goes on below where its line ends in a backslash, so a line may be the end of an older one.
        let first = (0..64)
            .take_while(|by| line.text_near(-by - 1).is_some_and(goes_on))
            .count();
        let first = -i32::try_from(first).unwrap_or_default();
        let whole = join_lines(|by| line.text_near(first + by));
        if climbs_out(&whole) {
            hits.push(
                line.line_hit("The submodule's name leads out of git's folder for submodules."),
            );
        } else if let Some((setting, how)) = find_command(&whole) {
            hits.push(line.line_hit(format!("The submodule's `{setting}` {how}.")));
        }
    }
}

fn goes_on(line: &str) -> bool {
    line.trim_end_matches('\r').ends_with('\\')
}

/// The lines that git reads as one.
fn join_lines<'t>(line_at: impl Fn(i32) -> Option<&'t str>) -> String {
    let mut whole = String::new();
    for text in (0..64).map_while(line_at) {
        let text = text.trim_end_matches('\r');
        whole.push_str(text.strip_suffix('\\').unwrap_or(text));
        if !goes_on(text) {
            break;
        }
    }
    whole
}

/// Whether the name of a submodule, below which git keeps its repository, holds a step upwards.
fn climbs_out(line: &str) -> bool {
    let name = SECTION.captures(line).map(|found| unescape(&found[1]));
    name.is_some_and(|name| name.split(['/', '\\']).any(|part| part == ".."))
}

/// A value as git reads it: without its quotes, which may stand anywhere in it, and with its escapes as what they stand
/// for.
fn unescape(value: &str) -> String {
    let mut out = String::with_capacity(value.len());
    let mut signs = value.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '"' => {}
            '\\' => out.extend(signs.next().map(|escaped| match escaped {
                'n' => '\n',
                't' => '\t',
                'b' => '\u{8}',
                other => other,
            })),
            other => out.push(other),
        }
    }
    out
}

/// The setting that is a command, and how.
fn find_command(line: &str) -> Option<(String, &'static str)> {
    let found = SETTING.captures(line)?;
    let setting = found[1].to_ascii_lowercase();
    let value = unescape(&found[2]);
    let value = value.trim_start();
    let how = match setting.as_str() {
        "update" => value.starts_with('!').then_some("runs a command")?,
        _ if value.starts_with('-') => "begins like an option",
        _ if value.contains(|c: char| c.is_control() && c != '\t') => "holds a control character",
        "url" if HOST.is_match(value) => "names a host or a path that begins like an option",
        "url" if ESCAPED_BREAK.is_match(value) => "holds a line break as an escape",
        _ => value
            .to_ascii_lowercase()
            .starts_with("ext::")
            .then_some("names a program")?,
    };
    Some((setting, how))
}
