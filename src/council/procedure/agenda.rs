//! What round 2 is about. Asked for, it goes to everybody and over everything; by itself it decides only what is still open,
//! and asks only those for whom something is.
//!
//! What every model that counts has found by itself is confirmed, whatever is said of it afterwards, and a minor finding is
//! a note either way: no word about them can change the verdict (a law of `tests/laws.rs`).

use std::collections::BTreeSet;

use council_protocol::task::Peer;
use council_protocol::{Severity, Vote};

use crate::anonymity;
use crate::disposition::{FindingCluster, FindingVersion};
use crate::judges::SeatIndex;
use crate::state::DebateState;
use crate::support::SupportKind;

/// A finding by whose it is, and its number there, from 1.
type FindingPlace = (SeatIndex, usize);

/// What is debated, and with whom.
#[derive(Debug, Clone)]
pub(super) enum DebateAgenda {
    /// Everything, with everybody.
    Everything,
    /// What is open, with those for whom something is.
    Open {
        findings: BTreeSet<FindingPlace>,
        seats: BTreeSet<SeatIndex>,
    },
}

impl DebateAgenda {
    /// What R1 has left to be decided.
    pub(super) fn open_points(state: &DebateState) -> Self {
        let clusters: Vec<FindingCluster> = state.clusters();
        let models = state.judges.model_seats();
        let open: Vec<&FindingCluster> = clusters.iter().filter(|c| is_open(c, &models)).collect();
        let places = open.iter().flat_map(|c| &c.versions);
        let seats = state.judges.debating_seats().into_iter();
        // A test of its own settles what a judge found alone.
        let has_tests = state.plan.options.proof.is_some();
        let is_asked = |seat: &SeatIndex| {
            let mut open = open.iter();
            open.any(|c| !has_found(c, *seat) || has_tests && is_found_once(c))
                || has_bare_vote(state, &clusters, *seat)
        };
        Self::Open {
            findings: places.map(|v| (v.seat, v.number)).collect(),
            seats: seats.filter(is_asked).collect(),
        }
    }

    /// Whether a judge is asked.
    pub(super) fn asks(&self, seat: SeatIndex) -> bool {
        match self {
            Self::Everything => true,
            Self::Open { seats, .. } => seats.contains(&seat),
        }
    }

    /// Leaves of the others' findings what is debated, and says how many went. Their ids stay those of all findings.
    pub(super) fn keep_debated(&self, order: &[SeatIndex], peers: &mut [Peer]) -> u32 {
        let Self::Open { findings, .. } = self else {
            return 0;
        };
        let is_debated = |id: &str| {
            anonymity::parse_finding_id(order, id).is_some_and(|place| findings.contains(&place))
        };
        let mut settled = 0;
        for peer in peers {
            let all = peer.findings.len();
            peer.findings.retain(|finding| is_debated(&finding.id));
            settled += all - peer.findings.len();
        }
        u32::try_from(settled).unwrap_or(u32::MAX)
    }
}

/// Whether the others could still confirm or refute it, and whether that would matter. A model that was not shown the file
/// counts as well: it may look now.
fn is_open(cluster: &FindingCluster, models: &[SeatIndex]) -> bool {
    let all_hold = models.iter().all(|&seat| has_found(cluster, seat));
    cluster.is_live() && cluster.severity() > Severity::Minor && !all_hold
}

/// Whether a judge has found it by itself, as bad as it is: whoever has a remark on the same line has not.
fn has_found(cluster: &FindingCluster, seat: SeatIndex) -> bool {
    let mut stakes = cluster.models.iter().zip(cluster.stakes());
    stakes.any(|(&other, stake)| other == seat && stake.support == Some(SupportKind::Found))
}

/// Whether one judge alone has found it.
fn is_found_once(cluster: &FindingCluster) -> bool {
    let stakes = cluster.stakes().into_iter();
    let found = stakes.filter(|stake| stake.support == Some(SupportKind::Found));
    found.count() == 1
}

/// Whether a judge votes against the change and none of its own findings says why: its vote is what is open.
fn has_bare_vote(state: &DebateState, clusters: &[FindingCluster], seat: SeatIndex) -> bool {
    let mut own = clusters.iter().flat_map(|c| &c.versions);
    let is_reason =
        |v: &FindingVersion| v.seat == seat && v.is_live() && v.severity() > Severity::Minor;
    let vote = state.judges[seat].first_vote();
    vote.is_some_and(|vote| vote != Vote::Pass) && !own.any(is_reason)
}
