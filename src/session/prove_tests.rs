use std::collections::BTreeMap;

use council_protocol::change::{BlobError, FileKind, Hunk, NoBlobs};
use council_protocol::packet::{PACKET_VERSION, Target, TargetKind};

use super::*;

pub(super) struct Blobs(pub(super) BTreeMap<(Side, &'static str), &'static str>);

impl BlobSource for Blobs {
    fn read(&self, side: Side, path: &RepoPath) -> Result<Option<Arc<[u8]>>, BlobError> {
        let path = std::str::from_utf8(path.as_bytes()).unwrap();
        Ok(self.0.get(&(side, path)).map(|text| text.as_bytes().into()))
    }
}

fn change(path: &str, status: FileStatus, hunks: &[(u32, u32, &str)]) -> FileChange {
    let hunk = |&(old_start, new_start, body): &(u32, u32, &str)| Hunk {
        old_start,
        old_lines: 0,
        new_start,
        new_lines: 0,
        section: String::new(),
        body: body.into(),
    };
    FileChange {
        path: path.into(),
        old_path: None,
        status,
        kind: FileKind::Text,
        old_mode: 0o100644,
        new_mode: 0o100644,
        old_id: None,
        new_id: None,
        old_size: None,
        new_size: None,
        similarity: None,
        moved_from: None,
        lossy: false,
        hunks: hunks.iter().map(hunk).collect(),
    }
}

pub(super) fn packet() -> Arc<Packet> {
    let hunks = [
        (
            10,
            10,
            " fn pay() {\n-    check_balance()?;\n+    transfer(amount);\n }\n",
        ),
        (40, 40, "+let password = \"hunter2secret\";\n"),
    ];
    Arc::new(Packet {
        version: PACKET_VERSION,
        target: Target {
            kind: TargetKind::Patch,
            label: "x".into(),
            slug: "x".into(),
            base: None,
            head: None,
            only: Vec::new(),
        },
        files: vec![
            change("gone.rs", FileStatus::Deleted, &[(1, 0, "-fn gone() {}\n")]),
            change("pay.rs", FileStatus::Modified, &hunks),
        ],
        instructions: Vec::new(),
        coverage: Default::default(),
        framing: Default::default(),
    })
}

const PAY: &str = "use x;\nfn pay() {\n    transfer(amount);\n}\n";

fn with_blobs() -> QuoteProver {
    let blobs = [
        ((Side::New, "pay.rs"), PAY),
        ((Side::New, "other.rs"), "fn other() {}\n"),
        ((Side::New, "zero\u{200b}.rs"), "fn zero() {}\n"),
        ((Side::New, "a<U+200B>.rs"), "fn real() {}\n"),
        ((Side::New, "a\u{200b}.rs"), "fn other() {}\n"),
        ((Side::Old, "gone.rs"), "fn gone() {}\n"),
    ];
    QuoteProver::new(packet(), Arc::new(Blobs(blobs.into())), Redactor::default())
}

fn from_patch() -> QuoteProver {
    QuoteProver::new(packet(), Arc::new(NoBlobs), Redactor::default())
}

fn prove(prover: &mut QuoteProver, path: &str, line: u32, quote: &str) -> ProofWithContext {
    let location = Location {
        path: path.into(),
        line,
        end_line: None,
    };
    prover.prove_quote(&location, quote)
}

fn is_unverified(found: ProofWithContext) -> bool {
    !found.0.resolves() && found.1.is_empty()
}

#[test]
fn a_quote_is_found_where_it_stands_with_the_lines_around_it() {
    let mut prover = with_blobs();
    let context = "pay\nfn pay() {\ntransfer(amount);\n}";
    let found = prove(&mut prover, "pay.rs", 3, "transfer(amount);");
    assert_eq!(found, (Proof::Verified, context.to_owned()));
    let moved = prove(&mut prover, "pay.rs", 77, "transfer(amount);");
    assert_eq!(
        moved,
        (Proof::Relocated { line: 3 }, context.to_owned()),
        "the same context"
    );
    assert!(is_unverified(prove(
        &mut prover,
        "pay.rs",
        3,
        "transfer(everything);"
    )));
}

#[test]
fn a_file_of_the_tree_may_be_named_as_it_is_shown_unless_another_is_called_so() {
    let mut prover = with_blobs();
    for (path, quote) in [
        ("zero<U+200B>.rs", "fn zero() {}"),
        ("./zero<U+200B>.rs", "fn zero() {}"),
        ("a<U+200B>.rs", "fn real() {}"),
    ] {
        let found = prove(&mut prover, path, 1, quote);
        assert_eq!(found.0, Proof::Verified, "{path}");
    }
    assert!(is_unverified(prove(
        &mut prover,
        "one<U+200B>.rs",
        1,
        "fn zero() {}"
    )));
}

#[test]
fn any_file_of_the_reviewed_tree_is_evidence() {
    let mut prover = with_blobs();
    assert_eq!(
        prove(&mut prover, "other.rs", 1, "fn other() {}").0,
        Proof::Verified
    );
    assert!(is_unverified(prove(
        &mut prover,
        "nowhere.rs",
        1,
        "fn other() {}"
    )));
}

#[test]
fn a_deleted_file_is_searched_as_it_was() {
    for mut prover in [with_blobs(), from_patch()] {
        for claimed in [1, 7] {
            // No line of the reviewed side has that number: there is no such file.
            let found = prove(&mut prover, "gone.rs", claimed, "fn gone() {}").0;
            let removed = Proof::Removed {
                line: 1,
                old_line: 1,
            };
            assert_eq!(found, removed, "{claimed}");
        }
        let elsewhere = prove(&mut prover, "gone.rs", 1, "fn other() {}");
        assert!(is_unverified(elsewhere));
    }
}

#[test]
fn a_removed_line_is_evidence_at_the_place_where_it_stood() {
    for mut prover in [with_blobs(), from_patch()] {
        let found = prove(&mut prover, "pay.rs", 11, "check_balance()?;");
        assert_eq!(
            found,
            (
                Proof::Removed {
                    line: 11,
                    old_line: 11
                },
                "check_balance()?;".to_owned()
            )
        );
    }
}

/// The same guard may stand in another function that the change leaves as it was. A list of Markdown has the mark of its own.
#[test]
fn a_line_that_is_quoted_with_the_mark_of_a_diff_is_the_removed_one() {
    let over = |text: &'static str| {
        let blobs = Blobs([((Side::New, "pay.rs"), text)].into());
        QuoteProver::new(packet(), Arc::new(blobs), Redactor::default())
    };
    let guard = "fn refund() {\n    check_balance()?;\n}\nfn pay() {\n    transfer(amount);\n}\n";
    let removed = Proof::Removed {
        line: 11,
        old_line: 11,
    };
    for quote in [
        "-    check_balance()?;",
        "- check_balance()?;",
        "  11 -    check_balance()?;",
    ] {
        for claimed in [2, 5, 11] {
            let found = prove(&mut over(guard), "pay.rs", claimed, quote).0;
            assert_eq!(found, removed, "{quote} at {claimed}");
        }
    }
    let stands = prove(&mut over(guard), "pay.rs", 2, "check_balance()?;").0;
    assert_eq!(stands, Proof::Verified);
    let listed = prove(
        &mut over("- check_balance()?;\n"),
        "pay.rs",
        1,
        "- check_balance()?;",
    )
    .0;
    assert_eq!(listed, Proof::Verified);
}

