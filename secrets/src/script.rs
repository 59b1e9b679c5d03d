//! What of a file somebody runs: a command is no secret, whatever name stands before it, and judges must see it.

use std::cell::OnceCell;
use std::ops::Range;

use crate::matcher::SecretShape;
use crate::redactor::SecretSpan;
use crate::steps::looked_at;

/// How the text of a file is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Script {
    /// Its lines are code, whatever the name of the file says of secrets.
    pub(crate) is_code: bool,
    /// A shell reads it: a word by itself is a call, and `;`, `&`, `|` end a word.
    pub(crate) is_shell: bool,
    /// What stands between backticks is run.
    runs_backticks: bool,
}

const SHELLS: &[&str] = &[
    "sh",
    "bash",
    "zsh",
    "ksh",
    "csh",
    "tcsh",
    "fish",
    "bats",
    "command",
    "envrc",
    "bashrc",
    "zshrc",
    "profile",
    "bash_profile",
    "mk",
    "mak",
    "dockerfile",
    "containerfile",
    "bat",
    "cmd",
    "tcl",
];

/// Files without an extension that shells run, or pieces of which they do.
const SHELL_NAMES: &[&str] = &[
    "makefile",
    "gnumakefile",
    "dockerfile",
    "containerfile",
    "justfile",
    "procfile",
    "jenkinsfile",
];

const LANGUAGES: &[&str] = &[
    "py", "rb", "pl", "pm", "php", "ps1", "psm1", "lua", "r", "jl", "rs", "java", "kt", "kts",
    "scala", "groovy", "gradle", "swift", "c", "h", "cc", "cpp", "hpp", "cs", "fs", "ex", "exs",
    "erl", "dart", "nix",
];

/// Text in which backticks hold words and no commands.
const LITERAL_BACKTICKS: &[&str] = &[
    "js",
    "jsx",
    "mjs",
    "cjs",
    "ts",
    "tsx",
    "mts",
    "cts",
    "vue",
    "svelte",
    "astro",
    "go",
    "d",
    "html",
    "htm",
    "md",
    "mdx",
    "markdown",
    "rst",
    "txt",
    "sql",
    "json",
    "toml",
    "ini",
    "cfg",
    "conf",
    "properties",
    "env",
];

/// Those of them that are code.
const LITERAL_LANGUAGES: usize = 13;

/// Behind so many bytes of a line no command is told from a value.
const MAX_COMMAND: usize = 64 << 10;

impl Script {
    pub(crate) fn of(path: &str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_shell = SHELLS.contains(&extension)
            || SHELL_NAMES.contains(&name.as_str())
            || name.starts_with("dockerfile.");
        let is_literal = LITERAL_BACKTICKS.contains(&extension);
        Self {
            is_code: is_shell
                || LANGUAGES.contains(&extension)
                || LITERAL_BACKTICKS[..LITERAL_LANGUAGES].contains(&extension),
            is_shell,
            runs_backticks: !is_literal,
        }
    }

    /// The same for many secrets of one line.
    pub(crate) fn of_line(self, line: &str) -> ScriptLine<'_> {
        ScriptLine {
            script: self,
            line,
            comment: OnceCell::new(),
        }
    }

    /// Where the value of a setting ends that begins a text of code. None: it is no value but code.
    pub(crate) fn value_end(self, text: &str) -> Option<usize> {
        let quote = text
            .chars()
            .next()
            .filter(|c| matches!(c, '"' | '\'' | '`'));
        if let Some(quote) = quote {
            let end = text[1..].find(quote).map_or(text.len(), |end| end + 2);
            return Some(end);
        }
        let is_end = |c: char| c.is_whitespace() || ";&|".contains(c);
        let end = text.find(is_end).unwrap_or(text.len());
        (self.is_shell && end > 0).then_some(end)
    }
}

/// A line of a file that somebody may run.
#[derive(Debug)]
pub(crate) struct ScriptLine<'l> {
    script: Script,
    line: &'l str,
    /// Behind which byte all is comment. The line may be of many megabytes, and is searched once.
    comment: OnceCell<usize>,
}

impl ScriptLine<'_> {
    /// What of a secret is hidden. None: it is a command.
    pub(crate) fn hidden_part(
        &self,
        shape: SecretShape,
        span: &Range<usize>,
    ) -> Option<Range<usize>> {
        let (script, line) = (self.script, self.line);
        // The shape of a token is its own: no command has it by accident, and a rule speaks of it.
        if shape == SecretShape::Token {
            return Some(span.clone());
        }
        // Without quotes it is the name of something, but in a comment.
        let is_name = shape == SecretShape::BareValue && script.is_code && !script.is_shell;
        if is_name && !self.is_comment(span.start) {
            return None;
        }
        let text = &line[span.clone()];
        let is_between = line[..span.start].ends_with('`') && line[span.end..].starts_with('`');
        if script.runs_backticks && (is_between || text.matches('`').count() > 1) {
            return None;
        }
        match text.find([';', '&', '|']) {
            Some(0) if script.is_shell => None,
            // Of a line that nobody reads each value would look at all that stands before it.
            Some(end)
                if script.is_shell
                    && span.start <= MAX_COMMAND
                    && !is_quoted(&line[..span.start]) =>
            {
                Some(span.start..span.start + end)
            }
            _ => Some(span.clone()),
        }
    }

    /// Whether a comment has begun before a place.
    fn is_comment(&self, at: usize) -> bool {
        let begun = self.comment.get_or_init(|| comment_begun(self.line));
        *begun <= at
    }
}

