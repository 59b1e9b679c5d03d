//! Paths as git stores them: bytes, usually UTF-8.

use std::borrow::Cow;
use std::fmt;

use percent_encoding::{CONTROLS, percent_decode_str};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A path inside a repository, `/`-separated, as the bytes that git stores.
///
/// In JSON a UTF-8 path is a string; any other is `{"percent": "a%FFb"}`, percent-encoded and flagged by its shape.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(from = "WirePath", into = "WirePath")]
pub struct RepoPath(Vec<u8>);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum WirePath {
    Plain(String),
    Encoded { percent: String },
}

impl RepoPath {
    /// A path from the bytes that git stores.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The bytes that git stores.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path as text; bytes that are not UTF-8 are percent-encoded. Not sanitized for a terminal.
    pub fn display(&self) -> Cow<'_, str> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => Cow::Owned(percent_encode(&self.0)),
        }
    }

    /// The one of `known` that a judge means by this path: itself; without the `./`, `a/` or `b/` that tools put before it;
    /// the only one that ends with it; or, where it is absolute, the longest one that it ends with. What is not found so is
    /// read without the marks of a text around it, and with `/` for `\`. None: it is not clear.
    pub fn resolve_among<'a>(
        &self,
        known: impl Iterator<Item = &'a Self> + Clone,
    ) -> Option<&'a Self> {
        let as_written = self.resolve_plain(known.clone());
        as_written.or_else(|| self.without_marks()?.resolve_plain(known))
    }

    fn resolve_plain<'a>(&self, known: impl Iterator<Item = &'a Self> + Clone) -> Option<&'a Self> {
        let readings = || std::iter::once(self.0.as_slice()).chain(unprefixed(&self.0));
        if let Some(found) = readings().find_map(|path| known.clone().find(|k| k.0 == path)) {
            return Some(found);
        }
        if self.0.starts_with(b"/") {
            let inside = known.filter(|k| is_end(&self.0, &k.0));
            return inside.max_by_key(|k| k.0.len());
        }
        let plain = readings().last()?;
        let mut ending = known.filter(|k| !plain.is_empty() && is_end(&k.0, plain));
        ending.next().filter(|_| ending.next().is_none())
    }

    /// The path in `` `src/a.py` ``, `"src/a.py:12"` or `src\a.py`, where something of that kind stands in it.
    fn without_marks(&self) -> Option<Self> {
        let text = std::str::from_utf8(&self.0).ok()?;
        let is_mark = |c: char| c.is_whitespace() || "`\"'".contains(c);
        let inner = text.trim_matches(is_mark);
        let place = inner.trim_end_matches(|c: char| c.is_ascii_digit());
        let inner = place.strip_suffix(':').unwrap_or(inner);
        let plain = inner.trim_matches(is_mark).replace('\\', "/");
        (plain != text).then(|| Self(plain.into_bytes()))
    }

    /// Without `./` before it.
    pub fn without_dot(mut self) -> Self {
        while self.0.starts_with(b"./") {
            self.0.drain(..2);
        }
        self
    }

    /// The last component.
    pub fn file_name(&self) -> &[u8] {
        self.0.rsplit(|&b| b == b'/').next().unwrap_or(&self.0)
    }

    /// What stands behind the last dot of the file name, if anything does.
    pub fn extension(&self) -> Option<&str> {
        let name = std::str::from_utf8(self.file_name()).ok()?;
        name.rsplit_once('.')
            .filter(|(stem, _)| !stem.is_empty())
            .map(|(_, ext)| ext)
    }
}

/// A path without what tools put before it, the least first.
fn unprefixed(path: &[u8]) -> Vec<&[u8]> {
    let mut left = path;
    while let Some(rest) = left.strip_prefix(b"./") {
        left = rest;
    }
    let diffed = left
        .strip_prefix(b"a/")
        .or_else(|| left.strip_prefix(b"b/"));
    std::iter::once(left)
        .chain(diffed)
        .filter(|p| p.len() < path.len())
        .collect()
}

/// Whether the last components of `path` are `end`.
fn is_end(path: &[u8], end: &[u8]) -> bool {
    path.strip_suffix(end)
        .is_some_and(|before| before.ends_with(b"/"))
}

/// Bytes that are not UTF-8 as `%FF`; the rest as it is, but for `%` itself.
fn percent_encode(bytes: &[u8]) -> String {
    let chunk = |chunk: std::str::Utf8Chunk<'_>| {
        let valid = chunk.valid().replace('%', "%25");
        valid + &percent_encoding::percent_encode(chunk.invalid(), CONTROLS).to_string()
    };
    bytes.utf8_chunks().map(chunk).collect()
}

impl From<WirePath> for RepoPath {
    fn from(wire: WirePath) -> Self {
        match wire {
            WirePath::Plain(text) => Self(text.into_bytes()),
            WirePath::Encoded { percent } => Self(percent_decode_str(&percent).collect()),
        }
    }
}

impl From<RepoPath> for WirePath {
    fn from(path: RepoPath) -> Self {
        match String::from_utf8(path.0) {
            Ok(text) => Self::Plain(text),
            Err(error) => Self::Encoded {
                percent: percent_encode(error.as_bytes()),
            },
        }
    }
}

