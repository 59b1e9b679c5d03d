//! `hidden-secret`: what is taken out of every text that a model reads, and what no other rule speaks of.

use council_secrets::{SecretMatch, SecretShape, value_below_name, value_of_manifest};

use super::prelude::*;
use crate::view::ApartSpans;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "hidden-secret",
        perspective: SECURITY,
        category: "secrets",
        severity: Significant,
        summary: "a drawn value in a place made for a secret: a header, an option, a setting without quotes",
        why: "Such a value is taken out of everything that models read, so none of them can object to it; and everyone \
              who can read the repository or its history can read it.",
        fix: "Read it from the environment or a secret store; if it was ever real, replace it.",
        examples: &[RuleExample {
            path: "deploy/Dockerfile",
            bad: "ENV DB_PASSWORD=tR5wPz8KqLm3Xv7Nb2\n",
            good: "ARG DB_PASSWORD\n",
        }],
    },
    scope: RuleScope::TextOutsideTests,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "hard-coded",
        "hardcoded",
        "secret",
        "credential",
        "password",
        "token",
    ],
    check: RuleCheck::Line {
        needles: &[
            "authorization",
            "-u ",
            "--user",
            "--proxy-user",
            "--password",
            "-password",
            "--passwd",
            "--passphrase",
            "--token",
            "-token",
            "--secret",
            "-secret",
            "-api-key",
            "--api-key",
            "password>",
            "passwd>",
            "passphrase>",
            "secret>",
            "token>",
            "key>",
            "value=",
            "auth\"",
            "auth'",
            "identitytoken",
            "passw",
            "passphrase",
            "pwd",
            "secret",
            "token",
            "api_key",
            "apikey",
            "api-key",
            "access_key",
            "accesskey",
            "access-key",
            "private_key",
            "private-key",
            "privatekey",
            "signing_key",
            "signing-key",
            "signingkey",
            "encryption_key",
            "encryption-key",
            "encryptionkey",
            "auth_key",
            "auth-key",
            "authkey",
            "credential",
            "xox",
            "xapp-",
            "hooks.slack.com",
            "whsec_",
            "ya29.",
            "gocspx-",
            "sk-",
            "pypi-",
            "eyj",
            "key-",
            "eaaa",
            "sig=",
            "sdk-",
            "vcp_",
            "vca_",
            "vci_",
            "vck_",
            "vcr_",
            "sshpass",
            "mysql",
            "requirepass",
            "masterauth",
            "machine ",
            "://",
            "identified",
            "storepass",
            "'pass'",
            "\"pass\"",
            "value:",
            "value\":",
            ".login(",
            ".log_in(",
            ".auth(",
            ".authenticate(",
            ".sign_in(",
            ".signin(",
            "connect(",
            "connect_",
            "connection(",
            "pass",
            "pswd",
            "pw",
            "auth",
            "mysqli",
            "pdo",
            "jwt.",
            "hmac",
            "keygrip",
            "psk",
            "bearer",
            "cookie",
            "@tcp",
            "@unix",
            "@udp",
            "insert",
            "redis-cli",
            "zip",
            "sqlcmd",
            "bcp",
            "osql",
            "isql",
            "ldap",
            "ssh-keygen",
            "rabbitmqctl",
            "vault",
            "-signature=",
            "http_basic",
            "tochararray",
            "securestring",
            "accountkey",
            "sharedaccesskey",
            "key",
        ],
        look: check_line,
    },
};

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let language = line.file.language;
    // Prose shows what a secret looks like; what a program packed is full of such words.
    if language == Language::Prose || line.is_packed() {
        return;
    }
    let is_ours = |found: &SecretMatch<'_>| match found.shape {
        SecretShape::Token => !found.is_provider && found.kind != "stripe-test-key",
        SecretShape::PlacedValue => true,
        // Elsewhere what stands behind a colon or an equals sign is code; a file of settings has a rule of its own.
        SecretShape::BareValue => language == Language::Shell || is_setting(language),
        SecretShape::UrlPassword | SecretShape::QuotedValue => false,
    };
    let is_told = |found: &SecretMatch<'_>| {
        found.is_provider
            || matches!(
                found.shape,
                SecretShape::UrlPassword | SecretShape::QuotedValue
            )
    };
    let told = line.find_secrets(is_told);
    let above = || (1..).map_while(|by| line.text_near(-by));
    let is_below = || {
        value_below_name(line.text(), above()).is_some()
            || (line.file.has_manifests() && value_of_manifest(line.text(), above()).is_some())
    };
    if told.is_empty() && is_below() {
        hits.push(line.line_hit(
            "The value of a variable that is named as a secret is committed; no model is shown it.",
        ));
        return;
    }
    // What another rule tells of the same line is another secret.
    let told = ApartSpans::of(&told);
    let found = line.find_secrets(|one| is_ours(one) && !told.meet(one));
    let owner = |one: &SecretMatch<'_>| match &line.text()[one.label.clone()] {
        "" => one.owner.to_owned(),
        name => name.to_owned(),
    };
    if let Some(first) = found.first() {
        let (owner, more) = (owner(first), line.count_more_secrets(&found, owner));
        hits.push(line.line_hit(format!(
            "What looks like a real secret is committed ({owner}); no model is shown it.{more}"
        )));
    }
}

fn is_setting(language: Language) -> bool {
    !language.is_code() && language != Language::Ini
}
