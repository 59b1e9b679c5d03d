//! Private keys that stand in the base already.

use council_protocol::Severity;

use super::file;
use crate::tests::wrong_classes::{assert_note, assert_warns, told};

/// A key as it stands in a fixture: its bodies begin alike, as those of one kind do.
fn pem(last: &str) -> String {
    let body = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgnwgL5DY4UB14sM6f";
    format!(
        "-----BEGIN PRI{{|}}VATE KEY-----\n{body}\nDikQdtqh2QW1ArfF4fc1{last}\n-----END PRI{{|}}VATE KEY-----\n"
    )
}

fn encoded(last: &str) -> String {
    format!(
        "tls.key: LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0tCk1JR0hBZ0VBTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEJHMHdh{last}=\n"
    )
}

#[test]
fn private_key_knows_a_key_that_the_fixtures_hold() {
    for key in [
        pem("VFzi"),
        encoded("d0lC"),
        "a: 1\n".to_owned() + &encoded("d0lC") + "b: 2\n",
    ] {
        for old in ["tests/tls/a.yml", "tests/b.yml", "tests/x/y/z.yml"] {
            let base = file(old, ' ', &("x: 1\n".to_owned() + &key));
            assert_note(
                "private-key",
                &(base + &file("tests/tls/new.yml", '+', &key)),
            );
        }
    }
    // Twice in one change it is told once.
    let twice = file("tests/a.yml", '+', &pem("VFzi")) + &file("tests/b.yml", '+', &pem("VFzi"));
    let levels: Vec<Severity> = told("private-key", &twice)
        .into_iter()
        .map(|(level, _)| level)
        .collect();
    assert_eq!(levels, [Severity::Significant, Severity::Minor]);
}

#[test]
fn a_key_that_is_not_wholly_the_old_one_warns() {
    let old = pem("VFzi");
    let base = file("tests/tls/a.yml", ' ', &old);
    let new = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgZZZZ5DY4UB14sM6f\n";
    let cut = old.replace("-----END PRI{|}VATE KEY-----\n", "");
    for text in [
        pem("XXXX"),
        // Right behind an old key, where its finding tells of what stands there.
        format!("{old}{new}"),
        format!("{old}\n# the real one\n{new}"),
        // Without an end nobody knows what is a part of it.
        cut.clone(),
        format!("{cut}{new}-----END PRI{{|}}VATE KEY-----\n"),
        // On one line with another one.
        format!("{} {new}", old.lines().collect::<Vec<_>>().join(" ")),
    ] {
        assert_warns(
            "private-key",
            &(base.clone() + &file("tests/tls/new.yml", '+', &text)),
        );
    }
    let base = file("tests/tls/a.yml", ' ', &encoded("d0lC"));
    for text in [
        encoded("d0lX"),
        encoded("d0lC").replace("=\n", "AAAA\n"),
        format!("{}bWV0aGluZyBlbHNl\n", encoded("d0lC")),
    ] {
        assert_warns(
            "private-key",
            &(base.clone() + &file("tests/tls/new.yml", '+', &text)),
        );
    }
}

/// A line by which a longer key begins is not the key.
#[test]
fn the_beginning_of_an_old_key_excuses_no_other_end() {
    let begun = encoded("d0lC").replace('=', "");
    let base = file(
        "tests/a.yml",
        ' ',
        &format!("{begun}Y29udGludWVkIGhlcmU=\n"),
    );
    let short = "Zm9y\nYmFy\n";
    assert_warns(
        "private-key",
        &(base + &file("tests/new.yml", '+', &(begun + short))),
    );
}

/// Outside of the tests, and from there into them, a copy is as bad as a key of its own.
#[test]
fn a_copy_counts_only_within_one_folder_of_tests() {
    for (old, new) in [
        ("deploy/a.pem", "tests/a.pem"),
        ("other/tests/a.pem", "tests/a.pem"),
        ("tests/a.pem", "deploy/a.pem"),
        ("deploy/a.pem", "public/a.pem"),
        ("testsuite/a.pem", "tests/a.pem"),
    ] {
        let text = file(old, ' ', &pem("VFzi")) + &file(new, '+', &pem("VFzi"));
        assert_warns("private-key", &text);
    }
}
