use council_protocol::{Location, Severity};

use super::*;

fn finding(line: u32, category: &str, description: &str) -> Finding {
    Finding {
        severity: Severity::Significant,
        category: category.into(),
        rule: None,
        description: description.into(),
        location: Location {
            path: "a.rs".into(),
            line,
            end_line: None,
        },
        quote: format!("line {line}"),
        why: String::new(),
        fix: String::new(),
        suggestion: None,
        reference: None,
    }
}

fn groups(findings: &[(SeatIndex, Finding)]) -> usize {
    let places: Vec<_> = findings
        .iter()
        .map(|(c, f)| ComparedFinding::new(*c, f, &Proof::Verified, false))
        .collect();
    group_findings(&places).len()
}

const A: SeatIndex = SeatIndex(0);
const B: SeatIndex = SeatIndex(1);

const SQL: &str = "the SQL query is concatenated from user input";

#[test]
fn two_judges_on_one_line_mean_the_same_when_they_speak_of_the_same() {
    let a = finding(10, "injection", SQL);
    let b = finding(
        10,
        "security",
        "user input is concatenated into the query string",
    );
    assert_eq!(groups(&[(A, a.clone()), (B, b)]), 1);
    let mut other = finding(10, "naming", "this function wants a better name");
    other.quote = "another part of line 10".into();
    assert_eq!(groups(&[(A, a), (B, other)]), 2);
}

#[test]
fn one_place_is_one_finding_in_whatever_words() {
    let english = finding(10, "injection", SQL);
    let german = finding(
        10,
        "Sicherheit",
        "Nutzereingaben landen ungefiltert in der Abfrage",
    );
    assert_eq!(
        groups(&[(A, english.clone()), (B, german.clone())]),
        1,
        "the same line and quote"
    );
    let mut elsewhere = german.clone();
    elsewhere.quote = "nur ein Teil der Zeile".into();
    assert_eq!(groups(&[(A, english.clone()), (B, elsewhere.clone())]), 2);
    elsewhere.category = "Injection".into();
    assert_eq!(
        groups(&[(A, english), (B, elsewhere)]),
        1,
        "the same line and category"
    );
}

#[test]
fn the_same_done_to_other_things_on_near_lines_is_two_problems() {
    let said = |line: u32, quote: &str, description: &str| Finding {
        quote: quote.into(),
        ..finding(line, "memory", description)
    };
    let unnamed = "the length is not checked before the copy";
    let one = said(10, "memcpy(header, src, n);", unnamed);
    let two = said(12, "memcpy(body, src, n);", unnamed);
    assert_eq!(
        groups(&[(A, one.clone()), (B, two)]),
        2,
        "one statement, other names"
    );
    let named = said(
        12,
        "if (!body) return;",
        "the body is not checked before the copy",
    );
    let header = said(
        10,
        "memcpy(header, src, n);",
        "the header is not checked before the copy",
    );
    assert_eq!(groups(&[(A, header), (B, named)]), 2, "each names its own");
    let freed = said(10, "free(p);", "the block is freed twice in a row");
    let again = said(12, "free(p);", "the block is freed twice in a row");
    assert_eq!(
        groups(&[(A, freed), (B, again)]),
        1,
        "one problem, cited at either end"
    );
    let built = said(10, "query = \"SELECT \" + name", SQL);
    let run = said(
        11,
        "cursor.execute(query)",
        "the SQL query is run with user input",
    );
    assert_eq!(
        groups(&[(A, built), (B, run)]),
        1,
        "one flow over two lines"
    );
    let says = |line: u32, quote: &str, description: &str| Finding {
        quote: quote.into(),
        ..finding(line, "injection", description)
    };
    for (makes, uses, first, second) in [
        (
            "cmd = eval(req.args['q'])",
            "os.system(cmd)",
            "Untrusted input reaches eval.",
            "Untrusted input reaches a shell.",
        ),
        (
            "p = malloc(n);",
            "strcpy(p, s);",
            "Memory safety: p may be NULL.",
            "Memory safety: p may overflow.",
        ),
    ] {
        let made = says(10, makes, first);
        let used = says(11, uses, second);
        assert_eq!(groups(&[(A, made), (B, used)]), 2, "{makes}");
    }
}

/// "return cache[key]" of two functions that follow on each other: who mends or dismisses one has not looked at the other.
#[test]
fn the_same_code_in_two_functions_is_two_problems() {
    let found = |line| Finding {
        quote: "return cache[key]".into(),
        ..finding(
            line,
            "logic",
            "The entry may be missing, and the call fails.",
        )
    };
    let (one, two) = (found(10), found(13));
    let count = |proof: &Proof, functions: [Option<u32>; 2]| {
        let places = [
            ComparedFinding::new(A, &one, &Proof::Verified, false).in_function(functions[0]),
            ComparedFinding::new(B, &two, proof, false).in_function(functions[1]),
        ];
        group_findings(&places).len()
    };
    assert_eq!(count(&Proof::Verified, [Some(9), Some(12)]), 2);
    assert_eq!(
        count(&Proof::Verified, [Some(9), Some(9)]),
        1,
        "one function"
    );
    assert_eq!(
        count(&Proof::Verified, [Some(9), None]),
        1,
        "nobody knows where the other one stands"
    );
    assert_eq!(
        count(&Proof::Relocated { line: 13 }, [Some(9), Some(12)]),
        1,
        "the other judge may have meant the first line"
    );
}

