//! Types that become answers field by field: models of pydantic, records and beans, structs that serde writes.

use council_syntax::language::Language;

use super::super::definitions::{DefinedName, DefinitionKind};
use super::super::fields::declared_field;
use super::super::read_side::ReadSide;
use super::super::search::FileOutline;
use super::super::words::is_name;
use super::spelling;

/// The fields of several words that the edited lines of a side declare in such types, as they are written into answers.
pub(super) fn answer_fields(side: &ReadSide<'_>) -> Vec<String> {
    let mut found = Vec::new();
    for &line in &side.lines {
        let Some(place) = FieldPlace::at(side, line) else {
            continue;
        };
        let fields = place.fields().into_iter();
        let fields = fields.filter(|field| spelling::words_of(field).len() > 1);
        let fields = fields.filter(|field| place.becomes_answer(field));
        found.extend(fields.flat_map(|field| place.written_names(field)));
    }
    found
}

/// A line of a type that may declare fields.
pub(super) struct FieldPlace<'a> {
    language: Language,
    /// All of its file.
    text: &'a str,
    code: &'a str,
    /// The innermost type around it.
    pub(super) holder: &'a DefinedName,
    /// The head of the type with what stands above it.
    pub(super) head: String,
}

/// The innermost type around a line that stands in no function.
fn holding_type<'o>(outline: &'o FileOutline<'_>, line: u32) -> Option<&'o DefinedName> {
    let types = outline.definitions.iter().filter(|one| {
        let lines = one.start.min(one.head)..=one.end;
        one.kind == DefinitionKind::Type && lines.contains(&line)
    });
    let is_plain = outline.function_span(line).is_none();
    types.max_by_key(|one| one.head).filter(|_| is_plain)
}

/// The head of a type with what stands above it.
pub(super) fn head_of(outline: &FileOutline<'_>, holder: &DefinedName) -> String {
    const MAX_ABOVE: u32 = 12;
    let first = holder
        .start
        .min(holder.head)
        .max(holder.head.saturating_sub(MAX_ABOVE));
    let lines = (first..=holder.head).map(|line| outline.line(line));
    lines.collect::<Vec<_>>().join("\n")
}

impl<'a> FieldPlace<'a> {
    /// A line that stands in a type and in no function.
    pub(super) fn at(side: &'a ReadSide<'_>, line: u32) -> Option<Self> {
        let outline = &side.outline;
        let holder = holding_type(outline, line)?;
        Some(Self {
            language: outline.language(),
            text: side.text,
            code: outline.line(line),
            holder,
            head: head_of(outline, holder),
        })
    }

    /// The fields that the line declares, also among the parameters of a record.
    pub(super) fn fields(&self) -> Vec<&'a str> {
        let code = self.code;
        if let Some(field) = declared_field(self.language, code) {
            return vec![field];
        }
        match self.language {
            Language::CSharp if code.contains("{ get") => {
                let declared = code.split('{').next().and_then(last_name);
                declared.into_iter().collect()
            }
            Language::Java | Language::CSharp if self.is_record() => parameters_of(code)
                .split(',')
                .filter_map(last_name)
                .collect(),
            Language::Kotlin | Language::Scala => {
                let parts = parameters_of(code).split(',').map(str::trim);
                let field = |part| declared_field(self.language, part);
                parts.filter_map(field).collect()
            }
            _ => Vec::new(),
        }
    }

    fn is_record(&self) -> bool {
        self.head.split_whitespace().any(|word| word == "record")
    }

    fn says(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.head.contains(word))
    }

    /// Whether a field is written into answers, as far as its file says it.
    fn becomes_answer(&self, field: &str) -> bool {
        match self.language {
            Language::Rust => self.says(&[
                "Serialize",
                "Deserialize",
                "pyclass",
                "napi",
                "wasm_bindgen",
            ]),
            Language::Python => self.is_model() && self.is_typed(field),
            Language::Kotlin | Language::Scala => {
                let is_data = self.says(&["data class", "case class", "@Serializable"]);
                is_data && !self.code.contains("private")
            }
            Language::Java | Language::CSharp => {
                let is_data = self.is_record()
                    || self.says(&["@Data", "@Value", "@Getter", "@Json", "@Entity"]);
                let is_shown = self.code.contains("public ") || has_getter(self.text, field);
                (is_data || is_shown) && !self.code.contains(" static ")
            }
            _ => false,
        }
    }

    /// Of Python: a class with a parent that is no exception and no list of values, or one made of its fields.
    fn is_model(&self) -> bool {
        let last = self.head.rsplit('\n').next().unwrap_or_default();
        let is_other = self.says(&["Exception", "Error)", "Enum", "Protocol"]);
        (last.contains('(') && !is_other) || self.says(&["dataclass", "@define", "@attr"])
    }

    /// Of Python: a field has a type. What only gets a value tells how the class works.
    fn is_typed(&self, field: &str) -> bool {
        let behind = self.code.trim_start().strip_prefix(field);
        let is_made = ["models.", "serializers.", "fields."]
            .iter()
            .any(|word| self.code.contains(word));
        behind.is_some_and(|behind| behind.trim_start().starts_with(':')) || is_made
    }

    /// How a field is spelled in answers.
    fn written_names(&self, field: &str) -> Vec<String> {
        let has_humps = || {
            ["to_camel", "alias_generator"]
                .iter()
                .any(|word| self.text.contains(word))
        };
        match self.language {
            Language::CSharp => vec![spelling::camel(field)],
            Language::Rust if self.says(&["camelCase"]) => vec![spelling::camel(field)],
            Language::Java | Language::Kotlin if self.says(&["SnakeCase"]) => {
                vec![spelling::snake(field)]
            }
            Language::Python if has_humps() => vec![field.to_owned(), spelling::camel(field)],
            _ => vec![field.to_owned()],
        }
    }
}

/// What stands in the brackets of a head, or the whole of a line of a longer list.
fn parameters_of(code: &str) -> &str {
    let is_head = ["record ", "class "].iter().any(|word| code.contains(word));
    let opened = code.split_once('(').filter(|_| is_head);
    let code = opened.map_or(code, |(_, inner)| inner);
    match code.matches(')').count() > code.matches('(').count() {
        true => code.rsplit_once(')').map_or(code, |(inner, _)| inner),
        false => code,
    }
}

/// The name behind a type.
fn last_name(code: &str) -> Option<&str> {
    let code = code.trim();
    let name = code.rsplit(|c: char| !is_name(c)).next()?;
    (!name.is_empty() && name.len() < code.len()).then_some(name)
}

fn has_getter(text: &str, field: &str) -> bool {
    let mut letters = field.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    text.contains(&format!(
        "get{}{}(",
        first.unwrap_or_default(),
        letters.as_str()
    ))
}
