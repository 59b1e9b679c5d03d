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
        Some(Value::String(id)) => id,
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    if let Some(Value::Object(_)) = fields.get("files") {
        let only = fields.remove("files");
        fields.insert("files".to_owned(), only.into_iter().collect());
    }
    fields.insert("finding".to_owned(), finding.clone().into());
    fields.entry("suite").or_insert_with(|| "".into());
    fields.entry("shows").or_insert_with(|| "defect".into());
    let test = Value::Object(fields);
    if Reproduction::deserialize(&test).is_ok() {
        test
    } else {
        json!({"finding": finding, "shows": "defect", "suite": "", "files": []})
    }
}

#[cfg(test)]
mod tests {
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
        ] {
            assert_eq!(read(other.clone()), expected, "{other}");
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
