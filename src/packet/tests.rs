//! Tests of the room as a whole: what is shown, what is left out, and that the numbers stay right.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use council_protocol::change::{BlobError, FileKind, NoBlobs};
use council_protocol::packet::TargetKind;
use council_protocol::{Hunk, LineKind, RepoPath};
use proptest::prelude::*;

use super::*;

/// A modified text file without hunks.
pub(crate) fn file(path: &str) -> FileChange {
    FileChange {
        path: path.into(),
        old_path: None,
        status: FileStatus::Modified,
        kind: FileKind::Text,
        old_mode: 0o100_644,
        new_mode: 0o100_644,
        old_id: Some("a".repeat(40)),
        new_id: Some("b".repeat(40)),
        old_size: None,
        new_size: None,
        similarity: None,
        lossy: false,
        hunks: Vec::new(),
    }
}

pub(crate) fn material(files: Vec<FileChange>) -> Material {
    let target = Target {
        kind: TargetKind::Branch,
        label: "main...secret-branch".to_owned(),
        slug: "secret-branch".to_owned(),
        base: Some("1".repeat(40)),
        head: Some("2".repeat(40)),
    };
    Material {
        target,
        files,
        framing: Framing::default(),
        instructions: Vec::new(),
        ignore: IgnoreGlobs::default(),
    }
}

/// One line of a change: kept, removed or added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Op {
    Keep,
    Remove,
    Add,
}

/// Both sides of a file that was edited by `ops`, and its hunks with `around` lines of context, as git makes them.
pub(crate) struct Edited {
    pub(crate) old: String,
    pub(crate) new: String,
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) newline_at_end: bool,
}

pub(crate) fn edit(lines: &[(Op, String)], around: usize, newline_at_end: bool) -> Edited {
    let changed: Vec<bool> = lines.iter().map(|(op, _)| *op != Op::Keep).collect();
    let shown: Vec<bool> = (0..lines.len())
        .map(|i| {
            let from = i.saturating_sub(around);
            let to = (i + around + 1).min(lines.len());
            changed[from..to].contains(&true)
        })
        .collect();
    let last = |side: Op| {
        lines
            .iter()
            .rposition(|(op, _)| *op == Op::Keep || *op == side)
    };
    let (last_old, last_new) = (last(Op::Remove), last(Op::Add));
    // A line that ends one side only is not the same on both: a diff would not show it as kept.
    let kept = |at: Option<usize>| at.is_some_and(|i| lines[i].0 == Op::Keep);
    let newline_at_end =
        newline_at_end || (last_old != last_new && (kept(last_old) || kept(last_new)));
    let (mut old, mut new, mut hunks) = (String::new(), String::new(), Vec::<Hunk>::new());
    let (mut old_no, mut new_no) = (1, 1);
    for (i, (op, text)) in lines.iter().enumerate() {
        let (on_old, on_new) = (*op != Op::Add, *op != Op::Remove);
        let bare =
            !newline_at_end && ((on_old && last_old == Some(i)) || (on_new && last_new == Some(i)));
        if shown[i] {
            if i == 0 || !shown[i - 1] {
                hunks.push(Hunk {
                    old_start: old_no,
                    old_lines: 0,
                    new_start: new_no,
                    new_lines: 0,
                    section: String::new(),
                    body: String::new(),
                });
            }
            let hunk = hunks.last_mut().unwrap();
            hunk.old_lines += u32::from(on_old);
            hunk.new_lines += u32::from(on_new);
            let marker = [" ", "-", "+"][*op as usize];
            let end = if bare {
                "\n\\ No newline at end of file"
            } else {
                ""
            };
            writeln!(hunk.body, "{marker}{text}{end}").unwrap();
        }
        for (on, side, at_end) in [
            (on_old, &mut old, last_old == Some(i)),
            (on_new, &mut new, last_new == Some(i)),
        ] {
            if on {
                side.push_str(text);
                side.push_str(if at_end && !newline_at_end { "" } else { "\n" });
            }
        }
        old_no += u32::from(on_old);
        new_no += u32::from(on_new);
    }
    for hunk in &mut hunks {
        hunk.old_start -= u32::from(hunk.old_lines == 0);
        hunk.new_start -= u32::from(hunk.new_lines == 0);
    }
    Edited {
        old,
        new,
        hunks,
        newline_at_end,
    }
}

