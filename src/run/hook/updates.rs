//! What a push sends: as git tells its hook, or as far as a hook manager lets it be seen.

use crate::git::{self, RefUpdate};
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hook::gate::may_be_gate;
use crate::run::hook::install::HookInstaller;
use crate::run::hook::push_news::PushNews;
use crate::run::hook::pusher::pushed_source;
use crate::run::hook::script::HookEvent;

/// What is pushed and holds code; what does not is told in a line. `stdin` is what git says there, and `free` has none of the variables that git exports to
/// hooks.
pub(crate) fn read_updates(
    (start, free): (&RunContext, &RunContext),
    stdin: &str,
    remote: &str,
    news: &mut PushNews,
) -> Result<Vec<RefUpdate>, RunError> {
    let told = parse_updates(stdin)?;
    let of_pre_commit = told.is_empty().then(|| of_pre_commit(start)).flatten();
    let updates = match (told.is_empty(), of_pre_commit) {
        (true, Some(first)) => with_others(first, remote, free, news)?,
        (true, None) => kept_by_others(remote, free, news)?,
        (false, _) => told,
    };
    let (gone, updates): (Vec<_>, Vec<_>) = updates.into_iter().partition(RefUpdate::is_deletion);
    if !gone.is_empty() {
        let names: Vec<&str> = gone
            .iter()
            .map(|update| short_ref(&update.remote_ref))
            .collect();
        let names = names.join(", ");
        news.add_note(&format!("nothing to review in the deletion of {names}"));
    }
    Ok(updates)
}

/// The first ref of a push, which is all that pre-commit hands on, and for a gate those that may go with it.
fn with_others(
    first: RefUpdate,
    remote: &str,
    start: &RunContext,
    news: &mut PushNews,
) -> Result<Vec<RefUpdate>, RunError> {
    let setting = |key: &str| {
        let hooks = HookInstaller::in_repository(start).ok()?;
        hooks.git.config_value(key)
    };
    if pushed_source(setting).is_some() || !may_be_gate(start) {
        return Ok(vec![first]);
    }
    let mut others = git::unsent_refs(&start.dir, &start.git_environment(), remote)?;
    others.retain(|other| other.local != first.local);
    tell_others(
        &others,
        "pre-commit hands on the first ref of a push alone",
        news,
    );
    others.insert(0, first);
    Ok(others)
}

/// What may be pushed where nothing was said. git has nothing to say of what is up to date; a manager, or a script of the
/// user's that calls us, may have kept it for itself, and what is not known to be nothing opens no gate.
fn kept_by_others(
    remote: &str,
    start: &RunContext,
    news: &mut PushNews,
) -> Result<Vec<RefUpdate>, RunError> {
    let Ok(hooks) = HookInstaller::in_repository(start) else {
        return Ok(Vec::new());
    };
    let event = HookEvent::PrePush;
    let keeper = match hooks.detect_manager(event) {
        Some(manager) => manager.name(),
        None if hooks.hears_git(event) => return Ok(Vec::new()),
        None => "the pre-push hook",
    };
    let cause = format!("no refs received ({keeper} must pass standard input on)");
    let named = pushed_source(|key: &str| hooks.git.config_value(key));
    match named.and_then(|source| update_of(&source, remote, start)) {
        // git has nothing to say of what is up to date, and the manager kept nothing for itself.
        Some(None) => return Ok(Vec::new()),
        Some(Some(update)) if may_be_gate(start) => {
            let source = &update.local_ref;
            news.add_note(&format!(
                "{cause}, and the hook is a gate: what the `git push` names is reviewed ({source})"
            ));
            return Ok(vec![update]);
        }
        _ => {}
    }
    let unsent = match may_be_gate(start) {
        true => git::unsent_refs(&start.dir, &start.git_environment(), remote)?,
        false => Vec::new(),
    };
    match unsent.is_empty() {
        true => news.add_note(&format!("{cause}, nothing to review")),
        false => tell_others(&unsent, &cause, news),
    }
    Ok(unsent)
}

/// The update of a push that sends one ref, which it names like this; an inner none: the remote has all of it, or it is
/// deleted. None: the name says nothing here.
fn update_of(source: &str, remote: &str, start: &RunContext) -> Option<Option<RefUpdate>> {
    if source.is_empty() {
        return Some(None);
    }
    let (dir, env) = (&start.dir, &start.git_environment());
    let local = git::commit_at(dir, env, source).ok()?;
    let update = RefUpdate {
        local_ref: source.to_owned(),
        remote_ref: source.to_owned(),
        remote: "0".repeat(local.len()),
        local,
    };
    let ranges = git::pushed_ranges(dir, env, remote, std::slice::from_ref(&update)).ok()?;
    let is_sent = ranges == [git::PushedRange::Nothing];
    Some((!is_sent).then_some(update))
}

/// Says which refs are reviewed though nobody said that they are pushed.
fn tell_others(others: &[RefUpdate], cause: &str, news: &mut PushNews) {
    const MAX_NAMES: usize = 5;
    let names = others.iter().map(|other| short_ref(&other.local_ref));
    let mut names: Vec<&str> = names.take(MAX_NAMES).collect();
    if others.len() > MAX_NAMES {
        names.push("…");
    }
    if !names.is_empty() {
        let names = names.join(", ");
        news.add_note(&format!(
            "{cause}, and the hook is a gate: what the remote lacks is reviewed as well ({names})"
        ));
    }
}

fn parse_updates(stdin: &str) -> Result<Vec<RefUpdate>, RunError> {
    RefUpdate::parse_all(stdin).map_err(|line| {
        RunError::usage(format!(
            "{line:?} is not a line of git's to a pre-push hook"
        ))
        .hint("it is <local ref> <local id> <remote ref> <remote id>")
    })
}

/// pre-commit keeps standard input for itself, and says what it has read there in variables.
fn of_pre_commit(start: &RunContext) -> Option<RefUpdate> {
    let var = |name: &str| Some(start.environment.get(name)?.to_str()?.to_owned());
    let local = var("PRE_COMMIT_TO_REF")?;
    let zero = "0".repeat(local.len());
    Some(RefUpdate {
        local_ref: var("PRE_COMMIT_LOCAL_BRANCH").unwrap_or_else(|| "HEAD".to_owned()),
        remote_ref: var("PRE_COMMIT_REMOTE_BRANCH").unwrap_or_else(|| "HEAD".to_owned()),
        remote: var("PRE_COMMIT_FROM_REF").unwrap_or(zero),
        local,
    })
}

pub(super) fn short_ref(name: &str) -> &str {
    let prefixes = ["refs/heads/", "refs/"];
    prefixes
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}
