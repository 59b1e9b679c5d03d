//! How often each rule was right on commits of repositories that nobody tuned it on, and what follows from it.

/// Rules that run only where configuration gives them a level. What they say is true, and hardly anybody acts on it:
/// on ordinary commits they would drown what matters.
const ON_REQUEST: [&str; 5] = [
    "lockfile-without-manifest",
    "new-panic",
    "new-unwrap",
    "sleep-in-test",
    "todo-without-reference",
];

/// Whether a rule runs only where configuration asks for it.
pub(crate) fn is_on_request(id: &str) -> bool {
    ON_REQUEST.contains(&id)
}