/// The two sides of files.
#[derive(Default)]
pub(crate) struct MapBlobs(pub(crate) BTreeMap<(Side, RepoPath), Vec<u8>>);

impl BlobSource for MapBlobs {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        Ok(self
            .0
            .get(&(side, path.clone()))
            .map(|bytes| bytes.as_slice().into()))
    }
}

/// A packet of one modified file.
fn packet_of(edited: &Edited, bounds: &Bounds) -> Packet {
    let mut blobs = MapBlobs::default();
    blobs
        .0
        .insert((Side::Old, "a.rs".into()), edited.old.clone().into_bytes());
    blobs
        .0
        .insert((Side::New, "a.rs".into()), edited.new.clone().into_bytes());
    let mut fill = |file: &mut FileChange| {
        file.hunks.clone_from(&edited.hunks);
        Ok(())
    };
    build(material(vec![file("a.rs")]), &mut fill, &blobs, bounds)
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
    let packet = packet_of(&edited, &Bounds::default());
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

#[test]
fn without_a_function_five_lines_above_and_one_below() {
    let lines: String = (1..=40).map(|n| format!(" {n}\n")).collect();
    let text = lines.replace(" 20\n", "-20\n+twenty\n");
    let edited = edit(&parse(&text), 3, true);
    let hunk = &packet_of(&edited, &Bounds::default()).files[0].hunks[0];
    assert_eq!(hunk.header(), "@@ -12,13 +12,13 @@");
}

#[test]
fn a_section_whose_line_is_shown_encloses_nothing_any_more() {
    let mut edited = edit(&parse(&FUNCTION[1..]), 3, true);
    edited.hunks[0].section = "fn first() {".to_owned();
    assert_eq!(
        packet_of(&edited, &Bounds::default()).files[0].hunks[0].section,
        ""
    );
}

#[test]
fn the_allowance_bounds_what_is_added() {
    let edited = edit(&parse(&FUNCTION[1..]), 3, true);
    for (file_lines, total_lines) in [(2, 100), (100, 2), (0, 0)] {
        let bounds = Bounds {
            file_lines,
            total_lines,
            ..Bounds::default()
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
        packet_of(&edited, &Bounds::default()).files[0].hunks,
        edited.hunks
    );
}

#[test]
fn a_patch_keeps_its_hunks() {
    let edited = edit(&parse(&FUNCTION[1..]), 3, true);
    let mut fill = |file: &mut FileChange| {
        file.hunks.clone_from(&edited.hunks);
        Ok(())
    };
    let packet = build(
        material(vec![file("a.rs")]),
        &mut fill,
        &NoBlobs,
        &Bounds::default(),
    );
    assert_eq!(packet.files[0].hunks, edited.hunks);
}

#[test]
fn every_file_is_covered_once_and_skipped_files_are_not_read() {
    let names = [
        "z.rs",
        "Cargo.lock",
        "broken.rs",
        "logo.png",
        "gen.go",
        "moved.rs",
    ];
    let mut files: Vec<_> = names.iter().map(|name| file(name)).collect();
    files[3].kind = FileKind::Binary;
    files[5].status = FileStatus::Renamed;
    files[5].old_path = Some("was.rs".into());
    let mut blobs = MapBlobs::default();
    let marked = b"// Code generated by x. DO NOT EDIT.\npackage y\n".to_vec();
    blobs.0.insert((Side::Old, "gen.go".into()), marked);
    let mut filled = Vec::new();
    let mut fill = |file: &mut FileChange| {
        filled.push(file.path.display().into_owned());
        match file.path.as_bytes() {
            b"broken.rs" => Err("object is missing".to_owned()),
            _ => Ok(()),
        }
    };
    let packet = build(material(files), &mut fill, &blobs, &Bounds::default());
    let paths: Vec<_> = packet.files.iter().map(|f| &f.path).collect();
    assert_eq!(
        paths,
        packet
            .coverage
            .files
            .iter()
            .map(|f| &f.path)
            .collect::<Vec<_>>()
    );
    assert_eq!(filled, ["broken.rs", "logo.png", "moved.rs", "z.rs"]);
    let states: Vec<_> = packet.coverage.files.into_iter().map(|f| f.state).collect();
    let skipped = |reason: &str| CoverageState::Skipped {
        reason: reason.to_owned(),
    };
    let reason = "object is missing".to_owned();
    assert_eq!(
        states,
        [
            skipped("lockfile (`Cargo.lock`)"),
            CoverageState::Unreadable { reason },
            skipped("generated (`generated … do not edit` on the old side)"),
            CoverageState::Reviewed,
            CoverageState::Reviewed,
            CoverageState::Reviewed,
        ]
    );
}

#[test]
fn only_the_old_side_is_believed_to_be_generated() {
    let marked = "// Code generated by x. DO NOT EDIT.\n";
    let mut blobs = MapBlobs::default();
    blobs
        .0
        .insert((Side::New, "a.go".into()), marked.as_bytes().to_vec());
    blobs
        .0
        .insert((Side::Old, "a.go".into()), b"package x\n".to_vec());
    let packet = build(
        material(vec![file("a.go")]),
        &mut |_| Ok(()),
        &blobs,
        &Bounds::default(),
    );
    assert_eq!(packet.coverage.files[0].state, CoverageState::Reviewed);
}

#[test]
fn what_was_binary_before_is_left_as_git_shows_it() {
    let mut blobs = MapBlobs::default();
    let before = b"// Code generated by x. DO NOT EDIT.\n\0\n".to_vec();
    blobs.0.insert((Side::Old, "a.go".into()), before);
    let whole = edit(&[(Op::Add, "package x".to_owned())], 3, true).hunks;
    let mut fill = |file: &mut FileChange| {
        file.hunks.clone_from(&whole);
        Ok(())
    };
    let packet = build(
        material(vec![file("a.go")]),
        &mut fill,
        &blobs,
        &Bounds::default(),
    );
    assert_eq!(packet.files[0].hunks, whole);
    assert_eq!(packet.coverage.files[0].state, CoverageState::Reviewed);
}

#[test]
fn configuration_takes_back_what_looks_generated() {
    let mut blobs = MapBlobs::default();
    blobs.0.insert(
        (Side::Old, "a.go".into()),
        b"// Code generated. DO NOT EDIT.\n".to_vec(),
    );
    let mut material = material(vec![file("a.go")]);
    material.ignore = IgnoreGlobs::new(&["!a.go".to_owned()]).unwrap();
    let packet = build(material, &mut |_| Ok(()), &blobs, &Bounds::default());
    assert_eq!(packet.coverage.files[0].state, CoverageState::Reviewed);
}

#[test]
fn the_same_material_has_the_same_bytes_in_any_order() {
    let make = |names: [&str; 3]| {
        let files = names.iter().map(|name| file(name)).collect();
        build(
            material(files),
            &mut |_| Ok(()),
            &NoBlobs,
            &Bounds::default(),
        )
    };
    let (a, b) = (make(["a", "b", "c"]), make(["c", "a", "b"]));
    assert_eq!(to_bytes(&a), to_bytes(&b));
    assert_eq!(digest(&a).len(), 64);
    assert_ne!(digest(&a), digest(&make(["a", "b", "d"])));
    assert_eq!(serde_json::from_slice::<Packet>(&to_bytes(&a)).unwrap(), a);
}

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
    #[test]
    fn every_line_of_every_hunk_is_the_blobs_line(
        lines in proptest::collection::vec(line(), 0..160),
        around in 0_usize..4,
        newline_at_end: bool,
        total_lines in prop_oneof![Just(20_000), 0_usize..30],
    ) {
        let edited = edit(&lines, around, newline_at_end);
        let bounds = Bounds { total_lines, ..Bounds::default() };
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