#[test]
fn a_judge_that_names_both_places_tells_two_problems_apart() {
    let found = |line| Finding {
        quote: "run(query)".into(),
        ..finding(line, "injection", SQL)
    };
    let (one, two) = (found(10), found(12));
    assert_eq!(groups(&[(A, one.clone()), (B, two.clone())]), 1);
    let both = [(A, one.clone()), (A, two.clone()), (B, two.clone())];
    assert_eq!(groups(&both), 2);
    let all = [(A, one.clone()), (A, two.clone()), (B, one), (B, two)];
    assert_eq!(groups(&all), 2);
}

#[test]
fn an_accent_in_one_character_or_two_is_one_quote() {
    let said = |quote: &str, description: &str| Finding {
        quote: quote.into(),
        ..finding(10, "", description)
    };
    let (one, two) = (
        said("open(\"caf\u{e9}\")", "a leak"),
        said("open(\"cafe\u{301}\")", "ein Leck"),
    );
    assert_eq!(groups(&[(A, one), (B, two)]), 1);
}

#[test]
fn a_rules_hit_is_about_its_rule() {
    let hit = |line: u32, rule: &str| Finding {
        rule: Some(rule.into()),
        ..finding(line, "secrets", "a key is in the code")
    };
    let together = |a: Finding, b: Finding, is_rule: bool| {
        let places = [
            ComparedFinding::new(A, &a, &Proof::Verified, true),
            ComparedFinding::new(B, &b, &Proof::Verified, is_rule),
        ];
        group_findings(&places).len() == 1
    };
    assert!(together(hit(5, "aws-key"), hit(5, "aws-key"), true));
    assert!(
        !together(hit(5, "aws-key"), hit(4, "aws-key"), true),
        "another hit of the same rule"
    );
    assert!(
        !together(hit(5, "aws-key"), hit(4, "private-key"), true),
        "another rule on the next line"
    );
    assert!(
        !together(hit(5, "aws-key"), hit(5, "private-key"), true),
        "another rule on the same line"
    );
    assert!(together(
        hit(5, "aws-key"),
        finding(5, "Secrets", "the key leaks"),
        false
    ));
    assert!(!together(
        hit(5, "aws-key"),
        finding(5, "naming", "a key is in the code"),
        false
    ));
    assert!(!together(
        hit(5, "aws-key"),
        finding(6, "secrets", "a key is in the code"),
        false
    ));
}

#[test]
fn distance_file_and_proof_keep_apart() {
    let finding = |line, category: &str, description: &str| Finding {
        quote: "run(query)".into(),
        ..finding(line, category, description)
    };
    let a = finding(10, "injection", SQL);
    assert_eq!(
        groups(&[(A, a.clone()), (B, finding(13, "injection", SQL))]),
        1
    );
    assert_eq!(
        groups(&[(A, a.clone()), (B, finding(14, "injection", SQL))]),
        2
    );
    let mut elsewhere = a.clone();
    elsewhere.location.path = "b.rs".into();
    assert_eq!(groups(&[(A, a.clone()), (B, elsewhere)]), 2);
    let unconfirmed = Proof::Unverified {
        reason: String::new(),
    };
    let places = [
        ComparedFinding::new(SeatIndex(0), &a, &Proof::Verified, false),
        ComparedFinding::new(SeatIndex(1), &a, &unconfirmed, false),
    ];
    assert_eq!(group_findings(&places).len(), 2);
}

#[test]
fn a_relocated_finding_stands_where_it_was_found() {
    let (a, b) = (finding(10, "injection", SQL), finding(90, "injection", SQL));
    let places = [
        ComparedFinding::new(SeatIndex(0), &a, &Proof::Verified, false),
        ComparedFinding::new(SeatIndex(1), &b, &Proof::Relocated { line: 10 }, false),
    ];
    assert_eq!(group_findings(&places).len(), 1);
}

#[test]
fn a_judges_own_findings_stay_apart() {
    let (a, b) = (finding(10, "injection", SQL), finding(11, "injection", SQL));
    assert_eq!(groups(&[(A, a.clone()), (A, b)]), 2);
    assert_eq!(groups(&[(A, a.clone()), (A, a)]), 1);
}

/// A judge that quotes lines above and below the one that another judge quotes alone means that line, where both call it
/// alike; its quote stands at its first line.
#[test]
fn a_quote_with_lines_around_it_is_of_the_line_that_another_judge_quotes() {
    let line = "return total / len(items)";
    let mut alone = finding(11, "edge-case", "An empty list raises an error.");
    alone.quote = line.into();
    for (first, quote) in [
        (10, format!("total += item.price\n    {line}")),
        (10, format!("total += item.price ... {line}")),
        (
            9,
            format!("for item in items:\n    total += item.price\n{line}"),
        ),
        (11, format!("{line}\n\ndef rate(items):")),
    ] {
        let mut block = finding(
            first,
            "edge-case",
            "Bei leerer Liste wird durch null geteilt.",
        );
        block.quote = quote;
        let both = [(A, alone.clone()), (B, block.clone())];
        assert_eq!(groups(&both), 1, "{block:?}");
        // What each calls otherwise, in other words, may be two problems of the block.
        block.category = "rounding".into();
        let both = [(A, alone.clone()), (B, block)];
        assert!(first == 11 || groups(&both) == 2);
    }
}
