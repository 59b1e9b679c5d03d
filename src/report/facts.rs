//! What a run knows of itself beside the outcome, and the receipt that is made of it.

use std::collections::{BTreeMap, BTreeSet};

use council_protocol::RepoPath;
use council_protocol::message::Usage;
use council_protocol::packet::{Packet, Target};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::council::exchange::CancelCause;
use crate::council::outcome::JudgeRecord;
use crate::council::plan::{DebateMode, RunSeed};
use crate::report::bottom_line::FailOn;
use crate::report::earlier::EarlierReview;

/// What was reviewed, as far as a report shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewSubject {
    /// What was under review.
    pub target: Target,
    /// How much that is.
    pub change: ChangeSize,
    /// The trusted instructions that the judges were given.
    pub instructions: Vec<InstructionFacts>,
}

impl ReviewSubject {
    /// The subject of a packet.
    pub fn of(packet: &Packet) -> Self {
        let instructions = packet
            .instructions
            .iter()
            .map(|i| InstructionFacts {
                path: i.path.clone(),
                origin: i.origin.clone(),
            })
            .collect();
        Self {
            target: packet.target.clone(),
            change: ChangeSize::of(packet),
            instructions,
        }
    }

    /// A target without a packet: there was nothing to make one of.
    pub fn without_packet(target: Target) -> Self {
        Self {
            target,
            change: ChangeSize::default(),
            instructions: Vec::new(),
        }
    }
}

/// How much was changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ChangeSize {
    /// Changed files, skipped ones included.
    pub files: u64,
    /// Added lines, without those of skipped files.
    pub added: u64,
    /// Removed lines, without those of skipped files.
    pub removed: u64,
}

impl ChangeSize {
    /// The size of a packet.
    pub fn of(packet: &Packet) -> Self {
        let (added, removed) = packet
            .files
            .iter()
            .map(|file| file.counts())
            .fold((0, 0), |(a, r), (added, removed)| {
                (a + added as u64, r + removed as u64)
            });
        Self {
            files: packet.files.len() as u64,
            added,
            removed,
        }
    }
}

/// A trusted instruction file and where it was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionFacts {
    /// Where it lies.
    pub path: RepoPath,
    /// The ref or commit it was read from.
    pub origin: String,
}

/// What the program knows of a run beside the council's outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunFacts {
    /// The run's name, `council-YYYYMMDD-<target>`.
    pub name: String,
    /// The program's version.
    pub version: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// The coding agent that asked for the run, by its own word; none: a person, a hook or a job did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// How the judges were run; none when nobody was convened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backend: Option<BackendFacts>,
    /// Whether R2 was to run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debate: Option<DebateMode>,
    /// What went in.
    #[serde(default)]
    pub digests: InputDigests,
    /// What judges that read a brief were sent; none: nobody read one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub brief: Option<BriefFacts>,
    /// The key under which the verdict is reused: of the change, the configuration, the judges and the prompts; hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognition_key: Option<String>,
    /// Where the verdict comes from when nobody was asked again; none: it was made now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recognised: Option<RecognisedVerdict>,
    /// The review of the same pull request before this one, where it left findings open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<EarlierReview>,
    /// How the repository was read, where the ordinary way could not, and why; none: the ordinary way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_source: Option<String>,
    /// Whether it is played from a recording that comes with the program, of which no run is kept.
    #[serde(default, skip_serializing_if = "is_false")]
    pub recorded: bool,
    /// From which verdict on the run failed; none: it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail_on: Option<FailOn>,
    /// The run's random bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<RunSeed>,
    /// Why the run ended early, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_short: Option<CancelCause>,
}

/// Where the bytes of what each judge was sent went; of the largest brief where the change was reviewed in parts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BriefFacts {
    /// How many briefs the change needed.
    pub parts: u32,
    /// Bytes of the change with the lines around its hunks.
    pub change: u64,
    /// What stands around the change, by kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub context: Vec<ContextFacts>,
    /// What of that was not looked up, and why, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// Bytes of everything else: the list of files, instructions, explanations.
    pub frame: u64,
    /// Whether `limits.brief`, and not `limits.context`, bounds what stands around the change.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_full: bool,
    /// Secrets on lines that the change adds, which nobody was shown: each has a placeholder in its place.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub hidden: u64,
    /// Bytes of the form of the answer, sent with each call of an API; 0 where none was called.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub schema: u64,
    /// Bytes of the declared tools, sent with each call of an API; 0 where none were declared.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tools: u64,
}

