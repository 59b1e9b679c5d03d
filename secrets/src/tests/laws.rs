//! Laws of tokens and keys, however they are written.

use std::sync::LazyLock;

use crate::plausible::is_drawn;

use super::*;
use crate::samples::SecretSample;
use crate::steps::count_looked;

static SAMPLES: LazyLock<Vec<SecretSample>> = LazyLock::new(sample_secrets);

/// An escape of any character, as some language writes it.
fn escape() -> impl Strategy<Value = String> {
    let styles = 0_usize..10;
    let sign = "[A-Za-z0-9=:; ]".prop_map(|text| u32::from(text.as_bytes()[0]));
    let order = "(\\[[0-9]{0,3}(;[0-9]{1,3}){0,4}[A-Za-z]|\\(B)".prop_map(|text| text);
    let escape = (styles.clone(), sign).prop_map(|(style, sign)| write_escape(style, sign));
    let colour = (styles, order).prop_map(|(style, order)| write_escape(style, 0x1b) + &order);
    prop_oneof![escape, colour]
}

fn write_escape(style: usize, sign: u32) -> String {
    match style {
        0 => format!("\\x{sign:02x}"),
        1 => format!("\\u{sign:04X}"),
        2 => format!("\\U{sign:08x}"),
        3 => format!("\\{sign:03o}"),
        4 => format!("\\0{sign:03o}"),
        5 => format!("%{sign:02X}"),
        6 => format!("%25{sign:02X}"),
        7 => format!("={sign:02X}"),
        8 => format!("&#{sign}"),
        _ => format!("\\\\x{sign:02x}"),
    }
}

