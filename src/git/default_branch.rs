//! The default branch: what a branch is compared with, and, of the trusted remote alone, whose configuration judges a change.

use super::id::ObjectId;
use super::object_store::ConfigLevel;
use super::objects::ObjectReader;

/// What a change is compared with by default: the default branch of a remote (the trusted one first), else of this
/// repository. Only a comparison: whose configuration is obeyed is said by [`trusted_default`].
pub(super) fn default_branch(objects: &ObjectReader) -> Option<(String, ObjectId)> {
    let trusted = trusted_remote(objects);
    let mut remotes = objects.store.remote_names();
    remotes.sort_by_key(|name| (Some(name) != trusted.as_ref(), name.clone()));
    let mut heads = remotes
        .iter()
        .filter_map(|remote| head_of_remote(objects, remote));
    let mut named = remotes.iter().filter_map(|remote| {
        let prefix = format!("refs/remotes/{remote}/");
        usual_default(objects, &prefix)
    });
    heads
        .next()
        .or_else(|| named.next())
        .or_else(|| usual_default(objects, "refs/heads/"))
}

/// The ref that a remote's HEAD names: its default branch for certain. One that leads out of the remote's own refs, to a
/// fork's or to the very branch that is pushed, names nothing.
pub(super) fn head_of_remote(objects: &ObjectReader, remote: &str) -> Option<(String, ObjectId)> {
    let own = format!("refs/remotes/{remote}/");
    let target = objects.store.symbolic_target(&format!("{own}HEAD"))?;
    let is_own =
        |name: &String| name.starts_with(&own) && objects.store.symbolic_target(name).is_none();
    let name = Some(target).filter(is_own)?;
    let commit = objects.store.commit_of(&name)?;
    Some((name, commit))
}

/// main, master or `init.defaultBranch` below a prefix: a guess.
fn usual_default(objects: &ObjectReader, prefix: &str) -> Option<(String, ObjectId)> {
    let store = &objects.store;
    let configured = store.config_value("init.defaultBranch");
    let names = ["main", "master"].into_iter().chain(configured.as_deref());
    let mut names = names.map(|name| format!("{prefix}{name}"));
    names.find_map(|name| store.commit_of(&name).map(|commit| (name, commit)))
}

/// The one remote whose default branch says how changes are judged: what the user's `checkout.defaultRemote` names, else
/// `origin`, else the only one. Any other may be the fork of whoever wrote the change.
fn trusted_remote(objects: &ObjectReader) -> Option<String> {
    let remotes = objects.store.remote_names();
    let asked = objects
        .store
        .config_matching(r"^checkout\.defaultremote$")
        .unwrap_or_default();
    // `.git/config` may have come with a download.
    let mut asked = asked
        .into_iter()
        .rev()
        .filter(|entry| entry.level != ConfigLevel::Repository);
    let asked = asked.next().map(|entry| entry.value);
    let named = asked.into_iter().chain(["origin".to_owned()]);
    let only = || (remotes.len() == 1).then(|| remotes[0].clone());
    let mut named = named.filter(|name| remotes.contains(name));
    named.next().or_else(only)
}

/// Whose configuration judges a change that may be as unmerged as its base.
pub(super) enum TrustedDefault<B = (String, ObjectId)> {
    /// A default branch.
    Branch(B),
    /// None is known, but the base belongs to the trusted remote or to this repository.
    Base,
    /// Nobody's: the base may be a stranger's. What to tell the reader.
    Nobody(String),
}

/// The default branch by which a change is judged: that of the trusted remote, as it was fetched, else one of this
/// repository that `is_ours` allows. `remote` is the one that the base belongs to, if any.
pub(super) fn trusted_default(
    objects: &ObjectReader,
    remote: Option<&str>,
    is_ours: impl Fn(&str) -> bool,
) -> TrustedDefault {
    let Some(trusted) = trusted_remote(objects) else {
        return default_without_remote(objects, remote, is_ours);
    };
    let guess = usual_default(objects, &format!("refs/remotes/{trusted}/"));
    let default = head_of_remote(objects, &trusted)
        .or_else(|| {
            guess
                .clone()
                .filter(|(name, _)| is_here(objects, &trusted, name))
        })
        .or_else(|| usual_default(objects, "refs/heads/").filter(|(name, _)| is_ours(name)));
    match default {
        Some(branch) => TrustedDefault::Branch(branch),
        None if guess.is_none() && remote.is_none_or(|remote| remote == trusted) => {
            TrustedDefault::Base
        }
        None => TrustedDefault::Nobody(unknown_default(&trusted)),
    }
}

/// What is told where no default branch says how a change is judged.
pub(super) fn unknown_default(remote: &str) -> String {
    format!(
        "no council.toml is obeyed: the default branch of {remote} is not known (git remote set-head {remote} \
         --auto asks for it)"
    )
}

/// Where several remotes are equals, none of them is trusted; where there is none, the base is this repository's own.
fn default_without_remote(
    objects: &ObjectReader,
    remote: Option<&str>,
    is_ours: impl Fn(&str) -> bool,
) -> TrustedDefault {
    match usual_default(objects, "refs/heads/").filter(|(name, _)| is_ours(name)) {
        Some(branch) => TrustedDefault::Branch(branch),
        None if remote.is_none() || objects.store.remote_names().is_empty() => TrustedDefault::Base,
        None => TrustedDefault::Nobody(
            "no council.toml is obeyed: no remote is the trusted one (git config --global checkout.defaultRemote NAME)"
                .to_owned(),
        ),
    }
}

/// Whether a branch of a remote has one of the same name here. Where the remote's HEAD is not known, `main` is a guess, and
/// whoever may push a branch may call it so.
fn is_here(objects: &ObjectReader, remote: &str, name: &str) -> bool {
    let short = name.strip_prefix(&format!("refs/remotes/{remote}/"));
    short.is_some_and(|short| {
        objects
            .store
            .commit_of(&format!("refs/heads/{short}"))
            .is_some()
    })
}

/// The remote that a ref was fetched from.
pub(super) fn remote_of_ref(objects: &ObjectReader, name: &str) -> Option<String> {
    let remotes = objects.store.remote_names().into_iter();
    let mut its = remotes.filter(|remote| name.starts_with(&format!("refs/remotes/{remote}/")));
    its.next()
}
