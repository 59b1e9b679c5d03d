//! Tests of judges in other forms than the one that is asked for. A test is an extra: what is wrong with one must not
//! cost the answer that it stands in.

use council_protocol::reproduction::Reproduction;
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// The most tests of an answer that are kept: those that are too many are told.
const MAX_KEPT: usize = 20;

/// Puts the tests of an answer into the form that is read. What cannot be read becomes a test without a file, so that
/// it is told that it was not run.
pub(super) fn straighten_tests(answer: &mut Value) {
    let Some(tests) = answer.get_mut("reproductions") else {
        return;
    };
    let brought = match tests.take() {
        Value::Array(brought) => brought,
        Value::Null => Vec::new(),
        single => vec![single],
    };
    let brought = brought.into_iter().take(MAX_KEPT);
    *tests = brought.map(straightened).collect();
}

fn straightened(test: Value) -> Value {
    let mut fields = match test {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let finding = match fields.remove("finding") {
        Some(Value::String(id)) => id.trim().trim_start_matches('#').to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let test = json!({
        "finding": finding,
        "shows": if claims_no_defect(fields.get("shows")) { "no_defect" } else { "defect" },
        "suite": fields.get("suite").and_then(Value::as_str).unwrap_or_default(),
        "files": files_of(&mut fields),
    });
    if Reproduction::deserialize(&test).is_ok() {
        test
    } else {
        json!({"finding": finding, "shows": "defect", "suite": "", "files": []})
    }
}

/// Words of a claim that there is nothing wrong; all else is brought for a defect.
const NO_DEFECT: [&str; 9] = [
    "no", "not", "none", "sound", "correct", "refutes", "refuted", "passes", "false",
];

fn claims_no_defect(shows: Option<&Value>) -> bool {
    match shows {
        Some(Value::Bool(shown)) => !shown,
        Some(Value::String(words)) => {
            let words = words.to_lowercase();
            words
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| NO_DEFECT.contains(&word))
        }
        _ => false,
    }
}

/// The files of a test: a list, a single one, texts by their paths, or one that stands in the test itself.
fn files_of(fields: &mut Map<String, Value>) -> Vec<Value> {
    let named = |files: Map<String, Value>| -> Vec<Value> {
        if ["path", "file", "name"]
            .iter()
            .any(|name| files.contains_key(*name))
        {
            return vec![Value::Object(files)];
        }
        let file = |(path, content)| json!({"path": path, "content": content});
        files.into_iter().map(file).collect()
    };
    let files = match fields.remove("files") {
        Some(Value::Array(files)) => files,
        Some(Value::Object(files)) => named(files),
        _ if fields.contains_key("content") => {
            let own = ["path", "file", "name", "content"];
            let own = own.iter().filter_map(|name| fields.remove_entry(*name));
            vec![Value::Object(own.collect())]
        }
        _ => Vec::new(),
    };
    files.into_iter().map(straightened_file).collect()
}

/// A file with a path as the repository has it, and its lines as one text.
fn straightened_file(file: Value) -> Value {
    let Value::Object(mut fields) = file else {
        return file;
    };
    let path = ["path", "file", "name"];
    let path = path.iter().find_map(|name| fields.remove(*name));
    let path = path.as_ref().and_then(Value::as_str).unwrap_or_default();
    let content = match fields.remove("content") {
        Some(Value::Array(lines)) if lines.iter().all(Value::is_string) => {
            let lines = lines.iter().filter_map(Value::as_str);
            lines
                .map(|line| format!("{}\n", line.trim_end_matches('\n')))
                .collect::<String>()
                .into()
        }
        other => other.unwrap_or_default(),
    };
    json!({"path": path.trim().trim_start_matches("./"), "content": content})
}

#[cfg(test)]
mod tests {
    use council_protocol::reproduction::ReproductionClaim;
    use proptest::prelude::*;

    use super::*;

    fn read(tests: Value) -> Vec<Reproduction> {
        let mut answer = json!({"verdict": "FAIL", "reproductions": tests});
        straighten_tests(&mut answer);
        assert_eq!(answer["verdict"], "FAIL");
        serde_json::from_value(answer["reproductions"].take()).unwrap()
    }

    #[test]
    fn a_test_is_read_in_every_plain_form() {
        let file = json!({"path": "test_a.py", "content": "x"});
        let proper = json!({"finding": "1", "shows": "defect", "suite": "", "files": [file]});
        let expected = read(json!([proper]));
        assert_eq!(expected[0].files.len(), 1);
        for other in [
            json!([{"finding": 1, "shows": "defect", "suite": "", "files": [file]}]),
            json!([{"finding": "1", "shows": "defect", "files": [file]}]),
            json!([{"finding": "1", "files": file}]),
            json!({"finding": 1, "shows": "defect", "files": file}),
            json!([{"finding": "#1", "shows": "Defect", "files": [file]}]),
            json!([{"finding": 1, "shows": "proved", "files": {"test_a.py": "x"}}]),
            json!([{"finding": 1, "shows": true, "path": "./test_a.py", "content": "x"}]),
            json!([{"finding": 1, "file": "test_a.py", "content": "x"}]),
        ] {
            assert_eq!(read(other.clone()), expected, "{other}");
        }
    }

    #[test]
    fn what_a_test_is_brought_for_is_read_in_every_spelling() {
        let shows = |claim: Value| {
            let file = json!({"path": "test_a.py", "content": ["a", "b"]});
            let read = read(json!([{"finding": 1, "shows": claim, "files": [file]}]));
            assert_eq!(read[0].files[0].content, "a\nb\n");
            read[0].shows
        };
        for claim in ["no_defect", "no-defect", "No defect", "none", "sound"] {
            assert_eq!(shows(json!(claim)), ReproductionClaim::NoDefect, "{claim}");
        }
        for claim in ["defect", "Defect", "DEFECT", "proved", "bug"] {
            assert_eq!(shows(json!(claim)), ReproductionClaim::Defect, "{claim}");
        }
        assert_eq!(shows(json!(false)), ReproductionClaim::NoDefect);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[a-z1]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            let names = prop_oneof!["finding", "shows", "suite", "files", "path", "content", "x"];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(names, inner, 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Whatever stands in the place of the tests, the answer can be read, and each of them is still there.
        #[test]
        fn no_test_costs_its_answer(tests in prop::collection::vec(any_value(), 0..6)) {
            let count = tests.len();
            prop_assert_eq!(read(Value::from(tests)).len(), count);
        }

        #[test]
        fn no_form_of_the_list_costs_its_answer(tests in any_value()) {
            read(tests);
        }
    }
}
