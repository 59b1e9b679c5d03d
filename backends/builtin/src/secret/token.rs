//! Tokens in the shapes that their providers give them.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::{is_placeholder, shannon_entropy};

/// Provider and shape; the first group, where there is one, is what must look random.
const SHAPES: [(&str, &str); 28] = [
    ("AWS", r"\b((?:AKIA|ASIA)[A-Z2-7]{16})\b"),
    ("GitHub", r"\bgh[pousr]_([A-Za-z0-9]{36})\b"),
    (
        "GitHub",
        r"\bgithub_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b",
    ),
    ("GitLab", r"\bglpat-([A-Za-z0-9_-]{20,})"),
    ("Slack", r"\bxox[bpars]-(\d{10,13}-[A-Za-z0-9-]{20,})"),
    (
        "Slack",
        r"hooks\.slack\.com/services/(T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,})",
    ),
    ("Stripe", r"\b[sr]k_live_([A-Za-z0-9]{20,})"),
    ("Google", r"\bAIza([A-Za-z0-9_-]{35})\b"),
    (
        "Anthropic",
        r"\bsk-ant-(?:api|admin|oat)\d\d-([A-Za-z0-9_-]{40,})",
    ),
    (
        "OpenAI",
        r"\bsk-([A-Za-z0-9_-]{20,}T3BlbkFJ[A-Za-z0-9_-]{20,})",
    ),
    ("npm", r"\bnpm_([A-Za-z0-9]{36})\b"),
    ("PyPI", r"\bpypi-AgEIcHlwaS5vcmc([A-Za-z0-9_-]{50,})"),
    ("SendGrid", r"\bSG\.([A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})"),
    ("Hugging Face", r"\bhf_([A-Za-z]{34})\b"),
    ("DigitalOcean", r"\bdop_v1_([a-f0-9]{64})\b"),
    ("Shopify", r"\bshpat_([a-fA-F0-9]{32})\b"),
    ("Azure", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("Docker", r"\bdckr_pat_([A-Za-z0-9_-]{27})"),
    ("Vault", r"\bhvs\.([A-Za-z0-9_-]{24,})"),
    ("Grafana", r"\bglsa_([A-Za-z0-9]{32}_[a-f0-9]{8})\b"),
    ("Linear", r"\blin_api_([A-Za-z0-9]{40})\b"),
    (
        "age",
        r"\bAGE-SECRET-KEY-1([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})",
    ),
    ("Databricks", r"\bdapi([a-f0-9]{32})\b"),
    ("New Relic", r"\bNRAK-([A-Z0-9]{27})\b"),
    ("Postman", r"\bPMAK-([a-f0-9]{24}-[a-f0-9]{34})\b"),
    (
        "Terraform",
        r"\b([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,})",
    ),
    (
        "Discord",
        r"discord(?:app)?\.com/api/webhooks/(\d{17,20}/[A-Za-z0-9_-]{60,})",
    ),
    ("crates.io", r"\bcio([A-Za-z0-9]{32})\b"),
];

static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    let compile = crate::pattern::compile_pattern;
    SHAPES
        .iter()
        .map(|(provider, shape)| (*provider, compile(shape)))
        .collect()
});

/// The first token of a line: whose it is, and where it stands.
pub(crate) fn find_token(text: &str) -> Option<(&'static str, Range<usize>)> {
    let real = |random: &str| shannon_entropy(random) >= 3.0 && !is_placeholder(random);
    COMPILED.iter().find_map(|(provider, shape)| {
        let found = shape
            .captures_iter(text)
            .find(|found| found.get(1).is_some_and(|m| real(m.as_str())))?;
        found.get(0).map(|whole| (*provider, whole.range()))
    })
}
