//! Reads what is there: who we are, the pull request, our comments on all pages, our conversations, our check.

use serde_json::{Value, json};

use super::call::json_text;
use super::check;
use super::hub::{GitHubApi, GitHubError};
use super::inline::FindingMark;
use super::marker::{self, MarkerKind};
use super::order::{find_orders, is_taken_back, stale_answers};
use super::seen::{ExistingCheck, ForgeIdentity, OwnComment, PullRequest, ReviewThread};
use crate::report::uri::encode_component;

const THREADS: &str = "\
query($owner: String!, $name: String!, $number: Int!, $after: String, $check: String, $withCheck: Boolean!) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    pullRequest(number: $number) {
      author { login } number headRefOid baseRefName baseRefOid state isDraft isCrossRepository title body
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated path line originalLine resolvedBy { login }
          comments(first: 50) { totalCount nodes { id databaseId url isMinimized createdAt lastEditedAt editor { login } body author { login __typename } pullRequestReview { id } } }
        }
      }
      reviews(last: 100) { nodes { id isMinimized body author { login __typename } } }
      commits(last: 1) @include(if: $withCheck) {
        nodes { commit { oid checkSuites(first: 50) {
          pageInfo { hasNextPage }
          nodes { checkRuns(first: 20, filterBy: { checkName: $check }) {
            pageInfo { hasNextPage }
            nodes { externalId status url }
          } }
        } } }
      }
    }
  }
}";

/// The most pages of conversations that are read.
const MAX_PAGES: usize = 20;

/// The pull request with our conversations on it, and who we are.
pub struct PullConversation {
    /// Who we are.
    pub me: ForgeIdentity,
    /// The pull request.
    pub pull: PullRequest,
    /// Who opened it.
    pub author: String,
    /// Our conversations of the council.
    pub threads: Vec<ReviewThread>,
    /// Our reviews of the council that nobody hid.
    pub reviews: Vec<String>,
    /// Our check on the pull request's tip.
    pub check: TipCheck,
}

/// What was told of our check beside something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TipCheck {
    /// Nothing: whoever wants to know asks for it.
    Untold,
    Told {
        /// None: there is none.
        latest: Option<ExistingCheck>,
        /// How many have ended.
        completed: usize,
    },
}

/// Reads the pull request, our conversations on it and who we are: one request for the first hundred conversations. With the
/// name of a check it tells of that, too, where the token may read checks; where it may not, nothing else is lost.
///
/// # Errors
///
/// As the forge says.
pub fn fetch_conversation(
    hub: &GitHubApi<'_>,
    number: u64,
    council: &str,
    check_name: Option<&str>,
) -> Result<PullConversation, GitHubError> {
    match read_conversation(hub, number, council, check_name) {
        Err(GitHubError::Forbidden { .. } | GitHubError::Invalid { .. })
            if check_name.is_some() =>
        {
            read_conversation(hub, number, council, None)
        }
        read => read,
    }
}

fn read_conversation(
    hub: &GitHubApi<'_>,
    number: u64,
    council: &str,
    check_name: Option<&str>,
) -> Result<PullConversation, GitHubError> {
    let doing = format!("read pull request #{number}");
    let mut after = Value::Null;
    let mut threads = Vec::new();
    for _ in 0..MAX_PAGES {
        let variables = json!({
            "owner": hub.slug.owner, "name": hub.slug.name, "number": number, "after": after,
            "check": check_name, "withCheck": check_name.is_some(),
        });
        let data = hub.ask_graphql(THREADS, &variables, &doing)?;
        let shape = |what| GitHubError::Shape {
            doing: doing.clone(),
            what,
        };
        let login = json_text(&data, "/viewer/login").ok_or_else(|| shape("viewer"))?;
        let me = ForgeIdentity { login };
        let there = data
            .pointer("/repository/pullRequest")
            .filter(|pull| !pull.is_null());
        let there = there.ok_or_else(|| GitHubError::NotFound {
            doing: doing.clone(),
            permission: "pull-requests: read",
        })?;
        let mut pull = pull_of_graphql(there).ok_or_else(|| shape("pull request"))?;
        pull.default_branch =
            json_text(&data, "/repository/defaultBranchRef/name").unwrap_or_default();
        let nodes = there
            .pointer("/reviewThreads/nodes")
            .and_then(Value::as_array);
        threads.extend(
            nodes
                .into_iter()
                .flatten()
                .filter_map(|node| parse_own_thread(node, &me, council)),
        );
        let page = there
            .pointer("/reviewThreads/pageInfo")
            .cloned()
            .unwrap_or_default();
        if page.get("hasNextPage") != Some(&Value::Bool(true)) {
            let nodes = there.pointer("/reviews/nodes").and_then(Value::as_array);
            let reviews = nodes.into_iter().flatten();
            let reviews = reviews
                .filter_map(|node| parse_own_review(node, &me, council))
                .collect();
            return Ok(PullConversation {
                me,
                author: json_text(there, "/author/login").unwrap_or_default(),
                check: match check_name {
                    Some(_) => check_on_tip(there, &pull.head, council),
                    None => TipCheck::Untold,
                },
                pull,
                threads,
                reviews,
            });
        }
        after = page.get("endCursor").cloned().unwrap_or_default();
    }
    Err(GitHubError::Broken {
        doing,
        cause: "there are too many conversations".to_owned(),
    })
}

