//! The laws of clusters: what is one finding whatever its words, and what is never one however alike.

use council_protocol::{Location, Severity};
use proptest::prelude::*;
use proptest::sample::select;

use super::*;

/// A finding and whose it is.
#[derive(Debug, Clone)]
struct Said {
    seat: SeatIndex,
    is_rule: bool,
    finding: Finding,
    proof: Proof,
    function: Option<u32>,
}

impl Said {
    fn compared(&self) -> ComparedFinding<'_> {
        ComparedFinding::new(self.seat, &self.finding, &self.proof, self.is_rule)
            .in_function(self.function)
    }
}

/// Words of several languages: some are shared, most are not.
fn words() -> impl Strategy<Value = String> {
    const WORDS: [&str; 14] = [
        "the",
        "query",
        "input",
        "user",
        "Nutzereingabe",
        "ungeprüft",
        "Abfrage",
        "注入",
        "脆弱性",
        "внедрение",
        "requête",
        "lost",
        "overflows",
        "name",
    ];
    prop::collection::vec(select(&WORDS[..]), 0..7).prop_map(|words| words.join(" "))
}

fn category() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "injection",
            "Injection",
            "Sicherheit",
            "naming",
            "logic",
            "",
        ][..],
    )
}

fn quote() -> impl Strategy<Value = &'static str> {
    select(
        &[
            "let query = build(name);",
            "build(name)",
            "return total;",
            "",
        ][..],
    )
}

prop_compose! {
    fn finding()(
        category in category(),
        rule in prop::option::of(select(&["sql", "secret", "marker"][..])),
        description in words(),
        path in select(&["a.rs", "b.rs"][..]),
        line in 0u32..14,
        length in prop::option::of(0u32..4),
        quote in quote(),
    ) -> Finding {
        Finding {
            severity: Severity::Critical,
            category: category.into(),
            rule: rule.map(str::to_owned),
            description,
            location: Location { path: path.into(), line, end_line: length.map(|more| line + more) },
            quote: quote.into(),
            why: String::new(),
            fix: String::new(),
            suggestion: None,
            reference: None,
        }
    }
}

prop_compose! {
    fn said()(seat in 0usize..5, finding in finding(), is_real in prop::bool::weighted(0.85)) -> Said {
        // The first two seats are rules; a model names none.
        let is_rule = seat < 2;
        let rule = finding.rule.clone().filter(|_| is_rule);
        let finding = Finding { rule, ..finding };
        let proof = if is_real { Proof::Verified } else { Proof::Unverified { reason: String::new() } };
        Said { seat: SeatIndex(seat), is_rule, finding, proof, function: None }
    }
}

fn groups(said: &[Said]) -> Vec<Vec<usize>> {
    let places: Vec<_> = said.iter().map(Said::compared).collect();
    group_findings(&places)
}

fn together(a: &Said, b: &Said) -> bool {
    let groups = groups(&[a.clone(), b.clone()]);
    groups.len() == 1
}

