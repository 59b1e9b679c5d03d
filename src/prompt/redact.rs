//! What of a text leaves the machine: secrets replaced, invisible characters made visible.
//!
//! Line by line, so that a line shown in a brief and the same line of the reviewed file come out alike: quotes of judges
//! that read briefs are proved against text that went through here too (2-architecture.md, "Trust").

mod gitleaks;
mod secrets;

use std::borrow::Cow;

use council_protocol::RepoPath;

pub use gitleaks::{Rules, in_force};
use secrets::Patterns;

/// `text` as judges that read briefs are shown it, and how many secrets were replaced.
///
/// Redacting twice changes nothing more. Lines stay lines, so their numbers hold.
pub fn redact(text: &str) -> (String, usize) {
    redact_with(&mut Redactor::plain(), text)
}

/// Like [`redact`], for the content of a file: one whose name says that it holds secrets (`.env`, `*.pem`, `id_rsa`, …)
/// shows the names of its settings but none of its values.
pub fn redact_file(path: &RepoPath, text: &str) -> (String, usize) {
    redact_with(&mut Redactor::of(path), text)
}

fn redact_with(redactor: &mut Redactor, text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let mut count = 0;
    for line in text.split_inclusive('\n') {
        let (line, end) = line
            .strip_suffix('\n')
            .map_or((line, ""), |line| (line, "\n"));
        let shown = redactor.line(line);
        out.push_str(&shown.text);
        out.push_str(end);
        count += shown.secrets;
    }
    (out, count)
}

/// One line as it is shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shown<'a> {
    /// The text.
    pub(super) text: Cow<'a, str>,
    /// How many secrets were replaced in it.
    pub(super) secrets: usize,
    /// Whether the whole line was withheld, though it has no known shape.
    pub(super) withheld: bool,
}

/// Where a reader of private keys stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Outside,
    /// After `-----BEGIN … PRIVATE KEY-----`.
    Header,
    /// After at least one line of the key itself.
    Body,
}

/// Redacts line after line of one text.
#[derive(Debug)]
pub(super) struct Redactor {
    key: Key,
    holds_secrets: bool,
    patterns: &'static Patterns,
}

impl Redactor {
    /// For text of no file.
    pub(super) fn plain() -> Self {
        Self {
            key: Key::Outside,
            holds_secrets: false,
            patterns: Patterns::get(),
        }
    }

    /// For lines of a file.
    pub(super) fn of(path: &RepoPath) -> Self {
        Self {
            holds_secrets: secrets::holds_secrets(path),
            ..Self::plain()
        }
    }

    /// One line, without its newline.
    pub(super) fn line<'a>(&mut self, line: &'a str) -> Shown<'a> {
        if let Some(text) = self.key_line(line) {
            return Shown {
                text: text.into(),
                secrets: 1,
                withheld: false,
            };
        }
        let (mut text, mut secrets) = self.patterns.replace(line);
        gitleaks::replace(&mut text, &mut secrets);
        let text = visible(text);
        if !self.holds_secrets {
            return Shown {
                text,
                secrets,
                withheld: false,
            };
        }
        match secrets::value_of(&text) {
            secrets::Value::Shown => Shown {
                text,
                secrets,
                withheld: false,
            },
            secrets::Value::Hidden(at) => {
                secrets = secrets.max(1);
                let text = format!("{}[redacted: value]", &text[..at]);
                Shown {
                    text: text.into(),
                    secrets,
                    withheld: false,
                }
            }
            secrets::Value::Opaque => {
                let text = "[redacted: line of a secret file]".into();
                Shown {
                    text,
                    secrets: secrets + 1,
                    withheld: true,
                }
            }
        }
    }

    /// A line of a private key, or one that is nothing but base64: what is shown instead.
    fn key_line(&mut self, line: &str) -> Option<String> {
        if self.key == Key::Outside {
            let begins = line.contains("-----BEGIN ");
            if begins && (self.holds_secrets || line.contains("PRIVATE KEY")) {
                let closed = line.contains("-----END ");
                self.key = if closed { Key::Outside } else { Key::Header };
                return None;
            }
            let body = bare(line);
            let token = self.holds_secrets && secrets::is_token_line(body);
            let whole = token || secrets::is_base64_line(body);
            return whole.then(|| line.replacen(body, "[redacted: base64]", 1));
        }
        let body = bare(line);
        let shortest = if self.key == Key::Body { 4 } else { 16 };
        if body.len() >= shortest && body.bytes().all(secrets::is_base64) {
            self.key = Key::Body;
            return Some(line.replacen(body, "[redacted: key]", 1));
        }
        let headers = ["Proc-Type:", "DEK-Info:", "Version:", "Comment:"];
        let header = self.key == Key::Header
            && (body.is_empty() || headers.iter().any(|h| body.starts_with(h)));
        if body.starts_with("[redacted: key]") {
            self.key = Key::Body;
        } else if !header {
            self.key = Key::Outside;
        }
        None
    }
}

/// A line without what source code puts around a piece of a key: white space, quotes, commas, plus signs, `\n`.
fn bare(line: &str) -> &str {
    let line =
        line.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '`' | ';'));
    let line = line.strip_suffix("\\n").unwrap_or(line);
    line.trim_end_matches(['"', '\'', ' '])
}

/// Characters that a reader cannot see, or that change the order of what it sees, as their code points: instructions
/// hidden in tag characters, Trojan Source (peers.md 6.3, T19). Joiners of emoji stay.
fn visible(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.chars().any(is_hidden) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hidden(c) {
            out.push_str(&format!("<U+{:04X}>", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out.into()
}

pub(super) fn is_hidden(c: char) -> bool {
    match c {
        '\t' | '\r' | ' '..='~' => false,
        '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}' => true,
        c => c.is_control(),
    }
}

#[cfg(test)]
mod tests;
