//! What stands around hunks, and that its numbers are right.

use super::*;

/// A packet of one modified file.
fn packet_of(edited: &Edited, bounds: &ContextBounds) -> Packet {
    let mut blobs = MapBlobs::default();
    blobs
        .0
        .insert((Side::Old, "a.rs".into()), edited.old.clone().into_bytes());
    blobs
        .0
        .insert((Side::New, "a.rs".into()), edited.new.clone().into_bytes());
    let fill = |file: &mut FileChange| {
        file.hunks.clone_from(&edited.hunks);
        Ok(())
    };
    build_packet(material(vec![file("a.rs")]), &fill, &blobs, bounds)
}

fn parse(text: &str) -> Vec<(Op, String)> {
    text.lines()
        .map(|line| match line.split_at(1) {
            ("-", rest) => (Op::Remove, rest.to_owned()),
            ("+", rest) => (Op::Add, rest.to_owned()),
            (_, rest) => (Op::Keep, rest.to_owned()),
        })
        .collect()
}

fn shown(packet: &Packet) -> String {
    packet.files[0]
        .hunks
        .iter()
        .map(|h| format!("{}\n{}", h.header(), h.body))
        .collect()
}

const FUNCTION: &str = "
 use x;
 
 fn first() {
     let a = 1;
     let b = 2;
     let c = 3;
     let d = 4;
     let e = 5;
     let f = 6;
-    let g = 7;
+    let g = 8;
 }
 
 fn second() {
     let h = 1;
     let i = 2;
     let j = 3;
     let k = 4;
     let l = 5;
+    let m = 6;
 }
";

