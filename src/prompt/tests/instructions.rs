//! Instructions and references share the room of a brief.

use council_protocol::packet::TargetKind;
use proptest::prelude::*;

use super::*;

fn reference(name: &str, bytes: usize) -> Instruction {
    let line = format!("{name} says more.\n");
    Instruction {
        path: name.into(),
        origin: "the worktree".to_owned(),
        text: line.repeat(bytes.div_ceil(line.len())) + &format!("end of {name}\n"),
    }
}

fn stage(references: Vec<Instruction>) -> Packet {
    let mut stage = packet(Vec::new(), Framing::default());
    stage.target.kind = TargetKind::Stage;
    stage.instructions = references;
    stage
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// However large one of them is: the others are shown, short ones to their end, and what is cut is named.
    #[test]
    fn a_large_reference_starves_no_other(large in 100_000..2_000_000_usize, at in 0..6_usize) {
        let mut references: Vec<_> = (0..5).map(|n| reference(&format!("short-{n}.md"), 2_000)).collect();
        references.insert(at.min(5), reference("large.md", large));
        let brief = brief(&stage(references));
        for n in 0..5 {
            prop_assert!(brief.text.contains(&format!("end of short-{n}.md")), "{}", n);
        }
        prop_assert!(brief.text.contains("large.md says more."));
        let is_whole = brief.text.contains("end of large.md");
        let named: Vec<RepoPath> = if is_whole { Vec::new() } else { vec!["large.md".into()] };
        prop_assert_eq!(&brief.cut_instructions, &named);
        prop_assert!(brief.text.len() <= BriefClass::default().budget_bytes);
    }
}