/// For serde, which hands a reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// For serde, which hands a reference.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// One kind of what stands around a change, as judges were shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContextFacts {
    /// What it is, in words.
    pub kind: String,
    /// Bytes that were shown.
    pub bytes: u64,
    /// Pieces that were shown.
    pub shown: u32,
    /// Pieces that did not fit.
    #[serde(default)]
    pub left_out: u32,
}

impl BriefFacts {
    /// Bytes of the change and of what stands around it, without everything else.
    pub(crate) fn shown_bytes(&self) -> u64 {
        self.change + self.context.iter().map(|one| one.bytes).sum::<u64>()
    }

    /// One sentence for people.
    pub fn to_sentence(&self) -> String {
        let mut parts = vec![format!("the change {} bytes", self.change)];
        parts.extend(self.context.iter().map(|one| {
            let left = match one.left_out {
                0 => String::new(),
                left => format!(", {left} left out"),
            };
            format!(
                "{} {} bytes ({} shown{left})",
                one.kind, one.bytes, one.shown
            )
        }));
        parts.push(format!("everything else {} bytes", self.frame));
        let per_call = [
            ("the form of the answer", self.schema),
            ("tools", self.tools),
        ];
        for (name, bytes) in per_call.into_iter().filter(|(_, bytes)| *bytes > 0) {
            parts.push(format!(
                "{name} about {bytes} bytes in each call to a server that takes it"
            ));
        }
        let mut sentence = parts.join("; ");
        for gap in &self.gaps {
            sentence.push_str("; ");
            sentence.push_str(gap);
        }
        sentence
    }
}

/// A verdict that was made before, over the same change and in the same way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecognisedVerdict {
    /// Where it stood: this repository's cache, or a git note.
    pub place: MemoryPlace,
    /// The run that made it.
    pub run: String,
    /// When that run began, RFC 3339.
    pub made: String,
    /// The commit that it was made over, where it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// The key that signed a note.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signer: Option<String>,
    /// The coding agent that asked for that run, by its own word; none: a person, a hook or a job did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_by: Option<String>,
    /// The packet of the change over which it is told again, SHA-256: the judges saw another one, where that change holds what
    /// they objected to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub over: Option<String>,
}

impl RunFacts {
    /// The packet of the change that is told of, SHA-256.
    pub(crate) fn packet_told(&self) -> Option<&String> {
        let over = self.recognised.as_ref().and_then(|one| one.over.as_ref());
        over.or(self.digests.packet.as_ref())
    }

    /// Makes these facts those of a run that asks nobody again, and that `started_by` asked for.
    pub(crate) fn recognise(
        &mut self,
        place: MemoryPlace,
        head: Option<String>,
        signer: Option<String>,
        started_by: Option<String>,
    ) {
        self.recognised = Some(RecognisedVerdict {
            place,
            run: self.name.clone(),
            made: self.started.clone(),
            head,
            signer,
            started_by: std::mem::replace(&mut self.started_by, started_by),
            over: None,
        });
    }

    /// Makes them those of the run that asked judges again.
    pub(crate) fn forget_recognition(&mut self) {
        if let Some(recognised) = self.recognised.take() {
            self.started_by = recognised.started_by;
        }
    }
}

/// Where verdicts are remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryPlace {
    /// The cache in the git directory that all worktrees share.
    Cache,
    /// A note under `refs/notes/council`.
    Note,
    /// This program's own report on the pull request.
    Comment,
    /// An objection to another change, whose lines this one holds as well.
    Objection,
}

