//! Reads what is there: who we are, the pull request, our comments on all pages, our conversations, our check.

use serde_json::{Value, json};

use super::check;
use super::hub::{Hub, HubError};
use super::inline::Mark;
use super::marker::{self, Kind};
use super::seen::{CheckSeen, Identity, OwnComment, Pull, Thread};

const THREADS: &str = "\
query($owner: String!, $name: String!, $number: Int!, $after: String) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    pullRequest(number: $number) {
      number headRefOid baseRefName baseRefOid state isDraft isCrossRepository title body
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated
          comments(first: 1) { totalCount nodes { id isMinimized body author { login __typename } pullRequestReview { id } } }
        }
      }
      reviews(last: 100) { nodes { id isMinimized body author { login __typename } } }
    }
  }
}";

/// The most pages of conversations that are read.
const MOST_PAGES: usize = 20;

/// The most steps of one request that changes conversations.
const MOST_STEPS: usize = 50;

/// The pull request with our conversations on it, and who we are.
pub struct Talk {
    /// Who we are.
    pub me: Identity,
    /// The pull request.
    pub pull: Pull,
    /// Our conversations of the council.
    pub threads: Vec<Thread>,
    /// Our reviews of the council that nobody hid.
    pub reviews: Vec<String>,
}

/// Reads the pull request, our conversations on it and who we are: one request for the first hundred conversations.
///
/// # Errors
///
/// As the forge says.
pub fn talk(hub: &Hub<'_>, number: u64, council: &str) -> Result<Talk, HubError> {
    let doing = format!("read pull request #{number}");
    let mut after = Value::Null;
    let mut threads = Vec::new();
    for _ in 0..MOST_PAGES {
        let variables = json!({ "owner": hub.slug.owner, "name": hub.slug.name, "number": number, "after": after });
        let data = hub.ask(THREADS, &variables, &doing)?;
        let shape = |what| HubError::Shape {
            doing: doing.clone(),
            what,
        };
        let login = text(&data, "/viewer/login").ok_or_else(|| shape("viewer"))?;
        let me = Identity { login };
        let there = data
            .pointer("/repository/pullRequest")
            .filter(|pull| !pull.is_null());
        let there = there.ok_or_else(|| HubError::NotFound {
            doing: doing.clone(),
            permission: "pull-requests: read",
        })?;
        let mut pull = pull_of_graphql(there).ok_or_else(|| shape("pull request"))?;
        pull.default_branch = text(&data, "/repository/defaultBranchRef/name").unwrap_or_default();
        let nodes = there
            .pointer("/reviewThreads/nodes")
            .and_then(Value::as_array);
        threads.extend(
            nodes
                .into_iter()
                .flatten()
                .filter_map(|node| thread(node, &me, council)),
        );
        let page = there
            .pointer("/reviewThreads/pageInfo")
            .cloned()
            .unwrap_or_default();
        if page.get("hasNextPage") != Some(&Value::Bool(true)) {
            let nodes = there.pointer("/reviews/nodes").and_then(Value::as_array);
            let reviews = nodes.into_iter().flatten();
            let reviews = reviews
                .filter_map(|node| review(node, &me, council))
                .collect();
            return Ok(Talk {
                me,
                pull,
                threads,
                reviews,
            });
        }
        after = page.get("endCursor").cloned().unwrap_or_default();
    }
    Err(HubError::Broken {
        doing,
        cause: "there are too many conversations".to_owned(),
    })
}

/// Our reports of a council, oldest first; marker **and** author must fit (T12). `since` leaves out what was not changed since
/// that time, as ISO 8601 in UTC.
///
/// # Errors
///
/// As the forge says.
pub fn reports(
    hub: &Hub<'_>,
    number: u64,
    council: &str,
    me: &Identity,
    since: Option<&str>,
) -> Result<Vec<OwnComment>, HubError> {
    let since = since.map(|since| format!("?since={since}"));
    let path = hub.path(&format!(
        "issues/{number}/comments{}",
        since.unwrap_or_default()
    ));
    let all = hub.list(
        &path,
        &format!("read the comments of #{number}"),
        Value::as_array,
    )?;
    let own = |comment: &Value| {
        let body = text(comment, "/body")?;
        let is_bot = text(comment, "/user/type").as_deref() == Some("Bot");
        let ours = me.is(&text(comment, "/user/login")?, is_bot);
        let fits =
            marker::read(Kind::Report, &body).is_some_and(|marker| marker.council == council);
        (ours && fits).then_some(OwnComment {
            id: comment.get("id")?.as_u64()?,
            body,
            url: text(comment, "/html_url").unwrap_or_default(),
        })
    };
    let mut found: Vec<OwnComment> = all.iter().filter_map(own).collect();
    found.sort_by_key(|comment| comment.id);
    Ok(found)
}

