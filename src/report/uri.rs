//! Percent-encoding: every byte that is not plain becomes `%XX`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};

/// Everything but the unreserved characters of RFC 3986.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The same, and folders stay folders.
const PATH: &AsciiSet = &COMPONENT.remove(b'/');

/// A value for one part of a path or for a query.
pub(crate) fn encode_component(text: &str) -> String {
    percent_encode(text.as_bytes(), COMPONENT).to_string()
}

/// A path of a repository as a relative URI.
pub(crate) fn encode_path(path: &[u8]) -> String {
    percent_encode(path, PATH).to_string()
}
