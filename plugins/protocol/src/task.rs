//! What a judge is asked in one turn: the structure from which a prompt is rendered, and which a judge without a model
//! reads as it is.

use crate::RoundNumber;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Contention, Evidence, Finding, Stance, Vote};
use crate::reproduction::TestSuite;

/// What one turn asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Task {
    /// R1: review the change alone.
    Review,
    /// R1, second turn: the explorers' results.
    Explored {
        /// Question and what was found, in the order asked.
        results: Vec<Explored>,
    },
    /// One question of a judge, put to a helper that has no memory and no seat (`--explorers`). The reply is
    /// text.
    Explore {
        /// The question: untrusted.
        question: String,
    },
    /// R2: the others' positions; answered with the debate's fields.
    Debate {
        /// The judge's own position as it wrote it at the end of R1, before it could see anybody else's.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        restatement: String,
        /// Whether the votes of R1 agreed.
        branch: DebateBranch,
        /// The others, anonymous and shuffled.
        peers: Vec<Peer>,
        /// Whole findings that did not fit the byte budget, least severe first.
        dropped: u32,
        /// Findings that are left out because nothing about them is left to decide.
        #[serde(default)]
        settled: u32,
        /// Who wrote the change and what they say about it: untrusted, only from R2 on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        framing: Option<Framing>,
        /// The commands that run tests of judges; empty: no test is asked for.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        suites: Vec<TestSuite>,
    },
    /// The next section of a duel; answered with `responses`, and `independent_findings` if there are more.
    Duel {
        /// Which side the judge speaks for: `A` or `B`.
        role: char,
        /// The section's heading, e.g. `Response 2`.
        section: String,
        /// The file so far: untrusted.
        transcript: String,
        /// Open points of the other side.
        theirs: Vec<PeerFinding>,
        /// What the other side says against the judge's own open points; agreeing gives the point up.
        objections: Vec<Objection>,
    },
    /// An opening statement. Answered with `position`, three to five `arguments`, a `question` to one of
    /// `others`, and findings like any R1.
    Opening {
        /// The other councillors' roles.
        others: Vec<String>,
    },
    /// One round of cross-examination. Answered with `responses`, `challenges` or `no_challenge`, `answers`,
    /// the `position` as it is now, and `messages` where judges may write to each other.
    Examine {
        /// Which of the rounds of cross-examination, from 1.
        round: u8,
        /// How many there are.
        of: u8,
        /// Where the others stand.
        councillors: Vec<Councillor>,
        /// What this judge has to answer.
        challenges: Vec<PutChallenge>,
        /// How many challenges are asked for.
        wanted: u8,
        /// Whether judges may write to each other.
        direct: bool,
        /// Whole findings that did not fit the byte budget, least severe first.
        dropped: u32,
        /// Who wrote the change and what they say about it: untrusted, only from R2 on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        framing: Option<Framing>,
    },
    /// Challenges that came up in it. Answered with `answers`.
    Challenged {
        /// What this judge has to answer.
        challenges: Vec<PutChallenge>,
    },
    /// A message of another judge, passed on by the program.
    Message {
        /// The writer's role.
        from: String,
        /// What it writes: untrusted.
        text: String,
    },
    /// The moderator intervenes, always in the same words.
    Moderate {
        /// Why the moderator intervenes.
        kind: InterventionKind,
        /// The moderator's words before what they are about.
        opening: String,
        /// What they are about: untrusted.
        about: String,
        /// The moderator's words after it.
        demand: String,
        /// The challenges that were evaded, to be answered now.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        challenges: Vec<PutChallenge>,
    },
    /// The final vote. Answered with a `ballot`.
    Ballot,
    /// Produce independently. Answered with a `document`; the directive is the seat's focus.
    Produce,
    /// Review what the others produced, without repeating R1. Answered with `responses`, `challenges`, and a
    /// `document` over a stage.
    CrossReview {
        /// The others, anonymous and shuffled.
        peers: Vec<Peer>,
        /// What the others wrote, where the subject is a stage.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        documents: Vec<Contribution>,
        /// Whole findings that did not fit the byte budget, least severe first.
        dropped: u32,
        /// Who wrote the change and what they say about it: untrusted, only from R2 on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        framing: Option<Framing>,
    },
    /// Only what is still open. Answered like a cross-review, and with `answers`.
    Rebut {
        /// Findings that are disputed.
        open: Vec<OpenPoint>,
        /// What this judge has to answer.
        challenges: Vec<PutChallenge>,
    },
    /// One document out of all rounds. Answered with a `document` that has `## Debate Notes`, and with a
    /// `contention` of the synthesizer's own.
    Synthesize {
        /// What was contributed, oldest round first.
        contributions: Vec<Contribution>,
        /// The contention after each round, as the program computed it.
        contention: Vec<Contention>,
    },
    /// The last answer could not be used: send it again, mended (rule 11, once).
    Mend {
        /// What was wrong with it.
        error: String,
        /// Which form it has to have.
        #[serde(default)]
        form: Form,
    },
}

/// Which fields an answer is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Plain text, no answer at all.
    Text,
    /// A vote with findings.
    #[default]
    Review,
    /// What R2 adds.
    Debate,
    /// The same, with tests about findings.
    ProvenDebate,
    /// A section of a duel.
    Duel,
    /// A councillor's opening statement.
    Opening,
    /// A councillor's part in a round of cross-examination, its sub-turns included.
    Examination,
    /// A councillor's final vote.
    Ballot,
    /// A role's document.
    Document,
    /// A role's review of the others, or a rebuttal.
    Rebuttal,
    /// A synthesizer's document.
    Synthesis,
}