#[test]
fn hunks_reach_up_to_their_function() {
    let edited = edit(&parse(&FUNCTION[1..]), 3, true);
    let packet = packet_of(&edited, &ContextBounds::default());
    insta::assert_snapshot!(shown(&packet), @r"
    @@ -3,17 +3,18 @@
     fn first() {
         let a = 1;
         let b = 2;
         let c = 3;
         let d = 4;
         let e = 5;
         let f = 6;
    -    let g = 7;
    +    let g = 8;
     }
     
     fn second() {
         let h = 1;
         let i = 2;
         let j = 3;
         let k = 4;
         let l = 5;
    +    let m = 6;
     }
    ");
}

/// The lock that a removed line released stands above it, what needs it below: a judge sees both.
#[test]
fn a_change_is_shown_with_its_whole_function_and_no_other() {
    let body = |mark: &str| {
        let lines: Vec<String> = (0..30).map(|n| format!("     {mark}({n});\n")).collect();
        lines.concat()
    };
    let text = format!(
        " fn before() {{\n{}}}\n \n fn whole() {{\n{}-    unlock();\n{} }}\n \n fn after() {{\n{} }}\n",
        body("x"),
        body("above"),
        body("below"),
        body("y")
    )
    .replace("\n}\n", "\n }\n");
    let packet = packet_of(&edit(&parse(&text), 3, true), &ContextBounds::default());
    let shown = shown(&packet);
    for line in [
        "fn whole() {",
        "above(0)",
        "above(29)",
        "-    unlock();",
        "below(29)",
    ] {
        assert!(shown.contains(line), "{line} in {shown}");
    }
    assert!(
        !shown.contains("x(29)") && !shown.contains("fn after"),
        "{shown}"
    );
}

/// A function too long to be shown whole still says which one it is.
#[test]
fn of_a_long_function_the_lines_up_to_its_head_are_shown() {
    let lines = |from: usize, to: usize| {
        (from..to)
            .map(|n| format!("     a({n});\n"))
            .collect::<String>()
    };
    let text = format!(
        " fn long() {{\n{}-    b();\n{} }}\n",
        lines(0, 40),
        lines(40, 300)
    );
    let packet = packet_of(&edit(&parse(&text), 3, true), &ContextBounds::default());
    let shown = shown(&packet);
    assert!(
        shown.contains("fn long() {") && !shown.contains("a(299)"),
        "{shown}"
    );
}

#[test]
fn without_a_function_five_lines_above_and_one_below() {
    let lines: String = (1..=40).map(|n| format!(" {n}\n")).collect();
    let text = lines.replace(" 20\n", "-20\n+twenty\n");
    let edited = edit(&parse(&text), 3, true);
    let hunk = &packet_of(&edited, &ContextBounds::default()).files[0].hunks[0];
    assert_eq!(hunk.header(), "@@ -12,13 +12,13 @@");
}

#[test]
fn a_section_whose_line_is_shown_encloses_nothing_any_more() {
    let mut edited = edit(&parse(&FUNCTION[1..]), 3, true);
    edited.hunks[0].section = "fn first() {".to_owned();
    assert_eq!(
        packet_of(&edited, &ContextBounds::default()).files[0].hunks[0].section,
        ""
    );
}

#[test]
fn the_allowance_bounds_what_is_added() {
    let edited = edit(&parse(&FUNCTION[1..]), 3, true);
    for (file_lines, total_lines) in [(2, 100), (100, 2), (0, 0)] {
        let bounds = ContextBounds {
            file_lines,
            total_lines,
            ..ContextBounds::default()
        };
        let count = |hunks: &[Hunk]| hunks.iter().map(|h| h.old_lines as usize).sum::<usize>();
        let added = count(&packet_of(&edited, &bounds).files[0].hunks) - count(&edited.hunks);
        assert!(added <= file_lines.min(total_lines), "{added}");
    }
}

#[test]
fn hunks_of_another_text_stay_as_they_are() {
    let mut edited = edit(&parse(&FUNCTION[1..]), 3, true);
    edited.old = edited.old.replace("let e", "let z");
    assert_eq!(
        packet_of(&edited, &ContextBounds::default()).files[0].hunks,
        edited.hunks
    );
}

#[test]
fn a_patch_keeps_its_hunks() {
    let edited = edit(&parse(&FUNCTION[1..]), 3, true);
    let fill = |file: &mut FileChange| {
        file.hunks.clone_from(&edited.hunks);
        Ok(())
    };
    let packet = build_packet(
        material(vec![file("a.rs")]),
        &fill,
        &NoBlobs,
        &ContextBounds::default(),
    );
    assert_eq!(packet.files[0].hunks, edited.hunks);
}

mod laws {
    use proptest::prelude::*;

    use super::*;

    /// Lines that look like code, so that functions are found and lines repeat.
    fn line() -> impl Strategy<Value = (Op, String)> {
        let op = prop_oneof![8 => Just(Op::Keep), 1 => Just(Op::Remove), 1 => Just(Op::Add)];
        let text = prop_oneof![
            Just(""),
            Just("}"),
            Just("fn a() {"),
            Just("    if b {"),
            Just("        c();"),
            Just("    }"),
            Just("\td\r"),
            Just("# e"),
            Just("    ) -> f {"),
        ];
        (op, text.prop_map(str::to_owned))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_line_of_every_hunk_is_the_blobs_line(
            lines in proptest::collection::vec(line(), 0..160),
            around in 0_usize..4,
            newline_at_end: bool,
            total_lines in prop_oneof![Just(20_000), 0_usize..30],
        ) {
            let edited = edit(&lines, around, newline_at_end);
            let bounds = ContextBounds { total_lines, ..ContextBounds::default() };
            let packet = packet_of(&edited, &bounds);
            let old: Vec<_> = edited.old.split('\n').collect();
            let new: Vec<_> = edited.new.split('\n').collect();
            let mut end = (0, 0);
            for hunk in &packet.files[0].hunks {
                let (mut olds, mut news) = (0, 0);
                for line in hunk.lines() {
                    if let Some(no) = line.old_no {
                        prop_assert_eq!(old[no as usize - 1], line.text);
                        prop_assert!(no > end.0, "hunks overlap");
                        (olds, end.0) = (olds + 1, no);
                    }
                    if let Some(no) = line.new_no {
                        prop_assert_eq!(new[no as usize - 1], line.text);
                        prop_assert!(no > end.1, "hunks overlap");
                        (news, end.1) = (news + 1, no);
                    }
                    let last = line.old_no.is_some_and(|no| no as usize == old.len())
                        || line.new_no.is_some_and(|no| no as usize == new.len());
                    prop_assert_eq!(line.no_newline, last && !edited.newline_at_end);
                }
                prop_assert_eq!((olds, news), (hunk.old_lines, hunk.new_lines));
            }
            let changes = |hunks: &[Hunk]| -> Vec<String> {
                let lines = hunks.iter().flat_map(Hunk::lines).filter(|l| l.kind != LineKind::Context);
                lines.map(|l| format!("{:?} {:?} {}", l.old_no, l.new_no, l.text)).collect()
            };
            prop_assert_eq!(changes(&packet.files[0].hunks), changes(&edited.hunks));
        }
    }
}
