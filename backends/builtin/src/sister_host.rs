//! Whether two addresses are of one owner: hosts below one registered domain.

/// Domains below which strangers have names of their own, beside those such as `co.uk`.
const SHARED: [&str; 34] = [
    "amazonaws.com",
    "appspot.com",
    "azureedge.net",
    "azurewebsites.net",
    "backblazeb2.com",
    "bitbucket.io",
    "blogspot.com",
    "cloudflare.net",
    "cloudfront.net",
    "cloudsmith.io",
    "digitaloceanspaces.com",
    "firebaseapp.com",
    "fly.dev",
    "github.dev",
    "github.io",
    "gitlab.io",
    "googleapis.com",
    "googlecode.com",
    "herokuapp.com",
    "jfrog.io",
    "netlify.app",
    "ngrok.io",
    "onrender.com",
    "pages.dev",
    "r2.dev",
    "readthedocs.io",
    "run.app",
    "sourceforge.net",
    "surge.sh",
    "vercel.app",
    "web.app",
    "windows.net",
    "wordpress.com",
    "workers.dev",
];

/// What stands before a country in domains below which anybody may register one.
const OF_COUNTRIES: [&str; 11] = [
    "ac", "co", "com", "edu", "go", "gov", "ne", "net", "or", "org", "in",
];

/// Whether two addresses differ in the host alone, and both hosts are of one owner.
pub(crate) fn is_same_place(one: &str, other: &str) -> bool {
    let parts = |url| str::strip_prefix(url, "https://")?.split_once('/');
    match (parts(one), parts(other)) {
        (Some((host, path)), Some((other_host, other_path))) => {
            let owner = registered_domain(host);
            path == other_path && owner.is_some() && owner == registered_domain(other_host)
        }
        _ => false,
    }
}

/// The domain that somebody registered for a host. None: it is no plain name, or strangers share it.
fn registered_domain(host: &str) -> Option<&str> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-';
    let labels: Vec<&str> = host.split('.').collect();
    let [.., below, top] = labels[..] else {
        return None;
    };
    let is_name = top.len() >= 2 && top.bytes().all(|b| b.is_ascii_lowercase());
    let of_country = top.len() == 2 && (OF_COUNTRIES.contains(&below) || below.len() <= 2);
    let count = if of_country { 3 } else { 2 };
    let is_whole =
        is_name && host.chars().all(is_plain) && labels.iter().all(|label| !label.is_empty());
    if !is_whole || labels.len() < count {
        return None;
    }
    let length: usize = labels[labels.len() - count..]
        .iter()
        .map(|label| label.len() + 1)
        .sum();
    let domain = &host[host.len() + 1 - length..];
    let is_shared = SHARED.contains(&domain);
    (!is_shared).then_some(domain)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_domain_is_what_somebody_registered() {
        for (host, domain) in [
            ("download-r2.pytorch.org", Some("pytorch.org")),
            ("pytorch.org", Some("pytorch.org")),
            ("a.b.example.co.uk", Some("example.co.uk")),
            ("co.uk", None),
            ("a.github.io", None),
            ("a.s3.amazonaws.com", None),
            ("127.0.0.1", None),
            ("localhost", None),
            ("a.org:8080", None),
            ("a.org@b.org", None),
            ("a..org", None),
        ] {
            assert_eq!(registered_domain(host), domain, "{host}");
        }
    }

    proptest! {
        /// Law: two hosts are of one owner only if both end with its domain, and the rest of the address is the same.
        #[test]
        fn nothing_but_the_host_may_differ(
            one in "https?://[a-c.@:]{1,6}(evil|good)\\.(org|io|co\\.uk|github\\.io)/[ab]{0,2}",
            other in "https?://[a-c.@:]{1,6}(evil|good)\\.(org|io|co\\.uk|github\\.io)/[ab]{0,2}",
        ) {
            if is_same_place(&one, &other) {
                let rest = |url: &str| url.rsplit_once(['.']).map(|(_, rest)| rest.to_owned());
                prop_assert_eq!(rest(&one), rest(&other));
                prop_assert_eq!(one.contains("evil"), other.contains("evil"));
                prop_assert!(!one.contains(['@']) && !one.contains("http:"));
            }
        }
    }
}
