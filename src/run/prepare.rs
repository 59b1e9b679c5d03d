//! From a request to what the judges are given: target, configuration, packet. Every command is prepared here.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use council_builtin::ExcusedFinding;
use council_protocol::packet::{Instruction, STANDARD_INPUT, TargetKind};
use council_protocol::seat::AgentKind;
use council_protocol::{BlobSource, Coverage, FileChange, Packet, RepoPath};

use crate::config::{Config, OpaquePolicy, nearest_word};
use crate::council::Dismissal;
use crate::git::{self, ChangeRequest, GitError, PathFilter, ReviewedChange, TargetSpec};
use crate::packet::{self, ContextBounds, IgnoreGlobs, PacketMaterial};
use council_secrets::Redactor;

use crate::report::CarriedReview;
use crate::run::artefacts::blocked_folder_note;
use crate::run::backends::BackendTable;
use crate::run::commit_words;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hidden_files::hidden_files;
use crate::run::layers::REPOSITORY_FILE;
use crate::run::redaction::{hide_in_target, load_redactor, told_variables, unread_values_note};
use crate::run::request::{CheckoutUse, RequestedTarget, ReviewRequest};
use crate::run::seats::mixed;
use crate::run::settings::{self, ConfigFault, ConfigSources};
use crate::safe_file;
use crate::sight;
use crate::text::Untrusted;

/// The most bytes of a patch or a document that are read.
const MAX_INPUT_BYTES: u64 = git::patch::MAX_PATCH as u64;

/// A change with all that must be known before anybody is convened.
pub(crate) struct PreparedReview {
    pub(crate) change: ReviewedChange,
    pub(crate) config: Config,
    pub(crate) packet: Arc<Packet>,
    /// The packet's coverage, as every seat that is shown the whole of it shares it.
    pub(crate) coverage: Arc<Coverage>,
    /// Which files no model may see; none: they may see all.
    pub(crate) hidden: Option<PathFilter>,
    /// Takes secrets out of everything that is shown: it knows those of the change.
    pub(crate) redactor: Redactor,
    /// What a reader of the verdict should know, in words; may hold untrusted names.
    pub(crate) notes: Vec<String>,
    /// What is wrong with the worktree's `council.toml`, which is then not obeyed.
    pub(crate) config_fault: Option<ConfigFault>,
    /// What people dismissed where the change is discussed, as far as they may.
    pub(crate) dismissed: Vec<Dismissal>,
    /// What an earlier review of the same pull request left open; none: there was none.
    pub(crate) earlier: Option<CarriedReview>,
    /// What the verdict is recognised by, where files are left out that an earlier review of the same rules judged: with what
    /// that one left open it is a verdict on the whole change.
    pub(crate) whole_key: Option<String>,
    /// The packet before files were left out that an earlier review judged; none: nothing was.
    pub(crate) whole_packet: Option<Arc<Packet>>,
    /// What it was prepared for; none: a stage, which cannot be resumed.
    pub(crate) request: Option<ReviewRequest>,
    /// The folder for its run, where that is not the repository's: a trial, of which the repository remembers nothing.
    pub(crate) keep_in: Option<PathBuf>,
    /// Where programs are looked for by their names.
    pub(crate) search_path: Option<OsString>,
    /// Digests of the variables that agents are told.
    pub(crate) told: BTreeMap<String, String>,
    /// When its reading began: that is a part of the time which a review takes.
    pub(crate) began: Instant,
}

impl PreparedReview {
    /// What rules and tools read: all of the change. They cost nothing, and what they say of one file may follow from
    /// another, which an update leaves as it was.
    pub(crate) fn packet_of_rules(&self) -> &Arc<Packet> {
        self.whole_packet.as_ref().unwrap_or(&self.packet)
    }

