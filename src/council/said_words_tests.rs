use proptest::prelude::*;

use super::*;

const LINE: &str = r#"query = f"SELECT id FROM users WHERE name = '{name}' ORDER BY {order}""#;

/// Different problems of that line, each in some judges' words.
const PROBLEMS: [&[&str]; 8] = [
    &[
        "The name goes into the SQL text unescaped: SQL injection.",
        "SQL injection.",
    ],
    &["The order goes into the SQL text unescaped: SQL injection."],
    &[
        "A name of None is put into the statement as the text None: the wrong user is found.",
        "A name of None finds the wrong user.",
    ],
    &["The name goes into the SQL text untrimmed, so a blank finds nobody."],
    &["The name goes into the log with the statement: log injection."],
    &["Every call scans the whole table, since no index covers the order."],
    &["The statement is compiled anew by each call; nothing is cached."],
    &["The name goes into the SQL text escaped twice, so that O'Brien is not found."],
];

fn says_no_more(now: &str, then: &str) -> bool {
    SaidWords::of(now, LINE).says_no_more_than(&SaidWords::of(then, LINE))
}

/// The same problem in a sentence that is built otherwise: turned round, in other letters, with words that say nothing.
fn reworded(words: &str, how: usize) -> String {
    match how % 5 {
        0 => words.to_uppercase(),
        1 => words.replace([',', ':', '.', ';'], " -"),
        2 => {
            let parts = words.trim_end_matches('.').split([':', ',']);
            let mut parts: Vec<&str> = parts.map(str::trim).collect();
            parts.reverse();
            parts.join("; ")
        }
        3 => format!("Here, in this very line of the code: {words}"),
        _ => format!("  {words}  "),
    }
}

proptest! {
    /// One problem is never taken for another one of the same line.
    #[test]
    fn one_problem_is_never_taken_for_another(
        one in 0..PROBLEMS.len(), other in 0..PROBLEMS.len(), said in 0usize..3, now in 0usize..3, how in 0usize..5,
    ) {
        prop_assume!(one != other);
        let said = PROBLEMS[one][said % PROBLEMS[one].len()];
        let now = PROBLEMS[other][now % PROBLEMS[other].len()];
        // Who names the kind alone does not say which of two injections is meant: the longer sentence tells it apart.
        prop_assume!(now != "SQL injection.");
        let now = reworded(now, how);
        prop_assert!(!says_no_more(&now, said), "{said:?} is taken for {now:?}");
    }

    /// The same problem in a sentence that only says it otherwise is the same one.
    #[test]
    fn a_problem_that_is_said_otherwise_is_the_same(
        one in 0..PROBLEMS.len(), said in 0usize..3, hows in prop::collection::vec(0usize..5, 0..3),
    ) {
        let said = PROBLEMS[one][said % PROBLEMS[one].len()];
        let now = hows.iter().fold(said.to_owned(), |words, how| reworded(&words, *how));
        prop_assert!(says_no_more(&now, said), "{said:?}: {now:?}");
    }
}

proptest! {
    /// What is said of one short name is not said of another one.
    #[test]
    fn short_names_tell_problems_apart(
        (one, other) in ("[b-hj-z]", "[b-hj-z]").prop_filter("two names", |(one, other)| one != other),
        form in 0_usize..4,
    ) {
        let quote = format!("memcpy(dst + {one}, src + {other}, {one});");
        let say = |name: &str| {
            [
                format!("{name} may be negative"),
                format!("`{name}` is null after a failed read"),
                format!("eval of {name} runs any code that the caller sends"),
                format!("The copy overflows when {name} is large"),
            ][form].clone()
        };
        let (one, other) = (say(&one), say(&other));
        let read = |said: &str| SaidWords::of(said, &quote);
        prop_assert!(!read(&one).says_no_more_than(&read(&other)));
        prop_assert!(read(&one).says_no_more_than(&read(&one.to_uppercase())));
        prop_assert!(read(&one).names_other_part_than(&read(&other)));
    }
}

/// Sentences that are alike but for one word of a pair, or one of several names.
#[test]
fn what_is_said_of_the_other_one_is_another_problem() {
    for (quote, one, other) in [
        (
            "return x[i] + x[j]",
            "x[i] is out of range",
            "x[j] is out of range",
        ),
        (
            "copy(x, y)",
            "reads past the end of the source",
            "writes past the end of the target",
        ),
        (
            "copy(x, y)",
            "the first argument may be None",
            "the second argument may be None",
        ),
        (
            "copy(x, y)",
            "The lower bound is not checked",
            "The upper bound is not checked",
        ),
        (
            "copy(x, y)",
            "Fails for an empty list",
            "Fails for a full list",
        ),
        (
            "copy(x, y)",
            "It returns too many rows",
            "It returns too few rows",
        ),
    ] {
        let read = |said: &str| SaidWords::of(said, quote);
        for (one, other) in [(one, other), (other, one)] {
            assert!(!read(one).says_no_more_than(&read(other)), "{one}: {other}");
            assert!(
                read(one).names_other_part_than(&read(other)),
                "{one}: {other}"
            );
        }
        let both = format!("{one}; {other}");
        assert!(read(one).says_no_more_than(&read(&both)), "{both}");
    }
}

#[test]
fn a_well_known_problem_is_known_in_other_words() {
    let said = "The name goes into the SQL text unescaped: SQL injection.";
    for now in [
        "SQL injection: the name is interpolated into the query.",
        "SQL injection",
        "The name is concatenated into SQL.",
        "User input is interpolated into the SQL query.",
    ] {
        assert!(says_no_more(now, said), "{now}");
    }
    for other in [
        "SQL injection through order.",
        "Command injection: the name reaches a shell.",
        "SQL injection aside, a name of None finds the wrong user.",
        "The name is not escaped twice.",
        "",
    ] {
        assert!(!says_no_more(other, said), "{other}");
    }
}
