//! What a duel had come to when its process was killed: nobody made a report of it, and its sides kept what they heard.

use std::sync::Arc;

use council_protocol::{Location, Packet, Proof};

use crate::council::Outcome;
use crate::duel::driver::{SidePast, heard_recommendation, heard_review};
use crate::duel::protocol::render::{render_head, render_section, render_signature};
use crate::duel::protocol::speak::draft_section;
use crate::duel::protocol::transcript::{DebateTranscript, SectionKind};
use crate::duel::verdict::{SideAccount, UnheardReply, judge_transcript};
use crate::duel::{DuelEnding, DuelRole};
use crate::run::loaded::LoadedRun;
use crate::run::modes::duel_cut::interrupt_outcome;
use crate::run::modes::side_log::read_sides;
use crate::run::modes::side_purse::SideSpending;
use crate::run::modes::written_source::SidesAndTree;
use crate::run::prepare::PreparedReview;
use crate::session::QuoteProver;

/// The outcome by what both sides have written, and had said without writing it yet. `packet` is what they argued over, and
/// `prepared` has its files.
pub(crate) fn duel_so_far(
    left: &LoadedRun,
    packet: Packet,
    prepared: &PreparedReview,
) -> Option<Outcome> {
    let sides = read_sides(&left.past.folder);
    let text = text_so_far(&sides, &left.journal.header.started);
    let transcript = DebateTranscript::parse(&text);
    let accounts = [DuelRole::A, DuelRole::B].map(|role| {
        let side = &sides[usize::from(role == DuelRole::B)];
        account_so_far(role, side, &transcript)
    });
    let packet = Arc::new(packet);
    let blobs = Arc::clone(&prepared.change.blobs);
    let mut prover = QuoteProver::new(
        Arc::clone(&packet),
        Arc::clone(&blobs),
        prepared.redactor.clone(),
    );
    let mut prove = |location: &Location, quote: &str| -> (Proof, String) {
        prover.prove_quote(location, quote)
    };
    let plan = left.plan.clone();
    let mut source = SidesAndTree::new(&plan, &packet, &blobs);
    let ending = DuelEnding::Consensus;
    let judged = judge_transcript(&transcript, ending, plan, accounts, &mut prove, &mut source)?;
    let mut outcome = judged.outcome;
    interrupt_outcome(&mut outcome);
    Some(outcome)
}

/// The longer of what both sides know of the file, and the first section of whoever has reviewed the subject and not
/// written it.
fn text_so_far(sides: &[SidePast; 2], time: &str) -> String {
    let known = sides.iter().map(|side| side.known_file(None).bytes);
    let known = known.max_by_key(Vec::len).unwrap_or_default();
    let mut text = String::from_utf8_lossy(&known).into_owned();
    let first = [SectionKind::Opening, SectionKind::Response(1)];
    for ((role, section), side) in [DuelRole::A, DuelRole::B].into_iter().zip(first).zip(sides) {
        if has_spoken(role, &text) {
            continue;
        }
        let Some(review) = heard_review(role, side) else {
            continue;
        };
        if text.is_empty() {
            text = render_head("");
        }
        let draft = draft_section(role, &text, section, &review, None);
        let sign = render_signature(role, "git-council", time);
        text += &render_section(section, &draft, &sign);
    }
    text
}

fn has_spoken(role: DuelRole, text: &str) -> bool {
    let transcript = DebateTranscript::parse(text);
    let mut sections = transcript.sections.iter();
    sections.any(|section| section.author() == Some(role))
}

/// What a side has spent, and said for sections that do not stand there.
fn account_so_far(role: DuelRole, side: &SidePast, transcript: &DebateTranscript) -> SideAccount {
    let mut spent = SideSpending::default();
    for line in &side.told {
        spent.count_line(line);
    }
    let written = |heading: &str| {
        let mut sections = transcript.sections.iter();
        sections.any(|s| s.heading == heading && s.author() == Some(role))
    };
    let mut account = SideAccount {
        failure: None,
        review: heard_review(role, side),
        recommendation: heard_recommendation(role, side),
        ..spent.account()
    };
    let key = side.key().unwrap_or_default();
    let unwritten = side.said_for(|heading| !written(heading));
    account.unheard.extend(unwritten.map(|said| UnheardReply {
        key: key.to_owned(),
        said: said.to_owned(),
    }));
    account
}