/// Our latest check of a name on a commit.
///
/// # Errors
///
/// As the forge says.
pub fn check(
    hub: &Hub<'_>,
    head: &str,
    name: &str,
    council: &str,
) -> Result<Option<CheckSeen>, HubError> {
    let path = hub.path(&format!(
        "commits/{head}/check-runs?check_name={}",
        percent(name)
    ));
    let all = hub.list(&path, "read the checks of the commit", |body| {
        body.get("check_runs")?.as_array()
    })?;
    let prefix = check::external_id(council, "");
    let own = |run: &Value| {
        let external_id = text(run, "/external_id")?;
        external_id.starts_with(&prefix).then_some(CheckSeen {
            id: run.get("id")?.as_u64()?,
            external_id,
            completed: text(run, "/status").as_deref() == Some("completed"),
            url: text(run, "/html_url").unwrap_or_default(),
        })
    };
    Ok(all.iter().filter_map(own).max_by_key(|check| check.id))
}

/// A pull request by its number.
///
/// # Errors
///
/// As the forge says.
pub fn pull(hub: &Hub<'_>, number: u64) -> Result<Pull, HubError> {
    let doing = format!("read pull request #{number}");
    let reply = hub.read(
        &super::call::Call::get(hub.path(&format!("pulls/{number}"))),
        &doing,
    )?;
    pull_of_rest(&reply.body).ok_or(HubError::Shape {
        doing,
        what: "pull request",
    })
}

/// The name of the default branch.
///
/// # Errors
///
/// As the forge says.
pub fn default_branch(hub: &Hub<'_>) -> Result<String, HubError> {
    let doing = "read the default branch";
    let reply = hub.read(
        &super::call::Call::get(format!("/repos/{}", hub.slug)),
        doing,
    )?;
    text(&reply.body, "/default_branch").ok_or(HubError::Shape {
        doing: doing.to_owned(),
        what: "default branch",
    })
}

/// The lines beside which a comment may stand, as the forge shows the diff; files that it does not show have none.
///
/// # Errors
///
/// As the forge says.
pub fn lines(hub: &Hub<'_>, number: u64) -> Result<super::lines::DiffLines, HubError> {
    let path = hub.path(&format!("pulls/{number}/files"));
    let files = hub.list(&path, "read the diff of the pull request", Value::as_array)?;
    let mut lines = super::lines::DiffLines::default();
    for file in &files {
        if let (Some(path), Some(patch)) = (text(file, "/filename"), text(file, "/patch")) {
            lines.add_patch(&path, &patch);
        }
    }
    Ok(lines)
}

/// The open pull request whose tip is a commit, by the branch that the tip was pushed to: never by what an artefact says (T21).
///
/// # Errors
///
/// As the forge says.
pub fn pull_of_branch(
    hub: &Hub<'_>,
    owner: &str,
    branch: &str,
    head: &str,
) -> Result<Option<Pull>, HubError> {
    let wanted = percent(&format!("{owner}:{branch}"));
    let path = hub.path(&format!("pulls?state=open&head={wanted}"));
    let all = hub.list(
        &path,
        "find the pull request of the branch",
        Value::as_array,
    )?;
    Ok(all
        .iter()
        .filter_map(pull_of_rest)
        .find(|pull| pull.head == head))
}

/// Whether a person may write to the repository, as the forge says and nobody else (T16).
///
/// # Errors
///
/// As the forge says.
pub fn may_write(hub: &Hub<'_>, login: &str) -> Result<bool, HubError> {
    let path = hub.path(&format!("collaborators/{}/permission", percent(login)));
    let reply = match hub.read(
        &super::call::Call::get(path),
        "read the permission of whoever asked",
    ) {
        Err(HubError::NotFound { .. }) => return Ok(false),
        other => other?,
    };
    Ok(matches!(
        text(&reply.body, "/permission").as_deref(),
        Some("admin" | "write")
    ))
}

/// Resolves conversations.
///
/// # Errors
///
/// As the forge says.
pub fn resolve(hub: &Hub<'_>, threads: &[String]) -> Result<(), HubError> {
    let step = |id: &str| {
        format!("resolveReviewThread(input: {{ threadId: {id} }}) {{ thread {{ id }} }}")
    };
    each(
        hub,
        threads,
        "resolve conversations whose finding is gone",
        step,
    )
}

/// Hides comments or reviews of ours as outdated.
///
/// # Errors
///
/// As the forge says.
pub fn hide(hub: &Hub<'_>, subjects: &[String]) -> Result<(), HubError> {
    let step = |id: &str| {
        format!(
            "minimizeComment(input: {{ subjectId: {id}, classifier: OUTDATED }}) {{ minimizedComment {{ isMinimized }} }}"
        )
    };
    each(hub, subjects, "hide what is outdated", step)
}

