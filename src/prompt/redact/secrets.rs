//! Shapes of secrets: tokens of providers, credentials in URLs, assigned literals; and names of files that hold them.

use std::borrow::Cow;
use std::sync::OnceLock;

use council_protocol::RepoPath;
use regex::{Captures, Regex};

/// Tokens whose shape alone gives them away: label and pattern. Each begins with a literal, which makes them cheap.
const TOKENS: &[(&str, &str)] = &[
    (
        "aws-key",
        r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?-u:\b)",
    ),
    ("github-token", r"(?-u:\b)gh[pousr]_[A-Za-z0-9]{36,}"),
    ("github-token", r"(?-u:\b)github_pat_[A-Za-z0-9_]{40,}"),
    (
        "gitlab-token",
        r"(?-u:\b)gl(?:pat|ptt|rt|dt)-[A-Za-z0-9_-]{20,}",
    ),
    ("slack-token", r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,}"),
    (
        "slack-webhook",
        r"hooks\.slack\.com/services/[A-Za-z0-9/]{20,}",
    ),
    (
        "stripe-key",
        r"(?-u:\b)[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
    ),
    ("google-key", r"(?-u:\b)AIza[A-Za-z0-9_-]{35}"),
    ("google-token", r"(?-u:\b)ya29\.[A-Za-z0-9_-]{20,}"),
    (
        "model-key",
        r"\bsk-(?:ant|proj|svcacct|or)-[A-Za-z0-9_-]{20,}",
    ),
    ("model-key", r"(?-u:\b)sk-[A-Za-z0-9]{32,}"),
    ("huggingface-token", r"(?-u:\b)hf_[A-Za-z0-9]{30,}"),
    ("npm-token", r"(?-u:\b)npm_[A-Za-z0-9]{36}"),
    ("pypi-token", r"(?-u:\b)pypi-[A-Za-z0-9_-]{50,}"),
    (
        "sendgrid-key",
        r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    ),
    ("digitalocean-token", r"(?-u:\b)do[opr]_v1_[a-f0-9]{64}"),
    (
        "shopify-token",
        r"(?-u:\b)shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    ),
    ("vault-token", r"(?-u:\b)hv[sb]\.[A-Za-z0-9_-]{24,}"),
    ("age-key", r"(?-u:\b)AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    ("azure-key", r"(?-u:\b)AccountKey=[A-Za-z0-9+/=]{40,}"),
    (
        "jwt",
        r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",
    ),
    (
        "private-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----\S{16,}",
    ),
];

/// Words before a literal that make it a secret.
const NAMES: &str = "passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential";

/// The compiled patterns; built when the first text is redacted.
#[derive(Debug)]
pub(super) struct Patterns {
    tokens: Regex,
    url: Regex,
    quoted: Regex,
    bare: Regex,
}

impl Patterns {
    pub(super) fn get() -> &'static Self {
        static PATTERNS: OnceLock<Patterns> = OnceLock::new();
        PATTERNS.get_or_init(Self::build)
    }

    fn build() -> Self {
        let tokens: Vec<_> = TOKENS
            .iter()
            .map(|(_, pattern)| format!("({pattern})"))
            .collect();
        // ASCII classes only: those of Unicode are large, and no name of a setting needs them.
        let quoted = format!(
            r#"(?i-u:{NAMES})[A-Za-z0-9_.-]*["'\]]*(?:[ \t]*:[ \t]*[&A-Za-z0-9_<>\[\]' ]{{1,30}}=|[ \t]*(?::=|=>|==|=|:))[ \t]*[A-Za-z]{{0,2}}(?:"([^"\s]{{6,}})"|'([^'\s]{{6,}})'|`([^`\s]{{6,}})`)"#
        );
        let bare = format!(
            r#"^[ \t]*(?:export[ \t]+|set[ \t]+|-[ \t]+)?[A-Za-z0-9_.-]*(?i-u:{NAMES})[A-Za-z0-9_]*[ \t]*[=:][ \t]*([^\s"'`#]{{8,}})[ \t\r]*$"#
        );
        let url = r#"[A-Za-z0-9+.-]://[^/\s:@"'<>]*:([^/\s:@"'<>]{3,})@"#;
        Self {
            tokens: compile(&tokens.join("|")),
            url: compile(url),
            quoted: compile(&quoted),
            bare: compile(&bare),
        }
    }

    /// `line` with its secrets replaced, and how many there were.
    pub(super) fn replace<'a>(&self, line: &'a str) -> (Cow<'a, str>, usize) {
        let mut count = 0;
        let mut line = Cow::Borrowed(line);
        let token = |found: &Captures<'_>| {
            let index = (1..found.len())
                .find(|&i| found.get(i).is_some())
                .unwrap_or(1);
            format!("[redacted: {}]", TOKENS[index - 1].0)
        };
        apply(&mut line, &self.tokens, &mut count, &mut |found| {
            Some(token(found))
        });
        apply(&mut line, &self.url, &mut count, &mut |found| {
            value(found, is_literal)
        });
        apply(&mut line, &self.quoted, &mut count, &mut |found| {
            value(found, is_secret)
        });
        apply(&mut line, &self.bare, &mut count, &mut |found| {
            value(found, is_random)
        });
        (line, count)
    }
}

