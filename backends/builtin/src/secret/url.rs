//! Passwords inside URLs.

use std::ops::Range;

use super::is_placeholder;
use crate::pattern::pattern;

pattern!(
    URL,
    r#"\b[a-z][a-z0-9+.-]*://([^/\s:@"'<>{}$%()\[\]]+):([^/\s:@"'<>{}$%()\[\]*]{4,})@([A-Za-z0-9.-]+)"#
);

const COMMON: [&str; 14] = [
    "password",
    "passwd",
    "pass",
    "secret",
    "user",
    "username",
    "postgres",
    "mysql",
    "root",
    "admin",
    "guest",
    "test",
    "token",
    "password123",
];

/// The first URL of a line that carries a password: its host, and where the password stands.
pub(crate) fn find_in_url(text: &str) -> Option<(&str, Range<usize>)> {
    if !text.contains('@') {
        return None;
    }
    let found = URL.captures(text)?;
    let (user, host, password) = (
        found.get(1)?.as_str(),
        found.get(3)?.as_str(),
        found.get(2)?,
    );
    let value = password.as_str();
    let common = COMMON.contains(&value.to_ascii_lowercase().as_str()) || value == user;
    let real = !common && !is_placeholder(value) && !is_nowhere(host);
    real.then(|| (host, password.range()))
}

/// Hosts that are nobody's, or the reader's own.
fn is_nowhere(host: &str) -> bool {
    let local = !host.contains('.') || host.starts_with("127.") || host == "0.0.0.0";
    local
        || host.contains("example")
        || [".test", ".invalid", ".local", ".localhost"]
            .iter()
            .any(|end| host.ends_with(end))
}