/// One mutation for each node, fifty with one request.
fn each(
    hub: &Hub<'_>,
    ids: &[String],
    doing: &str,
    step: impl Fn(&str) -> String,
) -> Result<(), HubError> {
    for some in ids.chunks(MOST_STEPS) {
        let names: Vec<String> = (0..some.len()).map(|at| format!("$t{at}: ID!")).collect();
        let steps: Vec<String> = (0..some.len())
            .map(|at| format!("r{at}: {}", step(&format!("$t{at}"))))
            .collect();
        let query = format!("mutation({}) {{ {} }}", names.join(", "), steps.join(" "));
        let variables: serde_json::Map<String, Value> = some
            .iter()
            .enumerate()
            .map(|(at, id)| (format!("t{at}"), id.as_str().into()))
            .collect();
        hub.ask(&query, &variables.into(), doing)?;
    }
    Ok(())
}

/// Whether a comment or review is ours.
fn is_ours(node: &Value, me: &Identity) -> bool {
    let is_bot = text(node, "/author/__typename").as_deref() == Some("Bot");
    text(node, "/author/login").is_some_and(|login| me.is(&login, is_bot))
}

fn review(node: &Value, me: &Identity, council: &str) -> Option<String> {
    let body = text(node, "/body")?;
    let marker = marker::read(Kind::Review, &body)?;
    let is_shown = node.get("isMinimized") == Some(&Value::Bool(false));
    (is_ours(node, me) && marker.council == council && is_shown).then(|| text(node, "/id"))?
}

fn thread(node: &Value, me: &Identity, council: &str) -> Option<Thread> {
    let first = node.pointer("/comments/nodes/0")?;
    if !is_ours(first, me) {
        return None;
    }
    let body = text(first, "/body")?;
    let marker = marker::read(Kind::Finding, &body).filter(|marker| marker.council == council)?;
    let mark: Mark = marker::state(&marker)?;
    let flag = |node: &Value, name| node.get(name) == Some(&Value::Bool(true));
    Some(Thread {
        id: text(node, "/id")?,
        comment: text(first, "/id")?,
        review: text(first, "/pullRequestReview/id"),
        fingerprint: mark.fingerprint,
        closed: flag(node, "isResolved") || flag(first, "isMinimized"),
        outdated: flag(node, "isOutdated"),
        answered: node
            .pointer("/comments/totalCount")
            .and_then(Value::as_u64)
            .unwrap_or(1)
            > 1,
    })
}

fn pull_of_graphql(pull: &Value) -> Option<Pull> {
    let flag = |name| pull.get(name) == Some(&Value::Bool(true));
    Some(Pull {
        number: pull.get("number")?.as_u64()?,
        head: object_id(&text(pull, "/headRefOid")?)?,
        base_ref: text(pull, "/baseRefName")?,
        base: object_id(&text(pull, "/baseRefOid")?)?,
        default_branch: String::new(),
        open: text(pull, "/state").as_deref() == Some("OPEN"),
        draft: flag("isDraft"),
        fork: flag("isCrossRepository"),
        title: text(pull, "/title").unwrap_or_default(),
        body: text(pull, "/body").unwrap_or_default(),
    })
}

/// A pull request as REST and the payloads of events show it.
pub(super) fn pull_of_rest(pull: &Value) -> Option<Pull> {
    let repository = |side: &str| text(pull, &format!("/{side}/repo/full_name"));
    Some(Pull {
        number: pull.get("number")?.as_u64()?,
        head: object_id(&text(pull, "/head/sha")?)?,
        base_ref: text(pull, "/base/ref")?,
        base: object_id(&text(pull, "/base/sha")?)?,
        default_branch: text(pull, "/base/repo/default_branch").unwrap_or_default(),
        open: text(pull, "/state").as_deref() == Some("open"),
        draft: pull.get("draft") == Some(&Value::Bool(true)),
        // A fork that was deleted since has no repository any more.
        fork: repository("head") != repository("base"),
        title: text(pull, "/title").unwrap_or_default(),
        body: text(pull, "/body").unwrap_or_default(),
    })
}

/// A whole object id and nothing else.
pub(super) fn object_id(text: &str) -> Option<String> {
    let hex = matches!(text.len(), 40 | 64)
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    hex.then(|| text.to_owned())
}

pub(super) fn text(value: &Value, pointer: &str) -> Option<String> {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(str::to_owned)
}

/// A value for a path or query.
pub(super) fn percent(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) => out.push(char::from(b)),
            b => out.push_str(&format!("%{b:02X}")),
        }
    }
    out
}