#[test]
fn without_blobs_the_lines_that_the_patch_shows_are_searched() {
    let mut prover = from_patch();
    assert_eq!(
        prove(&mut prover, "pay.rs", 11, "transfer(amount);").0,
        Proof::Verified
    );
    let moved = prove(&mut prover, "pay.rs", 14, "transfer(amount);").0;
    assert_eq!(moved, Proof::Relocated { line: 11 });
    let across = prove(
        &mut prover,
        "pay.rs",
        12,
        "}\nlet password = \"hunter2secret\";",
    );
    assert!(
        is_unverified(across),
        "a quote does not reach from hunk to hunk"
    );
    assert!(is_unverified(prove(
        &mut prover,
        "other.rs",
        1,
        "fn other() {}"
    )));
}

#[test]
fn a_finding_about_a_whole_file_needs_no_quote_but_a_changed_file() {
    let mut prover = with_blobs();
    assert_eq!(prove(&mut prover, "pay.rs", 0, "").0, Proof::Verified);
    assert!(is_unverified(prove(&mut prover, "other.rs", 0, "")));
    assert!(is_unverified(prove(&mut prover, "pay.rs", 3, "")));
}

#[test]
fn who_was_shown_redacted_text_may_quote_it() {
    let mut prover = from_patch();
    let quotes = [
        "let password = \"[redacted: secret]\";",
        "let password = \"hunter2secret\";",
    ];
    for quote in quotes {
        assert_eq!(
            prove(&mut prover, "pay.rs", 40, quote).0,
            Proof::Verified,
            "{quote}"
        );
    }
    let other = "let password = \"[redacted: other]\";";
    assert!(is_unverified(prove(&mut prover, "pay.rs", 40, other)));
}

/// What was dismissed in one function says nothing of the same lines in another, nor of a second copy in the same one.
#[test]
fn the_same_lines_elsewhere_have_another_context() {
    let context = |text: &'static str, line| {
        let blobs = Blobs([((Side::New, "pay.py"), text)].into());
        let mut prover = QuoteProver::new(packet(), Arc::new(blobs), Redactor::default());
        let (proof, context) = prove(&mut prover, "pay.py", line, "except:");
        assert_eq!(proof, Proof::Verified);
        context
    };
    let body = "    try:\n        pay()\n    except:\n        pass\n";
    let text = |text: String| -> &'static str { text.leak() };
    let alone = context(text(format!("def a():\n{body}")), 4);
    let beside = text(format!("def a():\n{body}\n\n\ndef chargeback():\n{body}"));
    assert_eq!(
        context(beside, 4),
        alone,
        "the other function is another place"
    );
    assert_ne!(context(beside, 12), alone);
    let moved = text(format!("import x\n\n\ndef a():\n{body}"));
    assert_eq!(context(moved, 7), alone, "lines may move");
    let twice = text(format!("def a():\n{body}{body}"));
    assert_ne!(context(twice, 8), alone);
    assert_ne!(context(twice, 4), context(twice, 8));
}

