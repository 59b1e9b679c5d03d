//! What a judge looked up in the reviewed repository while it answered.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RepoPath;

/// One call of a tool by which a judge looks into the repository.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolCall {
    /// The tool, as the model named it. Untrusted text where `failed` is set.
    pub tool: String,
    /// What was asked for, in short and without secrets. Untrusted text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub asked: String,
    /// Bytes of the result.
    #[serde(default)]
    pub bytes: u64,
    /// How long it took, in milliseconds.
    #[serde(default)]
    pub elapsed_ms: u64,
    /// Whether it came to nothing: an unknown tool, bad arguments, no calls left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// Lines of the reviewed side that it showed whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<SeenLines>,
}

/// Lines of a file that a judge was shown.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SeenLines {
    /// The file on the reviewed side.
    pub path: RepoPath,
    /// The first line, from 1.
    pub first: u32,
    /// The last line.
    pub last: u32,
}

/// How often each tool was called, in words: `read_file 3, search 1`. Empty without calls.
pub fn count_in_words(calls: &[ToolCall]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for call in calls {
        // The name of a call that came to nothing may be anything.
        let name = if call.failed { "failed" } else { &call.tool };
        *counts.entry(name).or_default() += 1;
    }
    let parts: Vec<String> = counts
        .into_iter()
        .map(|(name, count)| format!("{name} {count}"))
        .collect();
    parts.join(", ")
}
