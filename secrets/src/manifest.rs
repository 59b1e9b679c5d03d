//! Secrets of Kubernetes: whatever their `stringData` and `data` hold is secret, under whichever name.

use std::ops::Range;

use crate::encoded_key::decode_base64;
use crate::matcher::PLACEHOLDER;
use crate::plausible::{is_literal, is_mixed_literal, is_placeholder, is_secret_name};

/// A shorter value says nothing.
const MIN_VALUE: usize = 6;

/// How far above a value its block may begin, in lines.
const MAX_ABOVE: usize = 200;

/// What is read of a manifest, line after line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SecretManifest {
    /// Whether the document says that it is a Secret.
    is_secret: bool,
    block: Option<Block>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    indent: usize,
    is_encoded: bool,
}

/// Where the value of a Secret stands in a line; `above` are the lines above it, the nearest first.
pub fn value_of_manifest<'l>(
    line: &str,
    above: impl IntoIterator<Item = &'l str>,
) -> Option<Range<usize>> {
    // Nearly all lines are done with here.
    line.contains(':').then_some(())?;
    let mut lines: Vec<&str> = above.into_iter().take(MAX_ABOVE).collect();
    let mut manifest = SecretManifest::default();
    while let Some(above) = lines.pop() {
        manifest.read_line(above);
    }
    manifest.read_line(line)
}

/// Whether a line may begin such a block.
pub fn may_begin_manifest(text: &str) -> bool {
    text.contains("stringData:") || text.contains("kind: Secret")
}

impl SecretManifest {
    /// Reads the next line: what of it is secret.
    pub(crate) fn read_line(&mut self, line: &str) -> Option<Range<usize>> {
        let text = line.trim_start_matches(' ');
        if text.starts_with("---") {
            *self = Self::default();
            return None;
        }
        let indent = line.len() - text.len();
        let text = text.trim_end();
        if text.is_empty() || text.starts_with('#') {
            return None;
        }
        if let Some(block) = self.block.as_ref().filter(|block| indent > block.indent) {
            return block.value_of(line);
        }
        self.block = None;
        match text {
            "kind: Secret" => self.is_secret = true,
            "stringData:" => {
                self.block = Some(Block {
                    indent,
                    is_encoded: false,
                })
            }
            "data:" if self.is_secret => {
                self.block = Some(Block {
                    indent,
                    is_encoded: true,
                })
            }
            _ => {}
        }
        None
    }
}

impl Block {
    fn value_of(&self, line: &str) -> Option<Range<usize>> {
        let (key, rest) = line.split_once(": ")?;
        let key = key.trim().trim_matches(['"', '\'']);
        let value = rest.trim().trim_matches(['"', '\'']);
        let is_secret = |value: &str| {
            let is_shaped = is_mixed_literal(value) || (is_secret_name(key) && is_literal(value));
            value.len() >= MIN_VALUE && is_shaped && !is_placeholder(value)
        };
        let is_value = if self.is_encoded {
            let plain = String::from_utf8(decode_base64(value.as_bytes())).ok()?;
            is_secret(plain.trim_end()) && !is_public_text(&plain)
        } else {
            is_secret(value)
        };
        let start = line.len() - rest.len() + rest.find(value)?;
        (is_value && !value.contains(PLACEHOLDER)).then(|| start..start + value.len())
    }
}

/// Whether a text is made to be given away: a certificate, a public key, or the frame of a key without the key.
fn is_public_text(text: &str) -> bool {
    let is_frame = |line: &str| line.is_empty() || line.starts_with("-----");
    let is_private =
        text.contains("PRIVATE KEY") && !text.lines().all(|line| is_frame(line.trim()));
    text.starts_with("-----BEGIN ") && !is_private
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Redactor;
    use crate::encoded_key::tests::encode;

    fn shown(text: &str) -> String {
        Redactor::default().redact_source(None, text).text
    }

    proptest! {
        /// Under whatever name, wherever in the block, in quotes or not, as text or in base64.
        #[test]
        fn what_a_secret_holds_is_hidden(
            word in "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9][A-Za-z0-9]{8}[a-z]",
            key in "[a-z]{3,9}(-[a-z]{2,5})?",
            quote in "[\"']?", before in 0_usize..4, is_encoded: bool, indent in 1_usize..5,
        ) {
            prop_assume!(!is_placeholder(&word));
            let value = if is_encoded { encode(word.as_bytes()) } else { word };
            let block = if is_encoded { "data" } else { "stringData" };
            let others = format!("{}note: x\n", " ".repeat(indent)).repeat(before);
            let line = format!("{}{key}: {quote}{value}{quote}", " ".repeat(indent));
            let text = format!("kind: Secret\nmetadata:\n  name: x\n{block}:\n{others}{line}\n");
            let text = shown(&text);
            prop_assert!(!text.contains(&value) && text.contains("[redacted: "), "{}", text);
        }
    }

    #[test]
    fn other_objects_and_templates_are_left_as_they_are() {
        for text in [
            "kind: ConfigMap\ndata:\n  theme: Zk9LmPq3Rt7x\n",
            "kind: Secret\n---\nkind: ConfigMap\ndata:\n  theme: WmsLmPq3Rt7xMDEy\n",
            "kind: Secret\nstringData:\n  password: {{ .Values.password }}\n  user: ${USER_NAME_1}\n",
            "kind: Secret\nstringData:\n  note: short\nmetadata:\n  label: Zk9LmPq3Rt7x\n",
            "kind: Secret\nmetadata:\n  name: app-secret-2\ntype: kubernetes.io/tls\n",
        ] {
            assert_eq!(shown(text), text);
        }
        let above = ["stringData:", "kind: Secret"];
        assert!(value_of_manifest("  config: Zk9LmPq3Rt7x", above).is_some());
        assert_eq!(value_of_manifest("config: Zk9LmPq3Rt7x", above), None);
    }
}