/// "This was here, and now that is": removed and added lines in one quote, as a brief shows them.
#[test]
fn a_hunk_is_found_as_the_brief_shows_it() {
    let quotes = [
        "10  fn pay() {\n   -    check_balance()?;\n11 +    transfer(amount);\n12  }",
        "-    check_balance()?;\n+    transfer(amount);",
    ];
    for mut prover in [with_blobs(), from_patch()] {
        for (line, quote) in [(10, quotes[0]), (11, quotes[1])] {
            let (proof, _) = prove(&mut prover, "pay.rs", line, quote);
            assert_eq!(proof, Proof::Verified, "{quote}");
        }
        let (proof, _) = prove(
            &mut prover,
            "pay.rs",
            11,
            "-    check_all()?;\n+    transfer(amount);",
        );
        assert!(!proof.resolves(), "{proof:?}");
    }
}

/// The rules of one user hide more from models, and a finding has the name that it has for everybody else.
#[test]
fn a_users_own_rules_give_no_finding_another_context() {
    let token = ["gh", "p_dynXlrwd9AhTHt1v44qX7Uou0urzsh0XnaXx"].concat();
    let line = format!("x = load(\"{token}\", url=\"https://x.corp.acme.com/a\")");
    let text: &'static str =
        format!("import y\n{line}\nhost = \"https://y.corp.acme.com\"\n").leak();
    let rule = "[[rules]]\nid = \"host\"\nregex = '''https?://[a-z.]+\\.acme\\.com[^ '\"]*'''\n";
    let table = council_secrets::SecretTable::parse(rule).unwrap();
    let quote = Redactor::default()
        .redact_source(Some("pay.py"), &line)
        .text;
    let [alone, hiding] = [Redactor::default(), Redactor::with_table(table)].map(|redactor| {
        let blobs = Blobs([((Side::New, "pay.py"), text)].into());
        let mut prover = QuoteProver::new(packet(), Arc::new(blobs), redactor);
        let (proof, context) = prove(&mut prover, "pay.py", 2, &quote);
        assert_eq!(proof, Proof::Verified);
        context
    });
    assert_eq!(alone, hiding);
    assert!(!alone.contains(&token), "{alone}");
}

/// Law: of a line that stood in several functions which the change takes away, the one is meant that had the number, and no
/// other's name.
#[test]
fn a_removed_line_is_the_one_that_had_the_number() {
    let body: String = ["report", "account", "wallet"]
        .map(|name| format!("-fn {name}() {{\n-    check_balance()?;\n-    send();\n-}}\n"))
        .concat();
    let mut packet = Packet::clone(&packet());
    packet.files = vec![change("pay.rs", FileStatus::Modified, &[(1, 1, &body)])];
    let blobs = Blobs([((Side::New, "pay.rs"), "use x;\n")].into());
    let (packet, blobs) = (Arc::new(packet), Arc::new(blobs));
    let mut contexts = std::collections::BTreeSet::new();
    for old_line in [2, 6, 10] {
        for quote in ["check_balance()?;", "-    check_balance()?;"] {
            let mut prover = QuoteProver::new(packet.clone(), blobs.clone(), Redactor::default());
            let (proof, context) = prove(&mut prover, "pay.rs", old_line, quote);
            assert_eq!(proof, Proof::Removed { line: 1, old_line }, "{quote}");
            contexts.insert((old_line, context));
        }
    }
    let names: std::collections::BTreeSet<_> = contexts.iter().map(|(_, name)| name).collect();
    assert_eq!((contexts.len(), names.len()), (3, 3), "{contexts:?}");
}

/// Whoever names a line by the number that it had, and quotes it as it stood there, does not mean the same line elsewhere.
#[test]
fn a_removed_line_is_not_the_one_that_stands_in_another_function() {
    let body = " fn pay() {\n-    check_balance()?;\n     transfer(amount);\n }\n";
    let mut packet = Packet::clone(&packet());
    packet.files = vec![change("pay.rs", FileStatus::Modified, &[(1, 1, body)])];
    let text = "fn pay() {\n    transfer(amount);\n}\nfn refund() {\n    check_balance()?;\n}\n";
    let blobs = Blobs([((Side::New, "pay.rs"), text)].into());
    let mut prover = QuoteProver::new(Arc::new(packet), Arc::new(blobs), Redactor::default());
    let mut at = |line| prove(&mut prover, "pay.rs", line, "    check_balance()?;").0;
    assert_eq!(
        at(2),
        Proof::Removed {
            line: 2,
            old_line: 2
        }
    );
    assert_eq!(at(5), Proof::Verified);
}