fn compile(pattern: &str) -> Regex {
    // The patterns are constants, and a test compiles them; one that matches nothing would be a hole.
    #[expect(clippy::expect_used, reason = "constant patterns, compiled by a test")]
    Regex::new(pattern).expect("constant pattern")
}

/// Replaces what `mend` gives a replacement for.
fn apply(
    line: &mut Cow<'_, str>,
    pattern: &Regex,
    count: &mut usize,
    mend: &mut dyn FnMut(&Captures<'_>) -> Option<String>,
) {
    if !pattern.is_match(line) {
        return;
    }
    let replaced = pattern.replace_all(line, |found: &Captures<'_>| {
        let mended = mend(found);
        *count += usize::from(mended.is_some());
        mended.unwrap_or_else(|| found[0].to_owned())
    });
    *line = Cow::Owned(replaced.into_owned());
}

/// The match with its captured value replaced, if `counts` says that it is a secret.
fn value(found: &Captures<'_>, counts: fn(&str) -> bool) -> Option<String> {
    let whole = found.get(0)?;
    let value = (1..found.len())
        .find_map(|i| found.get(i))
        .filter(|v| counts(v.as_str()))?;
    let (from, to) = (value.start() - whole.start(), value.end() - whole.start());
    let text = whole.as_str();
    Some(format!(
        "{}[redacted: secret]{}",
        &text[..from],
        &text[to..]
    ))
}

/// Whether a value is written out rather than taken from somewhere, and no filler.
fn is_literal(value: &str) -> bool {
    const PLACES: &[&str] = &[
        "$(",
        "{",
        "}",
        "<",
        "%(",
        "%s",
        "[redacted: ",
        "os.environ",
        "process.env",
    ];
    const FILLERS: &[&str] = &[
        "xxxx",
        "****",
        "....",
        "example",
        "changeme",
        "placeholder",
        "dummy",
    ];
    const WORDS: &[&str] = &[
        "pass", "password", "passwd", "pwd", "secret", "token", "test",
    ];
    let lower = value.to_ascii_lowercase();
    !value.starts_with('$')
        && !PLACES.iter().any(|place| value.contains(place))
        && !FILLERS.iter().any(|filler| lower.contains(filler))
        && !WORDS.contains(&lower.as_str())
}

/// A literal that is no plain word: digits or symbols beside letters, or mixed case at length.
fn is_secret(value: &str) -> bool {
    let (mut digits, mut upper, mut lower) = (0, 0, 0);
    for byte in value.bytes() {
        digits += usize::from(byte.is_ascii_digit());
        upper += usize::from(byte.is_ascii_uppercase());
        lower += usize::from(byte.is_ascii_lowercase());
    }
    let symbols = value.bytes().any(|b| b"!@$%^&*+/=~?#".contains(&b));
    let mixed = (digits > 0 || symbols) && upper + lower > 0;
    is_literal(value) && (mixed || (value.len() >= 16 && upper > 2 && lower > 2))
}

