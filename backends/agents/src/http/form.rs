//! The schema of answers as APIs are given it.

use std::sync::OnceLock;

use serde_json::Value;

/// One schema for all rounds: another one would empty the provider's cache.
pub(super) fn answer_schema() -> &'static Value {
    static SCHEMA: OnceLock<Value> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let mut schema = crate::schema::schema_of_every_form();
        drop_bounds(&mut schema);
        schema
    })
}

/// Without bounds of numbers, which one of the providers refuses.
fn drop_bounds(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|name, value| {
                !(matches!(name.as_str(), "minimum" | "maximum") && value.is_number())
            });
            fields.values_mut().for_each(drop_bounds);
        }
        Value::Array(parts) => parts.iter_mut().for_each(drop_bounds),
        _ => {}
    }
}

/// The text in a structured reply to a turn that wants none: the schema stays the same from turn to turn.
pub(super) fn text_in(raw: &str) -> Option<String> {
    let value: Value = serde_json::from_str(raw.trim()).ok()?;
    let field = |name: &str| {
        value[name]
            .as_str()
            .filter(|text| !text.trim().is_empty())
            .map(str::to_owned)
    };
    field("restatement")
        .or_else(|| field("position"))
        .or_else(|| field("key_insight"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_the_fields_of_every_form_and_no_bounds() {
        let text = answer_schema().to_string();
        assert!(
            ["findings", "restatement", "ballot", "document"]
                .iter()
                .all(|f| text.contains(f))
        );
        assert!(
            !text.contains("minimum") && !text.contains("$ref"),
            "{text}"
        );
        assert_eq!(answer_schema()["additionalProperties"], false);
    }

    #[test]
    fn a_structured_restatement_is_the_text_in_it() {
        assert_eq!(
            text_in(r#"{"restatement": "I said no."}"#).as_deref(),
            Some("I said no.")
        );
        assert_eq!(
            text_in(r#"{"restatement": null, "key_insight": "k"}"#).as_deref(),
            Some("k")
        );
        assert_eq!(text_in("I said no."), None);
    }
}