    /// Milliseconds since its reading began.
    pub(crate) fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Reads everything. Nothing of the reviewed side is obeyed.
pub(crate) fn prepare_review(
    request: &ReviewRequest,
    start: &RunContext,
) -> Result<PreparedReview, RunError> {
    prepare_spec(request, start, target_spec(request, start)?)
}

/// The same for a target that was found elsewhere.
pub(crate) fn prepare_spec(
    request: &ReviewRequest,
    start: &RunContext,
    spec: TargetSpec,
) -> Result<PreparedReview, RunError> {
    let began = Instant::now();
    // A proposal is somebody else's, wherever it is reviewed.
    let proposed = matches!(spec, TargetSpec::Proposal(_));
    let wanted = ChangeRequest {
        dir: start.dir.clone(),
        spec,
        pathspecs: request.pathspecs.clone(),
        env: start.git_environment(),
    };
    let mut change = git::read_change(&wanted).map_err(|error| explain_error(error, request))?;
    refuse_empty_document(&change)?;
    // An agent may have committed what lies before the change that it names.
    let is_by_parent = matches!(
        change.target.kind,
        TargetKind::Staged | TargetKind::Worktree | TargetKind::Commit | TargetKind::Range
    );
    if is_by_parent && start.started_by.is_some() {
        change
            .judge_by_default()
            .map_err(|error| explain_error(error, request))?;
    }
    sight::open_eyes(&mut change, wanted.pathspecs.is_empty());
    let checkout = if proposed {
        CheckoutUse::Ignored
    } else {
        request.checkout.outside_ci(start)
    };
    let voices = ConfigSources {
        place: Some(&change.place),
        trusted: change.trusted_tree(),
        checkout,
    };
    let (mut config, config_fault) =
        settings::load_review_config(start, request.flags.clone(), &voices)?;
    let mut notes = std::mem::take(&mut change.notes);
    notes.extend(config.notices.iter().map(ToString::to_string));
    notes.extend(config_fault.as_ref().map(ConfigFault::note));
    notes.extend(
        config
            .settings
            .rules
            .keys()
            .filter_map(|id| unknown_rule_note(id)),
    );
    let has_plugins = !config.settings.backends.is_empty();
    notes.extend(mixed::drop_missing_agents(&mut config, |agent| {
        // Only the plugin itself can tell, and it is asked when the council is convened.
        if has_plugins && matches!(agent.kind, AgentKind::Backend {}) {
            return Ok(());
        }
        let probed = BackendTable::without_change(start).probe_agent(agent);
        probed.map(drop).map_err(|failure| failure.detail)
    })?);
    notes.extend(changed_configuration(&change, checkout));
    notes.extend(
        change
            .place
            .workdir
            .as_deref()
            .and_then(blocked_folder_note)
            .filter(|_| config.settings.output.save),
    );
    let (mut packet, hidden) = build_packet(&mut change, &config, &mut notes)?;
    notes.extend(excused_note(&packet, &*change.blobs, &config));
    notes.extend(commit_words::secret_notes(&packet.framing.commits));
    let range = change.range_texts();
    notes.extend(range.as_ref().and_then(unread_values_note));
    let redactor = load_redactor(
        &config.settings,
        change.place.workdir.as_deref(),
        (&packet, &change.blobs),
        range,
        start,
    )?;
    for target in [&mut change.target, &mut packet.target] {
        hide_in_target(target, &redactor);
    }
    let coverage = Arc::new(packet.coverage.clone());
    let told = told_variables(&config.settings, &start.environment);
    Ok(PreparedReview {
        dismissed: Vec::new(),
        change,
        config,
        packet: Arc::new(packet),
        coverage,
        hidden,
        redactor,
        notes,
        config_fault,
        request: Some(request.clone()),
        earlier: None,
        whole_key: None,
        whole_packet: None,
        keep_in: None,
        search_path: start.environment.get("PATH").map(OsStr::to_owned),
        told,
        began,
    })
}

/// How the note begins that names them.
pub(super) const EXCUSED: &str = "excused by a comment in the code and not counted: ";

/// The most findings that comments silence which are named.
const MAX_EXCUSED: usize = 5;

/// What comments in the code silence: it does not count, and is told where the verdict is.
fn excused_note(packet: &Packet, blobs: &dyn BlobSource, config: &Config) -> Option<String> {
    let excused =
        council_builtin::excused_findings(packet, blobs, &config.settings.rule_settings());
    let (named, more) = excused.split_at(excused.len().min(MAX_EXCUSED));
    let describe = |found: &ExcusedFinding| {
        format!(
            "{} at {} ({})",
            found.rule,
            found.place,
            found.severity.as_str()
        )
    };
    let mut named = named.iter().map(describe).collect::<Vec<_>>().join(", ");
    if !more.is_empty() {
        named.push_str(&format!(", and {} more", more.len()));
    }
    (!excused.is_empty()).then(|| format!("{EXCUSED}{named}"))
}

/// A level for a rule that is not there changes nothing, and that is said.
fn unknown_rule_note(id: &str) -> Option<String> {
    if council_builtin::explain_rule(id).is_some() {
        return None;
    }
    let near = nearest_word(id, council_builtin::rules().map(|rule| rule.id));
    Some(match near {
        Some(near) => {
            format!("`rules.{id}` changes nothing: there is no such rule; did you mean `{near}`?")
        }
        None => format!(
            "`rules.{id}` changes nothing: there is no such rule; `git council explain` lists them"
        ),
    })
}

/// What the request asks to be reviewed.
fn target_spec(request: &ReviewRequest, start: &RunContext) -> Result<TargetSpec, RunError> {
    Ok(match &request.target {
        RequestedTarget::Branch => TargetSpec::Default,
        RequestedTarget::Revision(target) => TargetSpec::parse(target),
        RequestedTarget::Unmerged(range) => TargetSpec::Unmerged(range.clone()),
        RequestedTarget::Staged => TargetSpec::Staged,
        RequestedTarget::Worktree => TargetSpec::Worktree,
        RequestedTarget::Question(question) => TargetSpec::Topic(question.clone()),
        RequestedTarget::Document(file) => {
            let (bytes, label) = read_input(file, &start.dir, "document")?;
            TargetSpec::Document(bytes, label)
        }
        RequestedTarget::Patch(file) => {
            let (bytes, label) = read_input(file, &start.dir, "patch")?;
            TargetSpec::Patch(bytes, label)
        }
    })
}

/// A document without a word is no change that came to nothing: whoever names one has named the wrong one, or an earlier
/// step wrote none, and a verdict over it would hide that.
fn refuse_empty_document(change: &ReviewedChange) -> Result<(), RunError> {
    if change.target.kind != TargetKind::File || change.nothing.is_none() {
        return Ok(());
    }
    let label = &change.target.label;
    Err(RunError::usage(format!(
        "the document {label} is empty: there is nothing to review"
    ))
    .hint("name a document that says something: git council review --file FILE"))
}

/// A file of the user's, or standard input, with its name for people; `what` says what it is to be.
fn read_input(file: &Path, dir: &Path, what: &str) -> Result<(Vec<u8>, String), RunError> {
    let label = if file.as_os_str() == "-" {
        STANDARD_INPUT.to_owned()
    } else {
        file.display().to_string()
    };
    if file.as_os_str() != "-" {
        refuse_link(&dir.join(file), what)?;
    }
    let mut bytes = Vec::new();
    let read = if file.as_os_str() == "-" {
        std::io::stdin()
            .lock()
            .take(MAX_INPUT_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        safe_file::open_input(dir.join(file))
            .and_then(|file| file.take(MAX_INPUT_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| RunError::usage(format!("cannot read the {what} {label}: {error}")))?;
    if bytes.len() as u64 > MAX_INPUT_BYTES {
        return Err(RunError::usage(format!(
            "the {what} {label} is larger than {} MiB",
            MAX_INPUT_BYTES >> 20
        ))
        .hint("split it"));
    }
    Ok((bytes, label))
}

/// Nothing behind a link of a checkout is sent: whoever committed the link chose what it leads to.
fn refuse_link(file: &Path, what: &str) -> Result<(), RunError> {
    let Some(link) = safe_file::find_link(file).unwrap_or(None) else {
        return Ok(());
    };
    let name = |path: &Path| Untrusted::new(&path.display().to_string()).name();
    let message = format!(
        "{} is a symbolic link of this checkout, and the {what} behind it would be sent to the models",
        name(&link)
    );
    let error = RunError::usage(message);
    Err(match file.canonicalize() {
        Ok(target) => error.hint(format!(
            "to send that file all the same, name it itself: {}",
            name(&target)
        )),
        Err(_) => error.hint("the link leads nowhere: name another file"),
    })
}

/// A word that names no revision may be a file, or a subcommand of habit.
fn explain_error(error: GitError, request: &ReviewRequest) -> RunError {
    let is_pull_request = |rev: &str| rev.starts_with('#') || rev.starts_with("https://");
    let hint = match (&error, &request.target) {
        (GitError::UnknownRevision { .. }, RequestedTarget::Revision(target))
            if is_pull_request(target) =>
        {
            let fetch = "fetch the pull request first: git fetch origin pull/N/head, then review FETCH_HEAD";
            Some(fetch.to_owned())
        }
        (GitError::UnknownRevision { rev, .. }, RequestedTarget::Revision(_))
            if rev.contains(['~', '^']) =>
        {
            let tip = rev.split(['~', '^']).next().unwrap_or_default();
            let count = format!("there may be fewer commits before it: git rev-list --count {tip}");
            Some(count)
        }
        // Nobody names a file as an end of a range.
        (GitError::UnknownRevision { rev, .. }, RequestedTarget::Revision(target))
            if rev == target =>
        {
            Some(format!(
                "to name a file, write it after two dashes: -- {rev}"
            ))
        }
        (GitError::NotARepository { .. }, _) => Some("or review a patch: --patch FILE".to_owned()),
        _ => None,
    };
    let error = RunError::from(error);
    match hint {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// A change of the configuration by which it is reviewed is always told, and what came of it.
fn changed_configuration(change: &ReviewedChange, checkout: CheckoutUse) -> Option<String> {
    let touched = |file: &FileChange| {
        let name = REPOSITORY_FILE.as_bytes();
        file.path.as_bytes() == name || file.path_before().as_bytes() == name
    };
    let what = match checkout {
        CheckoutUse::Ignored => {
            "the edit is ignored here, and takes effect once it is on the trusted branch"
        }
        CheckoutUse::Trusted => "the edit takes effect because of --trust-worktree",
        CheckoutUse::Stricter | CheckoutUse::AsConfigured => {
            "the edit takes effect where it makes the review stricter, or if `trust.worktrees` lists this worktree"
        }
    };
    let is_touched = change.files.iter().any(touched);
    is_touched.then(|| format!("the change edits {REPOSITORY_FILE}: {what}"))
}

fn build_packet(
    change: &mut ReviewedChange,
    config: &Config,
    notes: &mut Vec<String>,
) -> Result<(Packet, Option<PathFilter>), RunError> {
    let review = &config.settings.review;
    // Built-in globs are always there; one line takes them all back.
    let all = (!review.default_ignores).then(|| "!**".to_owned());
    let lines: Vec<String> = all
        .into_iter()
        .chain(review.ignore.iter().cloned())
        .collect();
    let ignore = IgnoreGlobs::new(&lines)
        .map_err(|error| RunError::usage(error).hint("it is in `review.ignore`"))?;
    let changed = change.files.iter().map(|file| file.path.clone());
    let changed: Vec<RepoPath> = changed.collect();
    let material = PacketMaterial {
        target: change.target.clone(),
        files: std::mem::take(&mut change.files),
        framing: std::mem::take(&mut change.framing),
        instructions: all_instructions(change, &changed, review.instructions.as_deref(), notes),
        ignore: ignore.clone(),
        opaque_lowers: review.opaque == OpaquePolicy::Inconclusive,
    };
    let excluded = std::mem::take(&mut change.excluded);
    let change = &*change;
    let attacks = Mutex::new(BTreeSet::new());
    let files = packet::FileReaders {
        fill: &|file| change.fill_hunks(file).map_err(|error| error.with_hint()),
        check: &|file| {
            let readable = change.check_content(file);
            readable.map_err(|error| error.with_hint())?;
            let is_attack = council_builtin::speaks_of(file, &*change.blobs);
            if is_attack {
                let mut attacks = attacks.lock().unwrap_or_else(PoisonError::into_inner);
                attacks.insert(file.path.clone());
            }
            Ok(!is_attack)
        },
        blobs: &*change.blobs,
        each: git::map_parallel,
    };
    let packet = packet::build_packet(material, &files, &ContextBounds::default());
    let attacks = attacks.into_inner().unwrap_or_else(PoisonError::into_inner);
    notes.extend(rules_alone_note(&packet, &attacks));
    let hidden = hidden_files(ignore, &review.ignore, excluded, &packet);
    Ok((packet, hidden))
}

/// What the user leaves out is shown to nobody, and what the rules against attacks find in it counts all the same; the user is
/// told of it.
fn rules_alone_note(packet: &Packet, attacks: &BTreeSet<RepoPath>) -> Option<String> {
    let files = packet.coverage.files.iter();
    let read =
        files.filter(|file| file.state.is_left_out_by_user() && attacks.contains(&file.path));
    let names: Vec<String> = read.map(|file| file.path.display().into_owned()).collect();
    let (first, more) = names.split_first()?;
    let others = match more.len() {
        0 => String::new(),
        1 => " and one more file".to_owned(),
        n => format!(" and {n} more files"),
    };
    let (is, it) = if more.is_empty() {
        ("is", "it")
    } else {
        ("are", "them")
    };
    Some(format!(
        "{first}{others} {is} left out by `review.ignore`: no model is shown {it}, and what the built-in rules against \
         attacks find there counts"
    ))
}

/// Those of the trusted branch, and what the user says for this run.
fn all_instructions(
    change: &ReviewedChange,
    changed: &[RepoPath],
    own: Option<&str>,
    notes: &mut Vec<String>,
) -> Vec<Instruction> {
    let mut all = trusted_instructions(change, changed, notes);
    all.extend(
        own.filter(|text| !text.trim().is_empty())
            .map(|text| Instruction {
                path: OWN_INSTRUCTIONS.into(),
                origin: "the user".to_owned(),
                text: packet::cut_text(text, MAX_OWN_INSTRUCTIONS),
            }),
    );
    all
}

/// As many bytes of them as of one of the project's files.
const MAX_OWN_INSTRUCTIONS: usize = 32 * 1024;

/// The name under which a report lists what the user said.
const OWN_INSTRUCTIONS: &str = "review.instructions";

fn trusted_instructions(
    change: &ReviewedChange,
    changed: &[RepoPath],
    notes: &mut Vec<String>,
) -> Vec<Instruction> {
    let Some(tree) = change.trusted_tree() else {
        return Vec::new();
    };
    let mut read = |path: &str| match tree.read_file(path) {
        Ok(bytes) => bytes,
        Err(error) => {
            notes.push(format!(
                "{path} of {} could not be read: {error}",
                tree.origin()
            ));
            None
        }
    };
    packet::read_instructions(&mut read, &tree.origin(), changed)
}
