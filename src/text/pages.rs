//! Where to read on: pages of the documents. An installed program has none beside it, so a page is named by its address.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Whether this build is one of a release (packaging/build.sh): only then is there a tag with its pages.
const IS_RELEASE: bool = option_env!("GIT_COUNCIL_RELEASE").is_some();

/// A page as it was in the version that wrote a report; of a build that is no release, as it is now.
pub(crate) fn page_url(version: &str, path: &str) -> String {
    url_at(IS_RELEASE.then_some(version), path)
}

fn url_at(release: Option<&str>, path: &str) -> String {
    let plain = |c: &char| c.is_ascii_alphanumeric() || ".-".contains(*c);
    let place = release.map_or("main".to_owned(), |version| {
        format!("v{}", version.chars().filter(plain).collect::<String>())
    });
    format!("{}/blob/{place}/{path}", env!("CARGO_PKG_REPOSITORY"))
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
        assert!(
            address.starts_with("https://") && address.ends_with("/main/docs/github.md"),
            "a build that is no release has no tag: {address}"
        );
        let text = "As a page says (docs/github.md), and docs/run-folder.md.";
        let expected = format!(
            "As a page says ({address}), and {}.",
            page_address("docs/run-folder.md")
        );
        assert_eq!(with_page_addresses(text), expected);
        let of_release = |version| url_at(Some(version), "docs/a.md");
        assert!(of_release("1.2.3").ends_with("/blob/v1.2.3/docs/a.md"));
        assert!(of_release("1.2.3/../x").contains("/v1.2.3..x/docs/a.md"));
    }
}