/// The check on the tip, where all of them were told, and each with what we know a check by.
fn check_on_tip(pull: &Value, head: &str, council: &str) -> TipCheck {
    let told = || {
        let commit = pull.pointer("/commits/nodes/0/commit")?;
        let is_of_tip = json_text(commit, "/oid")? == head;
        let suites = whole_page(commit.get("checkSuites")?)?;
        let prefix = check::id_prefix(council);
        let (mut latest, mut completed): (Option<ExistingCheck>, _) = (None, 0);
        for suite in suites {
            for run in whole_page(suite.get("checkRuns")?)? {
                let external_id = json_text(run, "/externalId").unwrap_or_default();
                if !external_id.starts_with(&prefix) {
                    continue;
                }
                let url = json_text(run, "/url")?;
                // The number does not fit into GraphQL's own: it is the end of the address.
                let id: u64 = url.rsplit_once("/runs/")?.1.parse().ok()?;
                let found = ExistingCheck {
                    id,
                    external_id,
                    completed: json_text(run, "/status")? == "COMPLETED",
                    url,
                };
                completed += usize::from(found.completed);
                latest = latest.into_iter().chain([found]).max_by_key(|one| one.id);
            }
        }
        is_of_tip.then_some(TipCheck::Told { latest, completed })
    };
    told().unwrap_or(TipCheck::Untold)
}

/// The nodes of a list that has no second page.
fn whole_page(list: &Value) -> Option<&Vec<Value>> {
    let more = list.pointer("/pageInfo/hasNextPage")?.as_bool()?;
    (!more).then(|| list.get("nodes")?.as_array())?
}