impl Form {
    /// The name on the wire, and of the template's case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Review => "review",
            Self::Debate | Self::ProvenDebate => "debate",
            Self::Duel => "duel",
            Self::Opening => "opening",
            Self::Examination => "examination",
            Self::Ballot => "ballot",
            Self::Document => "document",
            Self::Rebuttal => "rebuttal",
            Self::Synthesis => "synthesis",
        }
    }
}

impl Task {
    /// Which form the reply has.
    pub fn form(&self) -> Form {
        match self {
            Self::Explore { .. } => Form::Text,
            Self::Review | Self::Explored { .. } => Form::Review,
            Self::Debate { suites, .. } if !suites.is_empty() => Form::ProvenDebate,
            Self::Debate { .. } => Form::Debate,
            Self::Duel { .. } => Form::Duel,
            Self::Opening { .. } => Form::Opening,
            Self::Examine { .. }
            | Self::Challenged { .. }
            | Self::Message { .. }
            | Self::Moderate { .. } => Form::Examination,
            Self::Ballot => Form::Ballot,
            Self::Produce => Form::Document,
            Self::CrossReview { .. } | Self::Rebut { .. } => Form::Rebuttal,
            Self::Synthesize { .. } => Form::Synthesis,
            Self::Mend { form, .. } => *form,
        }
    }
}

/// Question and result of one explorer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Explored {
    /// What the judge asked.
    pub question: String,
    /// What came back; none when the explorer failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
}

/// Whether round 2 tests an agreement or settles a disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DebateBranch {
    /// All votes equal, on shared ground: devil's advocate, blind spot, confirm or revise.
    Agreed,
    /// Votes differ, or equal FAILs rest on disjoint findings: steel-man, challenge, acknowledge, revise or confirm.
    Disagreed,
}

/// Another judge's R1, scrubbed: no name, vendor, confidence or tally.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Peer {
    /// `A`, `B`, …: differs from judge to judge and from run to run.
    pub label: String,
    /// The vote that it gave.
    pub verdict: Vote,
    /// Its sentence; empty when exchanged by reference.
    #[serde(default)]
    pub key_insight: String,
    /// Its findings, each with the id under which it is answered; empty when exchanged by reference.
    #[serde(default)]
    pub findings: Vec<PeerFinding>,
    /// Its recommendation; empty when exchanged by reference.
    #[serde(default)]
    pub recommendation: String,
    /// Where the whole lies, when exchanged by reference (`peer-a.json` in the judge's folder).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A finding under its id of this exchange.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PeerFinding {
    /// `A1`: first finding of Judge A.
    pub id: String,
    /// What the other judge reported.
    pub finding: Finding,
}

/// Where another councillor stands: its role is named, since the role is the point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Councillor {
    /// Its role, under which it is challenged and written to.
    pub role: String,
    /// Its position as it is now.
    #[serde(default)]
    pub position: String,
    /// The arguments that it gives.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Its vote and findings, scrubbed, under a label as in any exchange.
    pub peer: Peer,
}

/// A challenge as it is put to the judge that has to answer it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PutChallenge {
    /// `C3`: the answer names it.
    pub id: String,
    /// Who asks: a councillor's role, or a peer's label.
    pub from: String,
    /// The claim in question; empty for the question of an opening statement.
    #[serde(default)]
    pub claim: String,
    /// What is to be answered.
    pub question: String,
}

/// Why the moderator intervenes.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum InterventionKind {
    /// Three or more agree on a point that nobody challenged.
    Groupthink,
    /// A challenge was not answered.
    Evasion,
    /// A round without a changed position or a new argument.
    Stale,
}

impl InterventionKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Groupthink => "groupthink",
            Self::Evasion => "evasion",
            Self::Stale => "stale",
        }
    }
}

/// A disputed finding in a rebuttal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OpenPoint {
    /// `A1` for a finding of Judge A; the bare number of the judge's own finding, to be defended or withdrawn.
    pub id: String,
    /// The finding that is disputed.
    pub finding: Finding,
    /// What was said of it, names left out.
    pub said: Vec<Statement>,
}

/// What somebody said of a disputed finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statement {
    /// Whether it agrees with the finding.
    pub stance: Stance,
    /// Why it thinks so.
    pub reasoning: String,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// What one role contributed in one round.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contribution {
    /// The role, or a peer's label where nobody may be named.
    pub role: String,
    /// The round in which it was made.
    pub round: RoundNumber,
    /// The role's key insight of that round.
    #[serde(default)]
    pub key_insight: String,
    /// Its findings of that round.
    #[serde(default)]
    pub findings: Vec<Finding>,
    /// Its document; none when there is none, or when it had to give way (oldest round first).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<String>,
}

/// What the other side of a duel says against a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Objection {
    /// The point's name, e.g. `A1`.
    pub to: String,
    /// The finding that is objected to.
    pub finding: Finding,
    /// Disagreed, or only partially agreed.
    pub stance: Stance,
    /// Why the other side objects.
    pub reasoning: String,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// Who wrote a change and what they say about it. Untrusted; kept out of R1 (authors' framing suppresses findings).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Framing {
    /// Title of the pull request, or branch.
    #[serde(default)]
    pub title: String,
    /// Body of the pull request.
    #[serde(default)]
    pub body: String,
    /// The commits, oldest first.
    #[serde(default)]
    pub commits: Vec<CommitInfo>,
}

/// One commit of the target.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CommitInfo {
    /// Its id as hex.
    pub id: String,
    /// Author, `Name <mail>`.
    pub author: String,
    /// The whole message.
    pub message: String,
}