fn models(a: Said, b: Said) -> (Said, Said) {
    let of = |seat: usize, said: Said| Said {
        seat: SeatIndex(seat),
        is_rule: false,
        finding: Finding {
            rule: None,
            ..said.finding
        },
        proof: Proof::Verified,
        function: None,
    };
    (of(2, a), of(3, b))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Two models, one place in the code: one finding, in whatever words and categories.
    #[test]
    fn the_same_line_and_quote_are_one_finding(a in said(), b in said(), line in 1u32..99) {
        let (mut a, mut b) = models(a, b);
        b.finding.location.path = a.finding.location.path.clone();
        (a.finding.location.line, b.finding.location.line) = (line, line);
        (a.finding.location.end_line, b.finding.location.end_line) = (None, None);
        a.finding.quote = "let query = build(name);".into();
        b.finding.quote = "  let query =  build(name); ".into();
        prop_assert!(together(&a, &b), "{:?} {:?}", a, b);
    }

    /// What a judge copies with a quote, or leaves out of it, makes no other finding of it.
    #[test]
    fn a_near_missed_quote_of_one_line_is_one_finding(a in said(), b in said(), line in 1u32..99, how in 0usize..7) {
        const LINE: &str = "os.system(\"ls \" + value)";
        let (mut a, mut b) = models(a, b);
        b.finding.location = Location { line, end_line: None, ..a.finding.location.clone() };
        (a.finding.location.line, a.finding.location.end_line) = (line, None);
        (a.finding.category, b.finding.category) = ("injection".into(), "Sicherheit".into());
        a.finding.quote = LINE.into();
        b.finding.quote = [
            format!("`{LINE}`"),
            format!("{line} +{LINE}"),
            format!("{LINE}  # lists a folder"),
            LINE[3..].to_owned(),
            format!("{LINE}\n    return value"),
            format!("```python\n{LINE}\n```"),
            LINE.replace(' ', "  "),
        ][how].clone();
        prop_assert!(together(&a, &b), "{:?}", b.finding.quote);
    }

    /// Two models, one line and one category: one finding, in whatever words and whichever part they quote.
    #[test]
    fn the_same_line_and_category_are_one_finding(a in said(), b in said(), line in 1u32..99) {
        let (mut a, mut b) = models(a, b);
        b.finding.location = Location { line, ..a.finding.location.clone() };
        a.finding.location.line = line;
        (a.finding.location.end_line, b.finding.location.end_line) = (None, None);
        a.finding.category = "injection".into();
        b.finding.category = " INJECTION ".into();
        prop_assert!(together(&a, &b), "{:?} {:?}", a, b);
    }

    /// A hit of one rule says nothing of another one, on the same line or beside it, however alike the words.
    #[test]
    fn two_rules_are_never_one_finding(a in said(), b in said()) {
        let of = |seat: usize, rule: &str, said: Said| Said {
            seat: SeatIndex(seat),
            is_rule: true,
            finding: Finding { rule: Some(rule.into()), ..said.finding },
            proof: Proof::Verified,
            function: None,
        };
        let a = of(0, "aws-key", a);
        let mut b = of(1, "private-key", b);
        prop_assert!(!together(&a, &b), "{:?} {:?}", a, b);
        b.finding = Finding { rule: b.finding.rule.clone(), ..a.finding.clone() };
        prop_assert!(!together(&a, &b), "alike but for the rule: {:?}", b);
    }

    /// A rule and a model agree only where they touch one place and speak of one thing: the next line is another matter.
    #[test]
    fn a_rule_confirms_nothing_beside_its_own_place(a in said(), b in said()) {
        let mut rule = a;
        (rule.seat, rule.is_rule, rule.proof) = (SeatIndex(0), true, Proof::Verified);
        let (model, _) = models(b.clone(), b);
        let (own, others) = (rule.compared(), model.compared());
        let apart = own.last < others.first || others.last < own.first;
        let other_matter = !own.same_category(&others);
        if apart || other_matter || own.path() != others.path() {
            prop_assert!(!together(&rule, &model), "{:?} {:?}", rule, model);
        }
    }

    /// Files, real and unreal quotes, and remarks on a file and on a line are never one.
    #[test]
    fn what_is_apart_stays_apart(said in prop::collection::vec(said(), 0..9)) {
        for group in groups(&said) {
            let first = &said[group[0]];
            for other in group.iter().map(|&i| &said[i]) {
                prop_assert_eq!(&first.finding.location.path, &other.finding.location.path);
                prop_assert_eq!(first.proof.resolves(), other.proof.resolves());
                prop_assert_eq!(first.finding.location.line == 0, other.finding.location.line == 0);
            }
        }
    }

    /// Every finding is in one group, and the order in which judges come plays no part.
    #[test]
    fn grouping_loses_nothing_and_knows_no_order(said in prop::collection::vec(said(), 1..9), turn in 0usize..9) {
        let found = groups(&said);
        let mut members: Vec<usize> = found.iter().flatten().copied().collect();
        members.sort_unstable();
        prop_assert!(members.into_iter().eq(0..said.len()), "{:?}", found);
        let by = turn % said.len();
        let mut turned = said.clone();
        turned.rotate_left(by);
        let back = |i: &usize| (i + by) % said.len();
        let sets = |groups: Vec<Vec<usize>>| groups.into_iter().map(BTreeSet::from_iter).collect::<BTreeSet<_>>();
        let again = groups(&turned).iter().map(|g| g.iter().map(back).collect()).collect();
        prop_assert_eq!(sets(found), sets(again));
    }

    /// A judge that names two places of one kind holds them for two; whoever names either, or both, in whatever words, makes
    /// no one of them.
    #[test]
    fn what_one_judge_tells_apart_stays_apart(
        a in said(),
        b in said(),
        line in 1u32..99,
        gap in 1u32..=NEAR,
        others in prop::collection::vec(any::<bool>(), 1..4),
    ) {
        let (mut one, _) = models(a, b);
        one.finding.location.line = line;
        one.finding.location.end_line = None;
        one.finding.category = "injection".into();
        one.finding.quote = "let query = build(name);".into();
        let mut two = one.clone();
        two.finding.location.line = line + gap;
        let mut all = vec![one.clone(), two.clone()];
        for (nth, is_first) in others.into_iter().enumerate() {
            let of = if is_first { &one } else { &two };
            all.push(Said { seat: SeatIndex(3 + nth), ..of.clone() });
        }
        let found = groups(&all);
        prop_assert_eq!(found.len(), 2, "{:?}", found);
    }

    /// The same code in two functions is two problems, whatever is said of it, if each judge named its line rightly.
    #[test]
    fn the_same_code_in_two_functions_is_never_one_finding(
        a in said(), b in said(), line in 1u32..99, gap in 1u32..=NEAR, functions in (1u32..50, 1u32..50),
    ) {
        let (mut a, mut b) = models(a, b);
        b.finding.location.path = a.finding.location.path.clone();
        (a.finding.location.line, b.finding.location.line) = (line, line + gap);
        (a.finding.location.end_line, b.finding.location.end_line) = (None, None);
        a.finding.quote = "return cache[key]".into();
        b.finding = Finding { location: b.finding.location, ..a.finding.clone() };
        let places = [a.compared().in_function(Some(functions.0)), b.compared().in_function(Some(functions.1))];
        prop_assume!(functions.0 != functions.1);
        prop_assert_eq!(group_findings(&places).len(), 2, "{:?} {:?}", a.finding, functions);
    }

    /// Other code on another line is another problem, of whichever kinds the two are and in however like words.
    #[test]
    fn other_code_on_another_line_is_never_the_same_finding(
        a in said(),
        b in said(),
        line in 1u32..99,
        gap in 1u32..=NEAR,
        quotes in select(&[
            ("os.remove(first)", "os.remove(second_one)"),
            ("os.system('ls ' + path)", "eval(path)"),
            ("cur.execute(\"select a where n = '\" + name)", "cur.execute(\"delete b where id = \" + uid)"),
            ("n = 10 / len(path)", "os.system('ls ' + path)"),
            ("log.info(t)", "open('/tmp/t', 'w').write(t)"),
        ][..]),
        is_one_kind in any::<bool>(),
        is_one_sentence in any::<bool>(),
    ) {
        let (mut a, mut b) = models(a, b);
        b.finding.location.path = a.finding.location.path.clone();
        (a.finding.location.line, b.finding.location.line) = (line, line + gap);
        (a.finding.location.end_line, b.finding.location.end_line) = (None, None);
        (a.finding.quote, b.finding.quote) = (quotes.0.into(), quotes.1.into());
        if is_one_kind {
            b.finding.category = a.finding.category.clone();
        }
        if is_one_sentence {
            b.finding.description = a.finding.description.clone();
        }
        prop_assert!(!together(&a, &b), "{:?} {:?}", a, b);
    }

    /// Whether an accent is a character of its own makes no other finding of it.
    #[test]
    fn how_an_accent_is_written_tells_nothing_apart(a in said(), b in said(), line in 1u32..99) {
        let (mut a, mut b) = models(a, b);
        b.finding.location = Location { line, end_line: None, ..a.finding.location.clone() };
        (a.finding.location.line, a.finding.location.end_line) = (line, None);
        (a.finding.category, b.finding.category) = ("one".into(), "other".into());
        a.finding.quote = "s = \"na\u{ef}ve caf\u{e9}\" + x".into();
        b.finding.quote = "s = \"nai\u{308}ve cafe\u{301}\" + x".into();
        prop_assert!(together(&a, &b), "{:?} {:?}", a, b);
    }
}