/// A value without quotes must look drawn at random: no name, no path, no call; letters of both cases and digits, or
/// long.
fn is_random(value: &str) -> bool {
    let has = |class: fn(&u8) -> bool| value.bytes().any(|b| class(&b));
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let hex = value.bytes().all(|b| b.is_ascii_hexdigit());
    is_secret(value)
        && has(u8::is_ascii_digit)
        && ((mixed && value.len() >= 12) || (value.len() >= 20 && (hex || !value.contains('_'))))
        && !value.contains(['(', ')', '[', ']', ';', '.', ','])
}

/// A byte of base64.
pub(super) fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Whether a line is nothing but base64, as in the middle of a key whose head is not shown.
pub(super) fn is_base64_line(body: &str) -> bool {
    body.len() >= 60
        && body.bytes().all(is_base64)
        && body.bytes().any(|b| b.is_ascii_digit())
        && body.bytes().any(|b| b.is_ascii_uppercase())
        && body.bytes().any(|b| b.is_ascii_lowercase())
}

/// Whether a line of a file that holds secrets is one of a key or a token; `NAME=` is none.
pub(super) fn is_token_line(body: &str) -> bool {
    let padded = !body.ends_with('=') || body.len().is_multiple_of(4);
    body.len() >= 4 && padded && body.bytes().all(is_base64)
}

/// Whether a file's name says that it holds secrets. Samples and templates are meant to be read.
pub(super) fn holds_secrets(path: &RepoPath) -> bool {
    const NAMES: &[&str] = &[
        ".env",
        ".npmrc",
        ".pypirc",
        ".netrc",
        "_netrc",
        ".pgpass",
        ".htpasswd",
        ".git-credentials",
        ".dockercfg",
        "credentials",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
    ];
    const ENDINGS: &[&str] = &[
        ".pem",
        ".key",
        ".p8",
        ".pk8",
        ".ppk",
        ".p12",
        ".pfx",
        ".jks",
        ".keystore",
        ".tfvars",
        ".env",
        ".kdbx",
    ];
    const SAMPLES: &[&str] = &["example", "sample", "template", "dist", "defaults"];
    let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
    let sample = name
        .split(['.', '-', '_'])
        .any(|part| SAMPLES.contains(&part));
    let named = NAMES.contains(&name.as_str()) || name.starts_with(".env.");
    !sample && (named || ENDINGS.iter().any(|ending| name.ends_with(ending)))
}

/// What a line of a file that holds secrets gives away.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing: a comment, a heading, an empty setting, a boundary, or already redacted.
    Shown,
    /// A setting's value, which begins at this byte.
    Hidden(usize),
    /// Something without a shape.
    Opaque,
}

/// Looks at a line of a file that holds secrets. A value that is a command stays: it is code, not a secret.
pub(super) fn value_of(line: &str) -> Value {
    let text = line.trim();
    let comment = ["#", "// ", ";", "!", "-----"]
        .iter()
        .any(|start| text.starts_with(start));
    let heading = text.starts_with('[') && text.ends_with(']') && text.matches(']').count() == 1;
    let bracket = text.bytes().all(|b| b"{}[](),".contains(&b));
    if comment || heading || bracket || is_redacted(text) {
        return Value::Shown;
    }
    let Some(at) = line.find(['=', ':']) else {
        return Value::Opaque;
    };
    let name = line[..at]
        .trim()
        .trim_start_matches("export ")
        .trim_matches(['"', '\'']);
    let named = |b: u8| b.is_ascii_alphanumeric() || b"_.-/@:".contains(&b);
    let rest = line[at + 1..].trim_start();
    if name.is_empty() || !name.bytes().all(named) {
        return Value::Opaque;
    }
    if rest.is_empty() || is_redacted(rest) || rest.contains(['`', '(', '|', '&', '<', '>']) {
        return Value::Shown;
    }
    Value::Hidden(line.len() - rest.len())
}

/// Whether nothing is left of a text but what stands for a secret.
fn is_redacted(text: &str) -> bool {
    let text = text.trim_matches(|c: char| c.is_whitespace() || "\"'`,;".contains(c));
    text.starts_with("[redacted: ") && text.ends_with(']') && text.matches(']').count() == 1
}
