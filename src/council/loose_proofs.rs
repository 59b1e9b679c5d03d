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
    let fields = match test {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let text = |name: &str| match fields.get(name) {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let files = match fields.get("files") {
        // A test that is no list of files is one of them itself.
        None | Some(Value::Null) => file_of(&fields).into_iter().collect(),
        Some(files) => files_of(files),
    };
    let mut test = json!({
        "finding": text("finding").trim_start_matches('#'),
        "shows": claim_of(fields.get("shows")),
        "suite": text("suite"),
        "files": files,
    });
    if Reproduction::deserialize(&test).is_err() {
        test["files"] = json!([]);
    }
    test
}

/// What a test is brought for. Its runs prove a defect whatever its judge calls it, so that all but a plain denial is one.
fn claim_of(shows: Option<&Value>) -> &'static str {
    const DENIALS: [&str; 10] = [
        "nodefect",
        "notadefect",
        "nobug",
        "noproblem",
        "notreal",
        "passes",
        "refuted",
        "refutes",
        "falsepositive",
        "false",
    ];
    let letters = |text: &str| -> String {
        let letters = text.chars().filter(|c| c.is_alphabetic());
        letters.flat_map(char::to_lowercase).collect()
    };
    let denies = match shows {
        Some(Value::String(text)) => DENIALS.contains(&&*letters(text)),
        Some(Value::Bool(is_defect)) => !is_defect,
        _ => false,
    };
    if denies { "no_defect" } else { "defect" }
}

/// The files of a test: a list of them, one alone, or an object of paths and contents.
fn files_of(files: &Value) -> Vec<Value> {
    match files {
        Value::Array(files) => files.iter().flat_map(files_of).collect(),
        Value::Object(fields) => match file_of(fields) {
            Some(file) => vec![file],
            None => {
                let by_path = fields.iter();
                let by_path =
                    by_path.filter_map(|(path, content)| Some(file(path, content_of(content)?)));
                by_path.collect()
            }
        },
        _ => Vec::new(),
    }
}

/// The names by which models give a path and a content.
const PATHS: [&str; 4] = ["path", "file", "filename", "name"];
const CONTENTS: [&str; 5] = ["content", "contents", "code", "text", "source"];

fn file_of(fields: &Map<String, Value>) -> Option<Value> {
    let named = |names: &[&str]| names.iter().find_map(|name| fields.get(*name));
    let path = named(&PATHS)?.as_str()?;
    Some(file(path, content_of(named(&CONTENTS)?)?))
}

fn file(path: &str, content: String) -> Value {
    let path = path.trim();
    json!({"path": path.strip_prefix("./").unwrap_or(path), "content": content})
}

/// A text, or its lines.
fn content_of(content: &Value) -> Option<String> {
    match content {
        Value::String(text) => Some(text.clone()),
        Value::Array(lines) => {
            let lines: Option<Vec<&str>> = lines.iter().map(Value::as_str).collect();
            Some(lines?.join("\n"))
        }
        _ => None,
    }
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
            json!([{"finding": "#1", "shows": "Defect", "files": {"test_a.py": "x"}}]),
            json!([{"finding": " 1", "shows": "proved", "files": {"./test_a.py": ["x"]}}]),
            json!([{"finding": "1", "shows": true, "path": "./test_a.py", "content": "x"}]),
            json!([{"finding": "1", "shows": ["defect"], "file": "test_a.py", "code": "x"}]),
            json!({"finding": 1, "shows": "defect", "files": file}),
        ] {
            assert_eq!(read(other.clone()), expected, "{other}");
        }
    }

    #[test]
    fn whatever_is_no_plain_denial_is_brought_for_a_defect() {
        let shows = |value: Value| read(json!([{"finding": "1", "shows": value}]))[0].shows;
        for denial in [
            json!("no_defect"),
            json!("No defect"),
            json!("no-defect"),
            json!("NoDefect"),
            json!(false),
        ] {
            assert_eq!(
                shows(denial.clone()),
                ReproductionClaim::NoDefect,
                "{denial}"
            );
        }
        for other in [
            json!("Defect"),
            json!("proved"),
            json!("x"),
            json!(1),
            json!(true),
        ] {
            assert_eq!(shows(other.clone()), ReproductionClaim::Defect, "{other}");
        }
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