proptest! {
    /// Two judges who name two problems of two lines hold two findings, however alike they go on and though one line uses
    /// what the other one names: whoever dismisses one has not seen the other.
    #[test]
    fn problems_of_other_names_on_near_lines_are_two(
        a in said(), b in said(), line in 1u32..99, gap in 1u32..=NEAR,
        (one, other) in select(&[
            ("Path traversal", "Missing authorisation"), ("SQL injection", "Missing authorisation"), ("Race", "Open redirect"),
            ("Memory leak", "Null pointer"),
        ][..]),
        rest in "[a-z]{4,9} [a-z]{4,9} is not [a-z]{4,9}",
        (names, uses) in select(&[
            ("path = BASE + q", "os.remove(path)"), ("sql = 'DELETE ' + q", "db.execute(sql)"), ("url = f'{host}/x'", "go(url)"),
        ][..]),
    ) {
        let (mut a, mut b) = models(a, b);
        a.finding = Finding { description: format!("{one}: {rest}."), quote: names.into(), ..a.finding };
        b.finding = Finding { description: format!("{other}: {rest}."), quote: uses.into(), ..b.finding };
        let place = |line| Location { path: "a.rs".into(), line, end_line: None };
        (a.finding.location, b.finding.location) = (place(line), place(line + gap));
        b.finding.category.clone_from(&a.finding.category);
        prop_assert!(!together(&a, &b), "{:?} {:?}", a.finding, b.finding);
    }

    /// A general sentence about two lines that name nothing in common is about two problems, whatever its words.
    #[test]
    fn a_general_sentence_makes_no_one_finding_of_two_lines(a in said(), b in said(), line in 1u32..99, gap in 1u32..=NEAR) {
        let (mut a, mut b) = models(a, b);
        b.finding.location.path = a.finding.location.path.clone();
        (a.finding.location.line, b.finding.location.line) = (line, line + gap);
        (a.finding.location.end_line, b.finding.location.end_line) = (None, None);
        a.finding.quote = "os.remove(p)".into();
        b.finding.quote = "count = parse(argument)".into();
        for finding in [&mut a.finding, &mut b.finding] {
            finding.description = "The result is never checked here.".into();
        }
        prop_assert!(!together(&a, &b), "{:?} {:?}", a, b);
    }
}