/// Behind which byte of a line all is comment; its length and more: none is.
fn comment_begun(line: &str) -> usize {
    if line.trim_start().starts_with(['*', ';']) {
        return line.len() - line.trim_start().len() + 1;
    }
    let marks = ["#", "//", "/*", "--", "<!--", "rem "];
    let ends = marks
        .iter()
        .filter_map(|mark| Some(looked_at(line).find(mark)? + mark.len()));
    ends.min().unwrap_or(usize::MAX)
}

/// Whether a quote is open at the end of a text. A line may be of many megabytes: where it begins far above, it counts
/// as closed, and more is shown.
pub(crate) fn is_quoted(before: &str) -> bool {
    const NEAR: usize = 1 << 10;
    let near = before.len().saturating_sub(NEAR);
    let near = looked_at(&before[before.ceil_char_boundary(near)..]);
    let quotes = near.bytes();
    quotes.filter(|b| matches!(b, b'"' | b'\'' | b'`')).count() % 2 == 1
}

impl SecretSpan<'_> {
    /// The same, a part of it alone.
    pub(crate) fn cut_to(self, part: Range<usize>) -> Self {
        let is_inside =
            |random: &Range<usize>| part.start <= random.start && random.end <= part.end;
        Self {
            random: self.random.filter(is_inside),
            range: part,
            ..self
        }
    }
}

#[cfg(test)]
mod laws {
    use proptest::prelude::*;

    use crate::Redactor;

    /// A line with a place `{}` behind which a command may stand.
    const COMMANDS: [&str; 13] = [
        "mysql -p{}",
        "mysqldump -u root -p{}",
        "sshpass -p {}",
        "curl -u a:{}",
        "curl --user a:{}",
        "docker login -u u -p {}",
        "mysql --password {}",
        "tool --api-key={}",
        "kubectl create secret generic x --from-literal=password={}",
        "helm install x --set auth.password={}",
        "curl https://h.example.com/?password={}",
        "redis-cli -a {}",
        "aws configure set aws_secret_access_key {}",
    ];

    fn shown(path: &str, line: &str) -> String {
        Redactor::default().redact_source(Some(path), line).text
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Law: whatever a command is called, it is shown behind the end of a value.
        #[test]
        fn a_command_behind_a_password_is_shown(
            value in "[A-Za-z0-9]{0,20}", sign in prop::sample::select(vec![";", "&&", "||", "|", "&"]),
            command in "[A-Za-z][a-zA-Z0-9]{3,16}", blank in "[ ]?",
        ) {
            for form in COMMANDS {
                let line = form.replace("{}", &format!("{value}{sign}{blank}{command}"));
                for path in ["run.sh", "ci.yml", "Dockerfile"] {
                    let shown = shown(path, &line);
                    prop_assert!(shown.contains(&format!("{sign}{blank}{command}")), "{path}: {line}: {shown}");
                }
            }
            for form in ["TOKEN={}", "export DB_PASSWORD={}", "curl https://me:{};y@h.example.com/"] {
                let line = form.replace("{}", &format!("{value}{sign}{command}"));
                for path in ["run.sh", ".envrc", ".env.sh"] {
                    let shown = shown(path, &line);
                    prop_assert!(shown.contains(&format!("{sign}{command}")), "{path}: {line}: {shown}");
                }
            }
        }

        /// Law: a substitution is shown under every name and in every quote that runs it.
        #[test]
        fn a_substitution_is_shown(
            name in prop::sample::select(vec!["PGPASSWORD=", "export API_TOKEN=", "password=", "x --password ", "x -p ",
                "set_password(", "secret = ", "db_pass = "]),
            command in "[a-z]{2,8}[0-9][A-Za-z0-9]{3,12}", open in prop::sample::select(vec!["`", "$(", "\"`", "\"$(", "\"a1`"]),
        ) {
            let close = if open.contains('`') { "`" } else { ")" };
            let quote = if open.starts_with('"') { "\"" } else { "" };
            let line = format!("{name}{open}{command}{close}{quote} psql");
            for path in ["run.sh", "a.rb", "a.php", ".envrc", "Makefile", "ci.yml"] {
                let shown = shown(path, &line);
                prop_assert!(shown.contains(&command), "{path}: {line}: {shown}");
            }
        }

        /// Law: a call by itself is shown in every file that is run.
        #[test]
        fn a_call_by_itself_is_shown(command in "[a-z]{2}[A-Z][0-9][A-Za-z0-9]{0,70}", indent in "[ \t]{0,3}") {
            for path in [".envrc", ".env.sh", ".env.zsh", "run.sh", "deploy.bash"] {
                let line = format!("{indent}{command}");
                prop_assert_eq!(shown(path, &line), line);
            }
            for path in [".env.js", ".env.py", "a.py", "a.js"] {
                let line = format!("{indent}{command}();");
                prop_assert_eq!(shown(path, &line), line);
            }
        }
    }

    #[test]
    fn a_value_between_backticks_is_hidden_where_nobody_runs_it() {
        for path in ["a.js", "a.tsx", "a.go"] {
            let shown = shown(path, "const password = `Zk9LmPq3Rt7xW`");
            assert!(shown.contains("[redacted: secret]"), "{path}: {shown}");
        }
    }

    #[test]
    fn a_value_of_a_script_ends_where_its_word_does() {
        let text = "export FOO=Zk9LmPq3Rt7xW run2 now\nexport BAR='a Zk9LmPq3' && run2\n";
        let hidden =
            "export FOO=[redacted: value] run2 now\nexport BAR=[redacted: value] && run2\n";
        assert_eq!(shown(".envrc", text), hidden);
        let code = "const a = run2(b);\n  c: \"Zk9LmPq3Rt7xW\",\n";
        assert_eq!(
            shown(".env.js", code),
            "const a = run2(b);\n  c: [redacted: value],\n"
        );
    }
}
