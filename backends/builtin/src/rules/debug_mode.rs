//! `debug-mode`: a web server that shows its insides to whoever makes it fail.

use super::prelude::*;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "debug-mode",
        perspective: SECURITY,
        category: "configuration",
        severity: Significant,
        summary: "a web application that runs in debug mode",
        why: "Error pages in debug mode show code, settings and secrets; Werkzeug's debugger (Flask) runs any code \
              that a visitor types in.",
        fix: "Read the setting from the environment, and default to `False`.",
        examples: &[RuleExample {
            path: "src/app.py",
            bad: "app.run(host=\"0.0.0.0\", debug=True)\n",
            good: "app.run(host=\"0.0.0.0\", debug=settings.debug)\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[Language::Python],
    claims: &["debug mode", "debug=true", "debugger"],
    check: RuleCheck::Line {
        needles: &["debug=true", "debug = true"],
        look: check_line,
    },
};

pattern!(
    RUN,
    r"\b(?:app|application|server|socketio)\.run(?:_server)?\(.*\bdebug\s*=\s*True\b"
);
pattern!(SETTING, r"^DEBUG\s*=\s*True\b");

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let code = line.code();
    let setting = line.file.file_name() == "settings.py" && SETTING.is_match(&code);
    let call = || {
        line.statement()
            .is_some_and(|whole| RUN.is_match(&whole.code))
    };
    if setting || RUN.is_match(&code) || call() {
        hits.push(line.line_hit("The application runs in debug mode."));
    }
}