/// The first lines of the functions of a file, each of three to six lines.
fn function_at(starts: &[u32], line: u32) -> Option<u32> {
    starts.iter().copied().rfind(|&start| start <= line)
}

prop_compose! {
    /// Judges that quote one text at their own lines, beside a few that misnumber it, name a stretch, or say other things.
    fn quoted_in_functions()(
        lengths in prop::collection::vec(3u32..7, 2..5),
        said in prop::collection::vec((said(), 1u32..14, prop::option::of(0u32..4), 0usize..6), 2..9),
    ) -> Vec<Said> {
        let starts: Vec<u32> = lengths.iter().scan(0, |start, length| {
            *start += length;
            Some(*start - length + 1)
        }).collect();
        let place = |(said, line, longer, kind): (Said, u32, Option<u32>, usize)| {
            let (mut said, _) = models(said.clone(), said);
            said.finding.location = Location { path: "a.rs".into(), line, end_line: longer.map(|more| line + more) };
            if kind > 0 {
                said.finding.quote = "let query = build(name);".into();
            }
            said.function = function_at(&starts, line);
            if kind == 1 {
                (said.proof, said.function) = (Proof::Relocated { line: line + 1 }, None);
            }
            said
        };
        let placed = said.into_iter().map(place).enumerate();
        placed.map(|(nth, said)| Said { seat: SeatIndex(2 + nth), ..said }).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// One text in two functions is never one finding, whoever misnumbers it or names a stretch between the two.
    #[test]
    fn one_text_in_two_functions_is_two_findings(said in quoted_in_functions()) {
        for group in groups(&said) {
            let members: Vec<_> = group.iter().map(|&at| said[at].compared()).collect();
            for (one, other) in members.iter().flat_map(|one| members.iter().map(move |other| (one, other))) {
                let is_one_text = same_text(&one.finding.quote, &other.finding.quote);
                let is_told = is_one_text && one.line_gap(other) > 0;
                let functions = one.function.zip(other.function);
                prop_assert!(!is_told || functions.is_none_or(|(a, b)| a == b), "{:?}", group);
            }
        }
    }

    /// Functions take findings apart and draw none together; without them, or in one alone, all stays as it is.
    #[test]
    fn functions_only_take_apart(said in quoted_in_functions(), by in 0usize..9) {
        let in_all = |function: Option<u32>| -> Vec<Vec<usize>> {
            let of = |one: &Said| Said { function, ..one.clone() };
            groups(&said.iter().map(of).collect::<Vec<_>>())
        };
        let (with, without) = (groups(&said), in_all(None));
        prop_assert_eq!(&in_all(Some(1)), &without);
        for group in &with {
            let is_within = |all: &Vec<usize>| group.iter().all(|at| all.contains(at));
            prop_assert!(without.iter().any(is_within), "{:?} of {:?}", group, without);
        }
        let mut turned = said.clone();
        let by = by % said.len();
        turned.rotate_left(by);
        let back = |at: &usize| (at + by) % said.len();
        let sets = |groups: Vec<Vec<usize>>| groups.into_iter().map(BTreeSet::from_iter).collect::<BTreeSet<_>>();
        let again = groups(&turned).iter().map(|group| group.iter().map(back).collect()).collect();
        prop_assert_eq!(sets(with), sets(again));
    }
}
