//! Secrets of Kubernetes: whatever their `stringData` and `data` hold is secret, under whichever name.

use std::ops::Range;

use crate::encoded_key::decode_base64;
use crate::matcher::PLACEHOLDER;
use crate::named::is_secret_name;
use crate::open_name::without_comment;
use crate::plausible::{is_literal, is_mixed_literal, is_placeholder};
use crate::value::is_drawn_value;

/// A shorter value says nothing.
const MIN_VALUE: usize = 6;

/// How far above a value its block may begin, in lines.
const MAX_ABOVE: usize = 200;

/// The most values that wait for the word that they are of a Secret.
const MAX_PENDING: usize = 500;

/// What is read of a manifest, line after line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SecretManifest {
    /// Whether the document, or the resource, says that it is a Secret.
    is_secret: bool,
    block: Option<Block>,
    /// Values that are secret if the document says so further below, as sorted keys have it.
    pending: Vec<String>,
    /// Those of them of which that is known since the last lines.
    late: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    indent: usize,
    holds: Holds,
}

/// What a block holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// `key: value`
    Text,
    /// `key: value`, in base64
    Encoded,
    /// `- key=value`, below `literals:`
    Literals,
}

/// Where the value of a Secret stands in a line; `above` are the lines above it, the nearest first.
pub fn value_of_manifest<'l>(
    line: &str,
    above: impl IntoIterator<Item = &'l str>,
) -> Option<Range<usize>> {
    let mut lines: Vec<&str> = above.into_iter().take(MAX_ABOVE).collect();
    let mut manifest = SecretManifest::default();
    while let Some(above) = lines.pop() {
        manifest.read_line(above);
    }
    manifest.read_line(line).into_iter().next()
}

/// Whether a line may begin such a block.
pub fn may_begin_manifest(text: &str) -> bool {
    [
        "stringData",
        "string_data",
        "binary_data",
        "secretGenerator",
        "kubernetes_secret",
        "SecureString",
    ]
    .iter()
    .any(|word| text.contains(word))
        || (text.contains("Secret") && text.contains("kind"))
}

impl SecretManifest {
    /// Reads the next line: what of it is secret.
    pub(crate) fn read_line(&mut self, line: &str) -> Vec<Range<usize>> {
        let text = line.trim_start_matches([' ', '\t']);
        let is_end =
            text.starts_with("---") || line.starts_with('}') || text.starts_with("resource ");
        if is_end {
            *self = Self {
                late: std::mem::take(&mut self.late),
                ..Self::default()
            };
        }
        let indent = line.len() - text.len();
        if text.trim_end().is_empty() || text.starts_with('#') {
            return Vec::new();
        }
        let is_item = text.starts_with("- ");
        let is_in = |block: &&Block| {
            let is_list = block.holds == Holds::Literals && is_item;
            indent > block.indent || (is_list && indent == block.indent)
        };
        if let Some(block) = self.block.as_ref().filter(is_in) {
            let found = block.value_of(line);
            return self.sure(line, found.into_iter().collect());
        }
        self.block = None;
        self.read_head(line, text.trim_end(), indent)
    }

    /// Whether the lines that were read say nothing of the next one.
    pub(crate) fn is_idle(&self) -> bool {
        !self.is_secret && self.block.is_none() && self.pending.is_empty()
    }

    /// The values above that are known to be secret since the last lines.
    pub(crate) fn take_late(&mut self) -> Vec<String> {
        std::mem::take(&mut self.late)
    }

    /// Reads a line outside of all blocks.
    fn read_head(&mut self, line: &str, text: &str, indent: usize) -> Vec<Range<usize>> {
        if says_secret(text) {
            self.is_secret = true;
            self.late.append(&mut self.pending);
        }
        let key = text.trim_start_matches(['-', ' ', '{']);
        let end = key.find([':', '=', ' ']).unwrap_or(key.len());
        let (key, rest) = (key[..end].trim_matches(['"', '\'']), key[end..].trim());
        // Asked about few lines: to look for a comment in each took a twenty-fifth of a review.
        let opens = || {
            ["", "{"].contains(&without_comment(rest.trim_start_matches([':', '=', ' '])).trim())
        };
        let is_terraform = rest.starts_with('=');
        let holds = match key {
            "stringData" | "string_data" => Some(Holds::Text),
            "data" if is_terraform => Some(Holds::Text),
            "data" | "binary_data" => Some(Holds::Encoded),
            "secretGenerator" => Some(Holds::Literals),
            _ => None,
        };
        if let Some(holds) = holds.filter(|_| opens()) {
            // Other objects have data, too, and it is plain; what says that it is secret needs no more.
            self.is_secret |= key != "data";
            self.block = Some(Block { indent, holds });
            return Vec::new();
        }
        let is_field = key.eq_ignore_ascii_case("value") && is_terraform;
        let found = match is_field {
            true => Block {
                indent: 0,
                holds: Holds::Text,
            }
            .value_of(line)
            .into_iter()
            .collect(),
            false => self.values_of_flow(line),
        };
        self.sure(line, found)
    }

