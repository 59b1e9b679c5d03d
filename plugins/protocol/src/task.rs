//! What a judge is asked in one turn: the structure from which a prompt is rendered, and which a judge without a model
//! reads as it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::{Evidence, Finding, Stance, Vote};

/// What one turn asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "task", rename_all = "kebab-case")]
pub enum Task {
    /// R1: review the change alone.
    Review,
    /// R1, second turn: the explorers' results (seed 003's parent).
    Explored {
        /// Question and what was found, in the order asked.
        results: Vec<Explored>,
    },
    /// R2, first turn: restate your own position before you see the others' (seed 000). The reply is text, not an
    /// answer.
    Restate,
    /// R2, second turn: the others' positions; answer with the debate's fields.
    Debate {
        /// Whether the votes of R1 agreed.
        branch: Branch,
        /// The others, anonymous and shuffled.
        peers: Vec<Peer>,
        /// Whole findings that did not fit the byte budget, least severe first.
        dropped: u32,
        /// Who wrote the change and what they say about it: untrusted, only from R2 on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        framing: Option<Framing>,
    },
    /// Seed 004: the next section of a duel; answered with `responses`, and `independent_findings` if there are more.
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
    /// The last answer could not be used: send it again, mended (rule 11, once).
    Mend {
        /// What was wrong with it.
        error: String,
    },
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

/// Which protocol of seed 000 holds in R2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Branch {
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
    /// Its vote.
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
    /// The finding.
    pub finding: Finding,
}

/// What the other side of a duel says against a point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Objection {
    /// The point's name, e.g. `A1`.
    pub to: String,
    /// The point.
    pub finding: Finding,
    /// Disagreed, or only partially agreed.
    pub stance: Stance,
    /// Why.
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