/// Our reports of a council, oldest first; marker **and** author must fit. `since` leaves out what was not changed since
/// that time, as ISO 8601 in UTC.
///
/// # Errors
///
/// As the forge says.
pub fn fetch_reports(
    hub: &GitHubApi<'_>,
    number: u64,
    council: &str,
    me: &ForgeIdentity,
    since: Option<&str>,
) -> Result<Vec<OwnComment>, GitHubError> {
    let since = since.map(|since| format!("?since={since}"));
    let path = hub.repo_path(&format!(
        "issues/{number}/comments{}",
        since.unwrap_or_default()
    ));
    let all = hub.read_list(
        &path,
        &format!("read the comments of #{number}"),
        Value::as_array,
    )?;
    let own = |comment: &Value| {
        let body = json_text(comment, "/body")?;
        let is_bot = json_text(comment, "/user/type").as_deref() == Some("Bot");
        let ours = me.is_author(&json_text(comment, "/user/login")?, is_bot);
        let fits = marker::read_marker(MarkerKind::Report, &body)
            .is_some_and(|marker| marker.council == council);
        (ours && fits).then_some(OwnComment {
            id: comment.get("id")?.as_u64()?,
            body,
            url: json_text(comment, "/html_url").unwrap_or_default(),
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
pub fn fetch_check(
    hub: &GitHubApi<'_>,
    head: &str,
    name: &str,
    council: &str,
) -> Result<Option<ExistingCheck>, GitHubError> {
    let path = hub.repo_path(&format!(
        "commits/{head}/check-runs?check_name={}",
        encode_component(name)
    ));
    let all = hub.read_list(&path, "read the checks of the commit", |body| {
        body.get("check_runs")?.as_array()
    })?;
    let prefix = check::id_prefix(council);
    let own = |run: &Value| {
        let external_id = json_text(run, "/external_id")?;
        external_id.starts_with(&prefix).then_some(ExistingCheck {
            id: run.get("id")?.as_u64()?,
            external_id,
            completed: json_text(run, "/status").as_deref() == Some("completed"),
            url: json_text(run, "/html_url").unwrap_or_default(),
        })
    };
    Ok(all.iter().filter_map(own).max_by_key(|check| check.id))
}

/// The state of a commit's latest status of a name.
///
/// # Errors
///
/// As the forge says.
pub fn fetch_status(
    hub: &GitHubApi<'_>,
    head: &str,
    name: &str,
) -> Result<Option<String>, GitHubError> {
    let path = hub.repo_path(&format!("commits/{head}/status"));
    let all = hub.read_list(&path, "read the status of the commit", |body| {
        body.get("statuses")?.as_array()
    })?;
    let of_name = |status: &&Value| json_text(status, "/context").as_deref() == Some(name);
    Ok(all
        .iter()
        .find(of_name)
        .and_then(|status| json_text(status, "/state")))
}

/// A pull request by its number.
///
/// # Errors
///
/// As the forge says.
pub fn fetch_pull(hub: &GitHubApi<'_>, number: u64) -> Result<PullRequest, GitHubError> {
    let doing = format!("read pull request #{number}");
    let reply = hub.read_with_retry(
        &super::call::ApiCall::get(hub.repo_path(&format!("pulls/{number}"))),
        &doing,
    )?;
    pull_of_rest(&reply.body).ok_or(GitHubError::Shape {
        doing,
        what: "pull request",
    })
}

/// The name of the default branch.
///
/// # Errors
///
/// As the forge says.
pub fn fetch_default_branch(hub: &GitHubApi<'_>) -> Result<String, GitHubError> {
    let doing = "read the default branch";
    let reply = hub.read_with_retry(
        &super::call::ApiCall::get(format!("/repos/{}", hub.slug)),
        doing,
    )?;
    json_text(&reply.body, "/default_branch").ok_or(GitHubError::Shape {
        doing: doing.to_owned(),
        what: "default branch",
    })
}

/// The lines beside which a comment may stand, as the forge shows the diff; files that it does not show have none.
///
/// # Errors
///
/// As the forge says.
pub fn fetch_diff_lines(
    hub: &GitHubApi<'_>,
    number: u64,
) -> Result<super::lines::DiffLines, GitHubError> {
    let path = hub.repo_path(&format!("pulls/{number}/files"));
    let files = hub.read_list(&path, "read the diff of the pull request", Value::as_array)?;
    let mut lines = super::lines::DiffLines::default();
    for file in &files {
        if let (Some(path), Some(patch)) = (json_text(file, "/filename"), json_text(file, "/patch"))
        {
            lines.add_patch(&path, &patch);
        }
    }
    Ok(lines)
}

/// The open pull request whose tip is a commit, by the branch that the tip was pushed to: never by what an artefact says.
///
/// # Errors
///
/// As the forge says.
pub fn find_branch_pull(
    hub: &GitHubApi<'_>,
    owner: &str,
    branch: &str,
    head: &str,
) -> Result<Option<PullRequest>, GitHubError> {
    let wanted = encode_component(&format!("{owner}:{branch}"));
    let path = hub.repo_path(&format!("pulls?state=open&head={wanted}"));
    let all = hub.read_list(
        &path,
        "find the pull request of the branch",
        Value::as_array,
    )?;
    Ok(all
        .iter()
        .filter_map(pull_of_rest)
        .find(|pull| pull.head == head))
}

/// Whether a person may write to the repository, as the forge says and nobody else.
///
/// # Errors
///
/// As the forge says.
pub fn may_write(hub: &GitHubApi<'_>, login: &str) -> Result<bool, GitHubError> {
    let path = hub.repo_path(&format!(
        "collaborators/{}/permission",
        encode_component(login)
    ));
    let reply = match hub.read_with_retry(
        &super::call::ApiCall::get(path),
        "read the permission of whoever asked",
    ) {
        Err(GitHubError::NotFound { .. }) => return Ok(false),
        other => other?,
    };
    Ok(matches!(
        json_text(&reply.body, "/permission").as_deref(),
        Some("admin" | "write")
    ))
}

/// Whether a comment or review is ours.
fn is_ours(node: &Value, me: &ForgeIdentity) -> bool {
    let is_bot = json_text(node, "/author/__typename").as_deref() == Some("Bot");
    json_text(node, "/author/login").is_some_and(|login| me.is_author(&login, is_bot))
}

fn parse_own_review(node: &Value, me: &ForgeIdentity, council: &str) -> Option<String> {
    let body = json_text(node, "/body")?;
    let marker = marker::read_marker(MarkerKind::Review, &body)?;
    let is_shown = node.get("isMinimized") == Some(&Value::Bool(false));
    (is_ours(node, me) && marker.council == council && is_shown).then(|| json_text(node, "/id"))?
}

fn parse_own_thread(node: &Value, me: &ForgeIdentity, council: &str) -> Option<ReviewThread> {
    let first = node.pointer("/comments/nodes/0")?;
    if !is_ours(first, me) {
        return None;
    }
    let body = json_text(first, "/body")?;
    let marker = marker::read_marker(MarkerKind::Finding, &body)
        .filter(|marker| marker.council == council)?;
    let mark: FindingMark = marker::marker_state(&marker)?;
    let flag = |node: &Value, name| node.get(name) == Some(&Value::Bool(true));
    let replies = node.pointer("/comments/nodes")?.as_array()?.get(1..)?;
    let orders = find_orders(replies, me, council);
    let is_hidden = flag(first, "isMinimized");
    Some(ReviewThread {
        renamed: false,
        id: json_text(node, "/id")?,
        comment: json_text(first, "/id")?,
        review: json_text(first, "/pullRequestReview/id"),
        url: json_text(first, "/url"),
        fingerprint: mark.fingerprint,
        severity: mark.severity,
        standing: mark.standing,
        classes: mark.classes,
        said: mark.said,
        place: thread_place(node),
        closed: flag(node, "isResolved") || is_hidden,
        closed_by_us: flag(node, "isResolved") && is_resolved_by(node, me),
        outdated: flag(node, "isOutdated"),
        reopens: !is_hidden && is_taken_back(replies, me, council, &orders),
        answered: node
            .pointer("/comments/totalCount")
            .and_then(Value::as_u64)
            .unwrap_or(1)
            > 1,
        number: first.get("databaseId").and_then(Value::as_u64),
        stale_answers: stale_answers(replies, me, council, &orders),
        orders,
    })
}

/// `src/a.rs:7`: where a conversation stands, or stood before a push has changed its line.
fn thread_place(node: &Value) -> Option<String> {
    let path = json_text(node, "/path")?;
    let line = |name| node.get(name).and_then(Value::as_u64);
    Some(match line("line").or_else(|| line("originalLine")) {
        Some(line) => format!("{path}:{line}"),
        None => path,
    })
}

/// Whether it was us. A forge need not say that a bot did it.
fn is_resolved_by(node: &Value, me: &ForgeIdentity) -> bool {
    let login = json_text(node, "/resolvedBy/login");
    login.is_some_and(|login| me.is_author(&login, true) || me.is_author(&login, false))
}

fn pull_of_graphql(pull: &Value) -> Option<PullRequest> {
    let flag = |name| pull.get(name) == Some(&Value::Bool(true));
    Some(PullRequest {
        number: pull.get("number")?.as_u64()?,
        head: object_id(&json_text(pull, "/headRefOid")?)?,
        base_ref: json_text(pull, "/baseRefName")?,
        base: object_id(&json_text(pull, "/baseRefOid")?)?,
        default_branch: String::new(),
        open: json_text(pull, "/state").as_deref() == Some("OPEN"),
        draft: flag("isDraft"),
        fork: flag("isCrossRepository"),
        title: json_text(pull, "/title").unwrap_or_default(),
        body: json_text(pull, "/body").unwrap_or_default(),
    })
}

/// A pull request as REST and the payloads of events show it.
pub(super) fn pull_of_rest(pull: &Value) -> Option<PullRequest> {
    let repository = |side: &str| json_text(pull, &format!("/{side}/repo/full_name"));
    Some(PullRequest {
        number: pull.get("number")?.as_u64()?,
        head: object_id(&json_text(pull, "/head/sha")?)?,
        base_ref: json_text(pull, "/base/ref")?,
        base: object_id(&json_text(pull, "/base/sha")?)?,
        default_branch: json_text(pull, "/base/repo/default_branch").unwrap_or_default(),
        open: json_text(pull, "/state").as_deref() == Some("open"),
        draft: pull.get("draft") == Some(&Value::Bool(true)),
        // A fork that was deleted since has no repository any more.
        fork: repository("head") != repository("base"),
        title: json_text(pull, "/title").unwrap_or_default(),
        body: json_text(pull, "/body").unwrap_or_default(),
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
