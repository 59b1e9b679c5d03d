//! Where to read on: pages of the documents. An installed program has none beside it, so a page is named by its address.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// A page as it was in the version that wrote a report.
pub(crate) fn page_url(version: &str, path: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || ".-".contains(*c);
    let version: String = version.chars().filter(plain).collect();
    format!("{}/blob/v{version}/{path}", env!("CARGO_PKG_REPOSITORY"))
}

/// A page of this version, by its path in the repository: `docs/github.md`.
pub(crate) fn page_address(path: &str) -> String {
    page_url(env!("CARGO_PKG_VERSION"), path)
}

/// A text of this program in which pages stand by their paths, with their addresses.
pub(crate) fn with_page_addresses(text: &str) -> Cow<'_, str> {
    static PAGE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"docs/[a-z-]+\.md").ok());
    let address = |page: &Captures<'_>| page_address(&page[0]);
    match &*PAGE {
        Some(pages) => pages.replace_all(text, address),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_named_by_its_address() {
        let address = page_address("docs/github.md");
        let version = env!("CARGO_PKG_VERSION");
        assert!(
            address.starts_with("https://")
                && address.ends_with(&format!("/v{version}/docs/github.md")),
            "{address}"
        );
        let text = "As a page says (docs/github.md), and docs/run-folder.md.";
        let expected = format!(
            "As a page says ({address}), and {}.",
            page_address("docs/run-folder.md")
        );
        assert_eq!(with_page_addresses(text), expected);
        assert!(page_url("1.2.3/../x", "docs/a.md").contains("/v1.2.3..x/docs/a.md"));
    }
}