    /// `{kind: Secret, stringData: {foo: …}}`, all in one line.
    fn values_of_flow(&self, line: &str) -> Vec<Range<usize>> {
        if !line.contains('{') {
            return Vec::new();
        }
        let heads = [
            ("stringData", Holds::Text),
            ("\"data\"", Holds::Encoded),
            ("data:", Holds::Encoded),
        ];
        let head = heads
            .iter()
            .find_map(|(head, holds)| Some((line.find(head)? + head.len(), *holds)));
        let Some((at, holds)) = head.filter(|(at, _)| {
            line[*at..]
                .trim_start_matches(['"', ':', ' ', '\''])
                .starts_with('{')
        }) else {
            return Vec::new();
        };
        let open = at + line[at..].find('{').map_or(0, |open| open + 1);
        let end = line[open..].find('}').map_or(line.len(), |end| open + end);
        let block = Block { indent: 0, holds };
        let mut start = open;
        let pairs = line[open..end].split(',').filter_map(|pair| {
            let from = start;
            start += pair.len() + 1;
            let value = block.value_of(pair)?;
            Some(from + value.start..from + value.end)
        });
        pairs.collect()
    }

    /// What was found, where it is known to be of a Secret; else it waits for that.
    fn sure(&mut self, line: &str, found: Vec<Range<usize>>) -> Vec<Range<usize>> {
        if self.is_secret {
            return found;
        }
        let room = MAX_PENDING.saturating_sub(self.pending.len());
        let values = found.into_iter().map(|value| line[value].to_owned());
        self.pending.extend(values.take(room));
        Vec::new()
    }
}

/// Whether a line says of the object that it is a Secret: `"kind": "Secret"`, `type = "SecureString"`.
fn says_secret(text: &str) -> bool {
    let is_kind = || {
        let (_, rest) = text.split_once("kind")?;
        let rest = rest
            .trim_start_matches(['"', '\'', ' '])
            .strip_prefix(':')?;
        let rest = rest
            .trim_start_matches(['"', '\'', ' '])
            .strip_prefix("Secret")?;
        (!rest.starts_with(|c: char| c.is_ascii_alphanumeric())).then_some(())
    };
    // Most lines do not even have the letter.
    let is_named =
        || text.contains("\"SecureString\"") || (text.contains("Secret") && is_kind().is_some());
    text.starts_with("resource \"kubernetes_secret") || (text.contains('S') && is_named())
}

impl Block {
    fn value_of(&self, line: &str) -> Option<Range<usize>> {
        let (key, rest) = self.key_and_rest(line)?;
        let key = key.trim().trim_matches(['"', '\'']);
        let value = without_tags(rest)
            .trim()
            .trim_end_matches(',')
            .trim_matches(['"', '\'']);
        let is_secret = |value: &str| {
            let is_shaped = is_mixed_literal(value) || (is_secret_name(key) && is_literal(value));
            value.len() >= MIN_VALUE && is_shaped && !is_placeholder(value)
        };
        let is_value = if self.holds == Holds::Encoded && !rest.contains("!!binary") {
            // What is no text was drawn as bytes.
            match String::from_utf8(decode_base64(value.as_bytes())) {
                Ok(plain) => is_secret(plain.trim_end()) && !is_public_text(&plain),
                Err(_) => is_secret(value) && is_drawn_value(value),
            }
        } else {
            is_secret(value)
        };
        let start = value.as_ptr() as usize - line.as_ptr() as usize;
        (is_value && !value.contains(PLACEHOLDER)).then(|| start..start + value.len())
    }

    /// The key of a line and what stands behind it. A line without one is a text of its own: of a file, or of a scalar.
    fn key_and_rest<'l>(&self, line: &'l str) -> Option<(&'l str, &'l str)> {
        let is_item = line.trim_start().starts_with("- ");
        let equals = line.split_once('=');
        let colon = line.split_once(": ").or_else(|| line.split_once("\":"));
        let is_plain = !line.trim().contains([' ', ':', '<', '[']);
        let text = is_plain.then_some(("", line));
        match self.holds {
            Holds::Literals => equals.filter(|_| is_item),
            Holds::Text => colon.or(equals).or(text),
            Holds::Encoded => colon.or(text),
        }
    }
}