impl RecognisedVerdict {
    /// One sentence for people. The names in it are untrusted text.
    pub fn to_sentence(&self) -> String {
        let at = self
            .head
            .as_deref()
            .map(|head| head.get(..10).unwrap_or(head));
        let of = at.map_or(String::new(), |at| format!(" of {at}"));
        let place = match (&self.place, &self.signer) {
            (MemoryPlace::Cache, _) => "from this repository's cache".to_owned(),
            (MemoryPlace::Note, Some(signer)) => format!("from a note signed by {signer}"),
            (MemoryPlace::Note, None) => "from a note".to_owned(),
            (MemoryPlace::Comment, _) => "from the report on the pull request".to_owned(),
            (MemoryPlace::Objection, _) => {
                "ends with a milder `git council review --fresh`".to_owned()
            }
        };
        let day = self.made.get(..10).unwrap_or(&self.made);
        let asked = match &self.started_by {
            Some(agent) => format!(", started by {agent}"),
            None => String::new(),
        };
        let what = match self.place {
            MemoryPlace::Objection => "an earlier review objected to lines that this change holds",
            _ => "the same change was judged before, so nobody was asked again",
        };
        format!("{what} ({}{of}, {day}{asked}; {place})", self.run)
    }
}

/// What a report calls the backend of a review whose judges were jobs of their own.
pub(crate) const MATRIX_BACKEND: &str = "matrix";

/// The backend that a duel's run names: nothing was started by any of ours.
pub(crate) const DUEL_BACKEND: &str = "duel";

/// How the judges were run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackendFacts {
    /// The backend that ran them.
    pub name: String,
    /// The one that was asked for; none: chosen automatically.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requested: Option<String>,
    /// Backends that would have been preferred, each with the reason why not, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub passed_over: Vec<String>,
}

/// SHA-256 of what went in, as hex; none where there is no such thing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct InputDigests {
    /// The changed lines and modes: the same for the same change, whoever judges it and however.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change: Option<String>,
    /// The packet's bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub packet: Option<String>,
    /// The configuration as it held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// The prompt templates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub templates: Option<String>,
    /// The code that stood around the change in the brief; none: no judge read one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

/// Who was asked, and what came of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Participation {
    /// Seats of the council.
    pub asked: u32,
    /// Judges that were seated.
    pub started: u32,
    /// Judges that answered R1.
    pub answered: u32,
    /// Judges that answered a later round; 0 when there was none.
    pub answered_later: u32,
    /// Judges whose vote counts.
    pub counted: u32,
    /// Judges that had to count for PASS or WARN to stand.
    pub quorum: u32,
}

impl Participation {
    /// Counts the judges of a council.
    pub fn of(judges: &[JudgeRecord], quorum: u32) -> Self {
        let count = |is: fn(&JudgeRecord) -> bool| {
            judges
                .iter()
                .filter(|j| is(j))
                .fold(0_u32, |n, _| n.saturating_add(1))
        };
        Self {
            asked: count(|_| true),
            started: count(|j| j.started),
            answered: count(|j| j.r1.is_some()),
            answered_later: count(|j| j.r2.is_some()),
            counted: count(|j| j.counted.is_some()),
            quorum,
        }
    }
}

/// How a verdict came about: who was asked, what was granted, what went in, what it cost.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Receipt {
    pub run: RunFacts,
    /// Who was asked and what came of it; the judges' own lines stand in the report's `judges`.
    pub participation: Participation,
    /// The trusted instructions that the judges were given.
    #[serde(default)]
    pub instructions: Vec<InstructionFacts>,
    /// What it cost, summed over the judges that said so; none when none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl Receipt {
    pub(super) fn new(
        run: RunFacts,
        instructions: Vec<InstructionFacts>,
        participation: Participation,
        judges: &[JudgeRecord],
    ) -> Self {
        Self {
            run,
            participation,
            instructions,
            usage: total_usage(judges),
        }
    }
}

/// The sum of what is known; none when nothing is.
fn total_usage(judges: &[JudgeRecord]) -> Option<Usage> {
    let known = judges.iter().filter_map(|j| j.usage.as_ref());
    let usage = Usage {
        // Each judge's own line says which model answered it.
        model: None,
        passed_over: Vec::new(),
        // Each judge's own stand beside it.
        tool_calls: Vec::new(),
        without_tools: None,
        killed: None,
        looked_up: BTreeSet::new(),
        looked_up_in_part: BTreeMap::new(),
        ..known.fold(Usage::default(), |sum, usage| sum.plus(usage))
    };
    (usage != Usage::default()).then_some(usage)
}
