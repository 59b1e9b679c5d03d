use proptest::prelude::*;

use super::*;

fn told(raw: &str) -> Vec<String> {
    lost_findings(raw).describe().collect()
}

#[test]
fn a_finding_is_told_whatever_word_rates_it() {
    for word in [
        "error", "major", "P0", "crit", "must-fix", "schwer", "🔴", "",
    ] {
        let raw = format!(
            r#"{{"verdict":"FAIL","findings":[{{"severity":"{word}","description":"SQL injection.",
               "location":{{"path":"a.py","line":8}}}}]}}"#
        );
        let expected = format!("a.py:8: SQL injection. [rated \"{word}\"] (unproved)");
        assert_eq!(told(&raw), [expected]);
    }
}

#[test]
fn a_finding_that_is_not_rated_is_told() {
    for rating in ["", r#""severity":null,"#, r#""why":"w","#] {
        let raw = format!(
            r#"{{"verdict":"FAIL","findings":[{{{rating}"description":"x","location":{{"path":"a.py","line":8}}}}]}}"#
        );
        assert_eq!(told(&raw), ["a.py:8: x [not rated] (unproved)"], "{raw}");
    }
    let number = r#"{"findings":[{"level": 1, "message": "x", "file": "a.py", "line": 8}]}"#;
    assert_eq!(told(number), ["a.py:8: x [rated \"1\"] (unproved)"]);
}

/// Each finding is told with its own words, also where the rating stands behind them, as the form asks for it.
#[test]
fn no_finding_is_told_with_the_words_of_another() {
    let raw = r#"[{"location":{"path":"a.py","line":1},"description":"one","severity":"critical"},
        {"location":{"path":"b.py","line":2},"description":"two","severity":"minor"}]"#;
    assert_eq!(told(raw), ["critical a.py:1: one (unproved)"]);
}

#[test]
fn what_is_no_finding_is_none() {
    for raw in [
        r#"{"verdict":"PASS","severity":"none","description":"Fine.","findings":[]}"#,
        r#"{"verdict":"PASS","responses":[{"to":"A1","evidence":{"path":"a.py","line":1,"quote":"x"}}]}"#,
        r#"{"name":"write_file","arguments":{"path":"a.py","text":"x"}}"#,
        r#"{"findings":[{"severity":"nit","description":"x","location":{"path":"a.py","line":1}}]}"#,
        "The severity of this is low, in whatever file: none.",
    ] {
        assert_eq!(told(raw), [""; 0], "{raw}");
    }
}

/// Where no object can be told from another, the words around the rating are told.
#[test]
fn a_finding_in_another_form_is_told_with_its_block() {
    let yaml = "verdict: FAIL\nfindings:\n  - path: a.py\n    line: 8\n    severity: error\n    description: SQL injection.\n\
                \x20 - path: b.py\n    severity: minor\n";
    let [told_yaml] = told(yaml).try_into().unwrap();
    for part in ["a.py", "8", "SQL injection.", "rated \"error\""] {
        assert!(told_yaml.contains(part), "{told_yaml}");
    }
    let python = "{'verdict': 'FAIL', 'findings': [{'severity': 'error', 'path': 'a.py', 'line': 8, 'description': 'SQL'}]}";
    let [told_python] = told(python).try_into().unwrap();
    assert!(
        told_python.contains("'line': 8, 'description': 'SQL'"),
        "{told_python}"
    );
}

/// A finding of a reply: where it is, and its words.
fn finding() -> impl Strategy<Value = (String, u32, String)> {
    (
        "[a-z]{1,8}/[a-z_]{1,8}\\.(py|rs|go)",
        1..9_999_u32,
        "[A-Z][a-z]{2,8} [a-z]{3,8} [a-zé]{3,8}",
    )
}

/// A word for how bad something is that is none of ours, or none at all.
fn rating() -> impl Strategy<Value = Option<String>> {
    let word = "[A-Za-zÀ-ÿ][A-Za-z0-9_ /-]{0,14}";
    let is_ours = |word: &str| is_mild(word) || is_critical(word);
    prop::option::of(word.prop_filter("a word of ours", move |word| !is_ours(word)))
}

proptest! {
    /// A law: whatever word rates a finding, wherever it stands among the fields, and whatever is wrong with the reply,
    /// the finding is told with its path, its line and its words.
    #[test]
    fn a_finding_is_known_by_its_shape(
        found in prop::collection::vec((finding(), rating(), 0..4_usize), 1..4),
        fault in 0..5_usize, is_flat in any::<bool>(), is_later in any::<bool>(),
    ) {
        let item = |((path, line, words), rating, place): &((String, u32, String), Option<String>, usize)| {
            let location = match is_flat {
                true => format!("\"path\": {path:?}, \"line\": {line}"),
                false => format!("\"location\": {{\"path\": {path:?}, \"line\": {line}}}"),
            };
            let mut fields = vec![format!("\"description\": {words:?}"), location, "\"quote\": \"x = {\"".to_owned()];
            if let Some(word) = rating {
                fields.insert(*place, format!("\"severity\": {word:?}"));
            }
            let item = format!("{{{}}}", fields.join(", "));
            if is_later { format!("{{\"tag\": \"new\", \"finding\": {item}}}") } else { item }
        };
        let items: Vec<String> = found.iter().map(item).collect();
        let raw = format!("{{\"verdict\": \"FAIL\", \"findings\": [{}], \"key_insight\": \"i\"}}", items.join(",\n"));
        let raw = match fault {
            0 => raw,
            1 => raw.replace("\"i\"}", "\"i\",}"),
            2 => raw[..raw.rfind(", \"key_insight\"").unwrap()].to_owned(),
            3 => format!("Here is what I think: {raw}"),
            _ => format!("```json\n{raw}\n```\nThat's {{all}}."),
        };
        let lost = lost_findings(&raw);
        prop_assert_eq!(lost.count(), found.len(), "{}", raw);
        for ((path, line, words), _, _) in &found {
            let named = format!("{path}:{line}: {words}");
            prop_assert!(lost.describe().any(|told| told.contains(&named)), "{}\n{:?}", raw, lost);
        }
    }
}