/// `!!binary "…"`, `&a …`: a value without the tags and anchors before it.
fn without_tags(text: &str) -> &str {
    let mut text = text.trim_start();
    while text.starts_with(['!', '&']) {
        let Some((_, rest)) = text.split_once(' ') else {
            break;
        };
        text = rest.trim_start();
    }
    text
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

    /// How tools write such an object: `{}` for its value as text, `{64}` for it in base64.
    const SPELLINGS: [&str; 21] = [
        "kind: \"Secret\"\nstringData:\n  foo: {}",
        "kind: 'Secret'\ndata:\n  foo: {64}",
        "kind: Secret\ndata:\n  foo: /v8{64}",
        "kind: Secret # the keys\nstringData:\n  foo: {}",
        "\"kind\": \"Secret\"\n\"stringData\":\n  \"foo\": \"{}\"",
        "kind: Secret\nstringData: {foo: {}}",
        "kind: Secret\nstringData: {user: bob, foo: \"{}\"}",
        "kind: Secret\nstringData:\n  foo:\n    {}",
        "kind: Secret\nstringData:\n  foo: >-\n    {}",
        "kind: Secret\nstringData:\n  app.ini: |\n    [x]\n    foo = {}",
        "kind: Secret\nstringData:\n  foo: &a {}\n  bar: *a",
        "kind: Secret\ndata:\n  foo: !!binary \"{}\"",
        "kind: List\nitems:\n  - {kind: Secret, stringData: {foo: {}}}",
        "kind: List\nitems:\n- kind: Secret\n  data:\n    foo: {64}",
        "apiVersion: v1\ndata:\n  foo: {64}\nkind: Secret",
        "{\n  \"data\": {\n    \"foo\": \"{64}\"\n  },\n  \"kind\": \"Secret\"\n}",
        "{\"kind\":\"Secret\",\"data\":{\"user\":\"Ym9i\",\"foo\":\"{64}\"}}",
        "secretGenerator:\n- name: x\n  literals:\n  - user=bob\n  - foo={}",
        "resource \"kubernetes_secret\" \"x\" {\n  data = {\n    foo = \"{}\"\n  }\n}",
        "resource \"aws_ssm_parameter\" \"x\" {\n  type  = \"SecureString\"\n  value = \"{}\"\n}",
        "resource \"aws_ssm_parameter\" \"x\" {\n  value = \"{}\"\n  type  = \"SecureString\"\n}",
    ];

    proptest! {
        /// However a tool writes it, in whatever order.
        #[test]
        fn what_a_secret_holds_is_hidden_in_every_spelling(
            value in "[A-Z][a-z][0-9][A-Z][a-z]{2}[0-9][A-Za-z0-9]{8}[a-z]", is_crlf: bool,
        ) {
            prop_assume!(!is_placeholder(&value));
            let encoded = encode(value.as_bytes());
            prop_assume!(crate::plausible::looks_random(&encoded) && crate::plausible::looks_random(&value));
            for form in SPELLINGS {
                let text = form.replace("{64}", &encoded).replace("{}", &value) + "\n";
                let text = if is_crlf { text.replace('\n', "\r\n") } else { text };
                let shown = shown(&text);
                prop_assert!(!shown.contains(&value) && !shown.contains(&encoded), "{}: {}", text, shown);
            }
        }
    }

    /// Law: no value of a manifest is found where no line may begin one: others need not be read for it.
    #[test]
    fn where_no_line_may_begin_a_manifest_there_is_no_value_of_one() {
        let terraform =
            ["string_data", "binary_data"].map(|key| format!("{key} = {{\n  foo = \"{{}}\"\n}}"));
        let forms = SPELLINGS.iter().map(|form| (*form).to_owned());
        for form in forms.chain(terraform) {
            let text = form
                .replace("{64}", "WmsLmPq3Rt7xMDEy")
                .replace("{}", "Zk9LmPq3Rt7x");
            let lines: Vec<&str> = text.lines().collect();
            for at in 0..lines.len() {
                let above = lines[..at].iter().rev().copied();
                let is_found = value_of_manifest(lines[at], above).is_some();
                let may_begin = lines[..=at].iter().any(|line| may_begin_manifest(line));
                assert!(!is_found || may_begin, "{text}");
            }
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
            "data:\n  theme: WmsLmPq3Rt7xMDEy\nkind: ConfigMap\n",
            "configMapGenerator:\n- literals:\n  - theme=Zk9LmPq3Rt7x\n",
            "resource \"kubernetes_config_map\" \"x\" {\n  data = {\n    theme = \"Zk9LmPq3Rt7x\"\n  }\n}\n",
            "kind: SecretProviderClass\ndata: {theme: WmsLmPq3Rt7xMDEy}\n",
        ] {
            assert_eq!(shown(text), text);
        }
        let above = ["stringData:", "kind: Secret"];
        assert!(value_of_manifest("  config: Zk9LmPq3Rt7x", above).is_some());
        assert_eq!(value_of_manifest("config: Zk9LmPq3Rt7x", above), None);
    }
}
