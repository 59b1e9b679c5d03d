//! `executable-bit`: a file that became a program without being one.

use council_protocol::change::FileKind;

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "executable-bit",
        perspective: HYGIENE,
        category: "modes",
        severity: Minor,
        summary: "a file made executable that is not a program",
        why: "File systems without permission bits set it by accident. It then shows up in later diffs as a mode \
              change.",
        fix: "Remove the bit: `git update-index --chmod=-x FILE`.",
        examples: &[],
    },
    scope: RuleScope::Everywhere,
    guards: Guarded::Code,
    languages: &[],
    claims: &["executable", "file mode", "mode change"],
    check: RuleCheck::File(check_file),
};

fn check_file(file: &FileView<'_>, hits: &mut HitList) {
    let gained = file.change.new_mode == 0o100_755 && file.change.old_mode != 0o100_755;
    if !gained || file.change.kind != FileKind::Text {
        return;
    }
    let data = matches!(
        file.language,
        Language::Prose
            | Language::Json
            | Language::Yaml
            | Language::Toml
            | Language::Css
            | Language::Markup
            | Language::Rust
            | Language::C
            | Language::Java
            | Language::Go
            | Language::Ini
            | Language::Sql
    );
    let script = file
        .line_text(1)
        .is_some_and(|first| first.starts_with("#!"));
    if data && !script {
        hits.push(file.file_hit(format!(
            "`{}` becomes executable, but is not a program.",
            file.file_name()
        )));
    }
}