/// An escape of which no reader can mistake the end.
fn write_whole_escape(style: usize, sign: u32) -> String {
    match style {
        8 => format!("&#{sign};"),
        10 => format!("\\u{{{sign:x}}}"),
        _ => write_escape(style, sign),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whichever signs of a token are written as escapes, and in whose spelling.
    #[test]
    fn no_escape_within_a_token_hides_it(
        at in any::<prop::sample::Index>(), style in 0_usize..11, from in any::<prop::sample::Index>(),
        length in 1_usize..80,
    ) {
        let samples = &*SAMPLES;
        let sample = &samples[at.index(samples.len())];
        let table = SecretTable::built_in();
        let alone = table.find_secrets(&format!("f({})", sample.secret));
        let tokens = alone.iter().filter(|found| found.shape == crate::SecretShape::Token);
        let from = from.index(sample.secret.len());
        let signs = sample.secret.char_indices().map(|(at, sign)| match (from..from + length).contains(&at) {
            true if sign.is_ascii_graphic() => write_whole_escape(style, sign.into()),
            _ => sign.to_string(),
        });
        let line = format!("f({})", signs.collect::<String>());
        let found = table.find_secrets(&line);
        for token in tokens {
            let same = found.iter().find(|found| found.kind == token.kind);
            prop_assert!(same.is_some(), "{}: {line}", token.kind);
            prop_assert!(!redact(&line).0.contains(&line[same.unwrap().random.clone()]), "{line}");
        }
    }

    /// The same for the first line of a private key and for what stands behind it.
    #[test]
    fn no_escape_within_a_private_key_hides_it(style in 0_usize..11, from in 0_usize..100, length in 1_usize..8) {
        let body = "MC4CAQAwBQYDK2VwBCIEICR6BnYrek7qQvptOGQgo2xpuCztgRG9ojONY73PREO5";
        let key = format!("-----BEGIN {0}-----\\n{body}\\n-----END {0}-----\\n", "PRI\u{56}ATE KEY");
        let signs = key.char_indices().map(|(at, sign)| match (from..from + length).contains(&at) {
            true if !matches!(sign, '\\' | 'n') => write_whole_escape(style, sign.into()),
            _ => sign.to_string(),
        });
        let line = format!("{{\"k\": \"{}\"}}", signs.collect::<String>());
        let (shown, count) = redact(&line);
        prop_assert!(count == 1 && !shown.contains("nYrek7qQvptO"), "{line}: {shown}");
    }

    #[test]
    fn no_escape_hides_the_token_behind_it(
        at in any::<prop::sample::Index>(), before in "[a-z ]{0,6}", escapes in prop::collection::vec(escape(), 1..4),
    ) {
        let samples = &*SAMPLES;
        let sample = &samples[at.index(samples.len())];
        let alone = format!("f({})", sample.secret);
        let table = SecretTable::built_in();
        let kinds = |line: &str| -> Vec<String> {
            table.find_secrets(line).iter().map(|found| found.kind.to_owned()).collect()
        };
        let line = format!("{before}{}{}", escapes.concat(), sample.secret);
        let found = kinds(&line);
        for kind in kinds(&alone) {
            prop_assert!(found.contains(&kind), "{kind}: {line}");
        }
    }
}

/// Places where people repeat a password that stands in a setting above.
const REPEATED: [&str; 7] = [
    "    print(\"{}\")",
    "    # the staging server takes {} as well",
    "connect('db', 'root', '{}')",
    "curl -u admin:{} https://host/x",
    "if given == \"{}\":",
    "<!-- {} -->",
    "{}",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// A drawn value that one line of the change gives away as a secret is shown on none, in whatever place and file.
    #[test]
    fn a_known_value_is_shown_on_no_line_of_any_file(
        parts in prop::collection::vec("[A-Za-z]{1,3}[0-9]{1,2}", 6..9),
        place in prop::sample::select(&REPEATED[..]),
        file in prop::sample::select(&["a.py", "docs/x.md", "deploy.sh"][..]),
    ) {
        let value = parts.concat();
        prop_assume!(is_drawn(&value));
        let setting = format!("PASSWORD = \"{value}\"");
        let redactor = Redactor::default().knowing([(Some("a.py".into()), [setting.as_str()])]);
        prop_assume!(redactor.redact_source(Some("a.py"), &setting).secrets == 1);
        let line = place.replace("{}", &value);
        let shown = redactor.redact_source(Some(file), &line).text;
        prop_assert!(!shown.contains(&value), "{}", shown);
        prop_assert_eq!(redactor.redact_source(Some(file), &shown).text, shown);
    }

    /// The same of a text that nobody has read before: wherever in it the value is given away, above or below.
    #[test]
    fn a_value_that_one_line_gives_away_is_shown_on_none_of_its_text(
        parts in prop::collection::vec("[A-Za-z]{1,3}[0-9]{1,2}", 6..9),
        before in prop::collection::vec(prop::sample::select(&REPEATED[..]), 0..4),
        behind in prop::collection::vec(prop::sample::select(&REPEATED[..]), 0..4),
        file in prop::sample::select(&["a.py", "docs/x.md", "deploy.sh"][..]),
    ) {
        let value = parts.concat();
        prop_assume!(is_drawn(&value));
        let setting = "PASSWORD = \"{}\"";
        let redactor = Redactor::default();
        prop_assume!(redactor.redact_source(Some(file), &setting.replace("{}", &value)).secrets == 1);
        let lines: Vec<String> = before.iter().chain([&setting]).chain(&behind).map(|line| line.replace("{}", &value)).collect();
        let text = lines.join("\n");
        let shown = redactor.redact_source(Some(file), &text).text;
        prop_assert!(!shown.contains(&value), "{}", shown);
        prop_assert_eq!(shown.lines().count(), text.lines().count());
        prop_assert_eq!(redactor.redact_source(Some(file), &shown).text, shown);
    }

    /// The same of a shorter value where no code can stand.
    #[test]
    fn a_short_value_that_one_line_gives_away_is_shown_between_no_quotes(
        value in "[A-Z][a-z][0-9][A-Za-z0-9]{5,9}",
        place in prop::sample::select(&["print(\"{}\")", "if given == '{}':", "curl -u admin:{} https://host/x", "X={}"][..]),
        file in prop::sample::select(&["a.py", "docs/x.md", "deploy.sh"][..]),
    ) {
        prop_assume!(crate::value::is_drawn_value(&value));
        let text = format!("PASSWORD = \"{value}\"\n{}", place.replace("{}", &value));
        let shown = Redactor::default().redact_source(Some(file), &text).text;
        prop_assert!(!shown.contains(&value), "{}", shown);
    }

    /// Whoever calls a function as a password is called hides no line of it.
    #[test]
    fn a_known_value_that_may_be_code_hides_none(name in "[a-z]{4,8}(_[a-z]{3,8}|[A-Z][a-z]{3,8}){1,3}[0-9]{1,2}") {
        let setting = format!("PASSWORD = \"{name}\"");
        let redactor = Redactor::default().knowing([(Some("a.py".into()), [setting.as_str()])]);
        let line = format!("    {name}(user)");
        prop_assert_eq!(redactor.redact_source(Some("a.py"), &line).text, line);
    }
}

/// Law: what a line costs grows with it, and not with its square. Found by an attack: a name in one line of 600 kB
/// looked at everything that stood before it, for 14 seconds of a processor.
#[test]
fn the_work_for_a_line_of_values_grows_with_the_line() {
    for value in [
        "password=\"Zq77hhQ{}xyTTs\" ",
        "PASSWORD=Zq77hhQ{}xyTTs ",
        "[\"--token\", \"Zq77hhQ{}xyTTs\"] ",
        "set_password(\"Zq77hhQ{}xyTTs\") ",
        "https://me:Zq77hhQ{}xyTTs@db.internal.net/ ",
        "(\"password\", \"Zq77hhQ{}xyTTs\") ",
        "glpat-Zq77hhQ{}xyTTs0000 ",
        "DB_PASSWORD=Zq77hhQ{}xy&TTs ",
        "DB_PASSWORD=\"Zq77hhQ{}xy;TTs\" ",
        "password = a{} ? 'Zq77hhQ{}' : 'Zq77hhR{}' ",
        "<password><![CDATA[Zq77hhQ{}</password> ",
        "mysql -pZq77hhQ{} ; ",
    ] {
        let looked = |count: usize| {
            let values = (10_000..10_000 + count).map(|n| value.replace("{}", &n.to_string()));
            let line: String = values.collect();
            count_looked(|| drop(Redactor::default().redact_source(Some("a.sh"), &line)))
        };
        // Lines of more than 64 kB are all read by every rule.
        let (short, long) = (looked(5_000), looked(20_000));
        assert!(long <= 5 * short, "{value}: {short} and {long} bytes");
    }
}