impl JsonSchema for RepoPath {
    fn schema_name() -> Cow<'static, str> {
        "RepoPath".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        WirePath::json_schema(generator)
    }
}

impl From<&str> for RepoPath {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.display())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_judges_path_means_the_one_file_that_it_can_mean() {
        let known = [
            "src/net/mod.rs",
            "src/io/mod.rs",
            "src/net/tls.rs",
            "a/tls.rs",
        ]
        .map(RepoPath::from);
        let meant = |said: &str| {
            RepoPath::from(said)
                .resolve_among(known.iter())
                .map(|p| p.display().into_owned())
        };
        for (said, path) in [
            ("src/net/tls.rs", "src/net/tls.rs"),
            ("./src/net/tls.rs", "src/net/tls.rs"),
            ("b/src/net/tls.rs", "src/net/tls.rs"),
            ("a/src/io/mod.rs", "src/io/mod.rs"),
            ("net/mod.rs", "src/net/mod.rs"),
            ("a/tls.rs", "a/tls.rs"),
            ("/tmp/tree/src/net/tls.rs", "src/net/tls.rs"),
            ("`src/net/tls.rs`", "src/net/tls.rs"),
            ("src\\net\\tls.rs", "src/net/tls.rs"),
            ("`./src/net/tls.rs:12`", "src/net/tls.rs"),
        ] {
            assert_eq!(meant(said).as_deref(), Some(path), "{said}");
        }
        for unclear in [
            "mod.rs",
            "tls.rs",
            "s.rs",
            "",
            "./",
            "/tmp/other.rs",
            "lib/net/tls.rs",
        ] {
            assert_eq!(meant(unclear), None, "{unclear}");
        }
    }

    use super::*;

    #[test]
    fn utf8_is_a_string_and_other_bytes_are_flagged() {
        let plain = RepoPath::from("src/100%.rs");
        assert_eq!(serde_json::to_string(&plain).unwrap(), r#""src/100%.rs""#);
        let odd = RepoPath::new(b"a%\xffb".to_vec());
        let json = serde_json::to_string(&odd).unwrap();
        assert_eq!(json, r#"{"percent":"a%25%FFb"}"#);
        assert_eq!(serde_json::from_str::<RepoPath>(&json).unwrap(), odd);
    }

    #[test]
    fn extension_ignores_dotfiles() {
        assert_eq!(RepoPath::from("a/b.tar.gz").extension(), Some("gz"));
        assert_eq!(RepoPath::from("a/.bashrc").extension(), None);
    }
}

#[cfg(test)]
mod path_laws {
    use proptest::prelude::*;
    use proptest::sample::{Index, select};

    use super::*;

    /// Paths of a tree; no part is as short as what tools put before a path, and none holds `z`.
    fn tree() -> impl Strategy<Value = Vec<RepoPath>> {
        let path = prop::collection::vec("[a-y]{2,3}", 1..4);
        prop::collection::btree_set(path, 1..8).prop_map(|paths| {
            let named =
                |parts: Vec<String>| RepoPath::from(format!("{}.rs", parts.join("/")).as_str());
            paths.into_iter().map(named).collect()
        })
    }

    fn write(path: &str, before: &str, mark: &str, line: Option<u32>, backslashes: bool) -> String {
        let path = if backslashes {
            path.replace('/', "\\")
        } else {
            path.to_owned()
        };
        let line = line.map_or(String::new(), |line| format!(":{line}"));
        format!("{mark}{before}{path}{line}{mark}")
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_path_is_found_whatever_is_written_around_it(
            tree in tree(), at in any::<Index>(), dropped in 0usize..3, before in select(vec!["", "./", "a/", "b/", "./a/"]),
            mark in select(vec!["", "`", "\"", "'", " "]), line in prop::option::of(1u32..999), backslashes in any::<bool>(),
        ) {
            let meant = at.get(&tree);
            let whole = meant.display().into_owned();
            let parts: Vec<&str> = whole.split('/').collect();
            let end = parts[dropped.min(parts.len() - 1)..].join("/");
            let said = RepoPath::from(write(&end, before, mark, line, backslashes).as_str());
            let ends = tree.iter().filter(|path| is_end(&path.0, end.as_bytes())).count();
            let found = said.resolve_among(tree.iter());
            // The whole path is itself; an end of several is not clear.
            let is_exact = tree.iter().any(|path| path.0 == end.as_bytes());
            let expected = if is_exact {
                tree.iter().find(|path| path.0 == end.as_bytes())
            } else {
                Some(meant).filter(|_| ends == 1)
            };
            prop_assert_eq!(found, expected, "{:?}", said);
        }

        #[test]
        fn a_file_that_is_not_there_is_no_other(
            tree in tree(), name in "[a-y]{0,2}z", before in select(vec!["", "./", "a/", "/tmp/"]),
            mark in select(vec!["", "`"]), line in prop::option::of(1u32..999),
        ) {
            let said = write(&format!("{name}.rs"), before, mark, line, false);
            prop_assert_eq!(RepoPath::from(said.as_str()).resolve_among(tree.iter()), None, "{}", said);
        }
    }
}
