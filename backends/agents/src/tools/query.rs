//! What a model asks a tool for, read from its arguments.

use serde_json::{Map, Value};

/// The longest text of one argument, in bytes: no path, name or pattern of a reviewer is longer.
const MAX_ARGUMENT_BYTES: usize = 1024;

/// Lines of a file, from 1; an end that is missing is the file's own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LineRange {
    /// The first line.
    pub from: Option<u32>,
    /// The last line.
    pub to: Option<u32>,
}

/// One look-up. Every text in it is a model's: untrusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolQuery {
    /// Lines of a file of the reviewed tree.
    ReadFile {
        /// Its path in the repository.
        path: String,
        lines: LineRange,
    },
    /// Lines of the reviewed tree that a regular expression matches.
    Search {
        regex: String,
        /// Which files; none: all.
        glob: Option<String>,
    },
    /// Where a name is defined, and where it is used.
    Symbol { name: String },
    /// The commits that brought lines of a file.
    History {
        /// Its path in the repository.
        path: String,
        lines: LineRange,
    },
    /// Files of the reviewed tree.
    List {
        /// Which; none: all.
        glob: Option<String>,
    },
}

/// The most characters of an argument's name that is told back.
const MAX_SHOWN_NAME: usize = 40;

impl ToolQuery {
    /// The name under which a model calls the tool.
    pub fn tool_name(&self) -> &'static str {
        match self {
            Self::ReadFile { .. } => "read_file",
            Self::Search { .. } => "search",
            Self::Symbol { .. } => "symbol",
            Self::History { .. } => "history",
            Self::List { .. } => "list",
        }
    }

    /// Reads a call.
    ///
    /// # Errors
    /// What is wrong with it, for the model.
    pub fn parse(tool: &str, arguments: &Value) -> Result<Self, String> {
        let Some(fields) = arguments.as_object() else {
            return Err("the arguments have to be a JSON object".to_owned());
        };
        let known: &[&str] = match tool {
            "read_file" | "history" => &["path", "from", "to"],
            "search" => &["regex", "glob"],
            "symbol" => &["name"],
            "list" => &["glob"],
            _ => &[],
        };
        // A slip in a name must not become a search of everything, or a whole file.
        let odd = fields.keys().find(|name| !known.contains(&name.as_str()));
        if let Some(odd) = odd.filter(|_| !known.is_empty()) {
            let odd: String = odd.chars().take(MAX_SHOWN_NAME).collect();
            return Err(format!(
                "there is no argument `{odd}`; there are {}",
                known.join(", ")
            ));
        }
        Ok(match tool {
            "read_file" => Self::ReadFile {
                path: required(fields, "path")?,
                lines: line_range(fields)?,
            },
            "search" => Self::Search {
                regex: required(fields, "regex")?,
                glob: optional(fields, "glob")?,
            },
            "symbol" => Self::Symbol {
                name: required(fields, "name")?,
            },
            "history" => Self::History {
                path: required(fields, "path")?,
                lines: line_range(fields)?,
            },
            "list" => Self::List {
                glob: optional(fields, "glob")?,
            },
            _ => {
                return Err(
                    "there is no such tool: there are read_file, search, symbol, history and list"
                        .to_owned(),
                );
            }
        })
    }
}

fn required(fields: &Map<String, Value>, name: &str) -> Result<String, String> {
    optional(fields, name)?.ok_or_else(|| format!("`{name}` is missing"))
}

/// A text; an empty one is none.
fn optional(fields: &Map<String, Value>, name: &str) -> Result<Option<String>, String> {
    match fields.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) if text.len() > MAX_ARGUMENT_BYTES => Err(format!(
            "`{name}` is longer than {MAX_ARGUMENT_BYTES} bytes"
        )),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` has to be a string")),
    }
}

fn line_range(fields: &Map<String, Value>) -> Result<LineRange, String> {
    let range = LineRange {
        from: line(fields, "from")?,
        to: line(fields, "to")?,
    };
    match (range.from, range.to) {
        (Some(from), Some(to)) if to < from => Err("`to` is before `from`".to_owned()),
        _ => Ok(range),
    }
}

/// A line number. Some models write numbers as texts, or with a fraction of nothing.
fn line(fields: &Map<String, Value>, name: &str) -> Result<Option<u32>, String> {
    let number = match fields.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => text.trim().parse().ok(),
        Some(Value::Number(number)) => number.as_f64(),
        Some(_) => None,
    };
    let number: f64 = number
        .filter(|n| n.fract() == 0.0)
        .ok_or_else(|| format!("`{name}` has to be a whole number"))?;
    if number < 0.0 {
        return Err(format!("`{name}` is negative: lines count from 1"));
    }
    // What is beyond every file is the end of the file.
    Ok(Some((number.min(f64::from(u32::MAX)) as u32).max(1)))
}
