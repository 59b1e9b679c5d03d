//! Files whose name says that they hold secrets, and what their lines give away.

use std::ops::Range;

use crate::matcher::PLACEHOLDER;
use crate::plausible::looks_random;
use crate::reference::is_setting;
use crate::script::Script;
use crate::table::{FileRule, SecretTable};
use crate::value::is_drawn_value;

impl SecretTable {
    /// Whether a file's name says that it holds secrets. Samples and templates are meant to be read.
    pub fn holds_secrets(&self, path: &str) -> bool {
        self.files
            .iter()
            .any(|file| !file.is_drawn && file.is_about(path))
    }

    /// Whether a file's name says that what looks drawn in it is a secret.
    pub fn holds_drawn(&self, path: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.is_drawn && file.is_about(path))
    }

    /// Whether such a file is worth a finding: nothing but secrets is kept under its name.
    pub fn is_secret_file(&self, path: &str) -> bool {
        self.files
            .iter()
            .any(|file| file.is_reported && file.is_about(path))
    }
}

impl FileRule {
    fn is_about(&self, path: &str) -> bool {
        self.path.is_match(path) && !self.allowed.is_match(path)
    }
}

/// The words of a line that look drawn.
pub fn drawn_words(line: &str) -> impl Iterator<Item = Range<usize>> {
    let words = line.split(is_word_end).filter(|word| looks_random(word));
    words.map(|word| {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        start..start + word.len()
    })
}

fn is_word_end(c: char) -> bool {
    c.is_whitespace() || "\"'`,;=:".contains(c)
}

/// Whether a line may repeat a value that its change knows to be secret: worth the reading of that change.
pub fn may_repeat_secret(line: &str) -> bool {
    let mut words = line.split(is_word_end);
    words.any(|word| looks_random(word) || is_drawn_value(word))
}

/// What a line of a file that holds secrets gives away.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum LineValue {
    /// Nothing: a comment, a heading, an empty setting, a boundary, or already redacted.
    Shown,
    /// What judges must see, from this byte on, but for what looks drawn in it: a setting, a path, a command.
    Written(usize),
    /// A setting's value, which begins at this byte.
    Hidden(usize),
    /// Something without a shape.
    Opaque,
}

/// Looks at a line of a file that holds secrets. A value that is a command stays: it is code, not a secret.
///
/// Where the file is `script`, its value ends where its word does.
pub(crate) fn value_of_line(line: &str, script: Script) -> LineValue {
    let text = line.trim();
    let comment = !is_commented_setting(text)
        && ["#", "// ", ";", "!", "-----"]
            .iter()
            .any(|start| text.starts_with(start));
    let heading = text.starts_with('[') && text.ends_with(']') && text.matches(']').count() == 1;
    let bracket = text.bytes().all(|b| b"{}[](),".contains(&b));
    if comment || heading || bracket || is_redacted(text) {
        return LineValue::Shown;
    }
    // An item of a list has no name, or one of its own.
    let item = text.strip_prefix("- ").map(str::trim_start);
    let Some(at) = line.find(['=', ':']) else {
        let at = item.map(|item| line.trim_end().len() - item.len());
        return match (at, item) {
            (Some(at), Some(item)) if is_setting("", item) => LineValue::Written(at),
            (Some(at), Some(_)) => LineValue::Hidden(at),
            _ => LineValue::Opaque,
        };
    };
    let name = line[..at]
        .trim()
        .trim_start_matches("- ")
        .trim_start_matches('#')
        .trim_start()
        .trim_start_matches("export ")
        .trim_matches(['"', '\'']);
    let named = |b: u8| b.is_ascii_alphanumeric() || b"_.-/@:".contains(&b);
    let rest = line[at + 1..].trim_start();
    if name.is_empty() || !name.bytes().all(named) {
        return LineValue::Opaque;
    }
    let is_command = rest.contains("$(") || rest.contains('`') || is_place_holder(rest);
    // An address alone: its password and its tokens are looked for in every line.
    let is_address = line[at..].starts_with("://");
    if rest.is_empty() || is_redacted(rest) || is_command || is_switch(rest) || is_address {
        return LineValue::Shown;
    }
    let at = line.len() - rest.len();
    let value = match script.is_code {
        true => &rest[..script.value_end(rest).unwrap_or(0)],
        false => rest,
    };
    if !value.is_empty() && is_setting(name, value) {
        return LineValue::Written(at);
    }
    LineValue::Hidden(at)
}

/// What may stand around a value and says nothing of it.
pub(crate) fn is_around_value(c: char) -> bool {
    c.is_whitespace() || "\"'`,;".contains(c)
}

/// Whether a comment is a setting that was switched off: its value is no less a secret. Prose has blanks before its signs.
fn is_commented_setting(text: &str) -> bool {
    let rest = text.trim_start_matches('#').trim_start();
    let Some((name, value)) = rest.split_once('=').filter(|_| rest.len() < text.len()) else {
        return false;
    };
    let name = name.strip_prefix("export ").unwrap_or(name);
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    !name.is_empty() && name.bytes().all(is_name) && !value.trim().contains(' ')
}

/// `package-lock=false`: a switch is nobody's secret.
fn is_switch(value: &str) -> bool {
    const SWITCHES: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "none"];
    let value = value.trim_matches(is_around_value).to_ascii_lowercase();
    SWITCHES.contains(&value.as_str())
}

/// `<your-token>`, in which nothing stands.
fn is_place_holder(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'']);
    value.starts_with('<') && value.ends_with('>')
}

/// Whether nothing is left of a text but what stands for a secret.
fn is_redacted(text: &str) -> bool {
    let text = text.trim_matches(is_around_value);
    text.starts_with(PLACEHOLDER) && text.ends_with(']') && text.matches(']').count() == 1
}
