//! `disabled-tls`: a connection that no longer knows whom it speaks with.

use super::prelude::*;
use crate::view::indent;

pub(super) static RULE: BuiltinRule = BuiltinRule {
    info: RuleInfo {
        id: "disabled-tls",
        perspective: SECURITY,
        category: "tls",
        severity: Significant,
        summary: "verification of a TLS or SSH peer switched off",
        why: "Anyone on the network path can pose as the server, read what is sent and change what comes back.",
        fix: "Leave the verification on; to trust a private authority, add its certificate.",
        examples: &[RuleExample {
            path: "src/client.py",
            bad: "requests.get(url, verify=False)\n",
            good: "requests.get(url, verify=\"/etc/ssl/acme.pem\")\n",
        }],
    },
    scope: RuleScope::Production,
    guards: Guarded::Code,
    languages: &[],
    claims: &[
        "tls",
        "ssl",
        "certificate",
        "verify=false",
        "insecureskipverify",
    ],
    check: RuleCheck::Line {
        needles: &[
            "verify",
            "insecureskipverify",
            "rejectunauthorized",
            "node_tls_reject_unauthorized",
            "danger_accept_invalid",
            "unverified_context",
            "check_hostname",
            "cert_none",
            "sslverify",
            "stricthostkeychecking",
            "--no-check-certificate",
            "--insecure",
            "curl",
            "servercertificate",
            "hostnameverifier",
            "autoadd",
            "git_ssl_no_verify",
            "insecurerequestwarning",
            "insecureignorehostkey",
        ],
        look: check_line,
    },
};

pattern!(
    OFF,
    r"(?x)
      \bverify\s*=\s*False\b
    | \bverify_ssl\s*[=:]\s*(?:False|false|0)\b | \bssl_verify\s*[=:]\s*(?:False|false|0)\b
    | \bInsecureSkipVerify\s*:\s*true\b | \bInsecureSkipVerify\s*=\s*true\b
    | \brejectUnauthorized['\x22]?\s*[:=]\s*false\b
    | NODE_TLS_REJECT_UNAUTHORIZED['\x22]?\]?\s*[:=]\s*['\x22]?0
    | \bdanger_accept_invalid_(?:certs|hostnames)\(\s*true
    | \bssl\._create_unverified_context\b
    | \bcheck_hostname\s*=\s*False\b
    | \bverify_mode\s*=\s*(?:ssl\.)?CERT_NONE\b | \bcert_reqs\s*=\s*(?:ssl\.|['\x22])?CERT_NONE['\x22]? | OpenSSL::SSL::VERIFY_NONE
    | CURLOPT_SSL_VERIFY(?:PEER|HOST)\s*(?:,|=>)\s*(?:false|FALSE|0)\b
    | \bsslVerify\s*=?\s*(?:false|0)\b | GIT_SSL_NO_VERIFY\s*[=:]\s*['\x22]?(?:1|true)
    | StrictHostKeyChecking[=\x20]+(?:no|off)\b
    | ServerCertificate(?:Custom)?ValidationCallback\s*\+?=.*(?:=>\s*true|DangerousAcceptAny)
    | \bHostnameVerifier\b.*(?:->\s*true|ALLOW_ALL|Noop)
    | set_missing_host_key_policy\(\s*(?:paramiko\.)?AutoAddPolicy
    | \bssh\.InsecureIgnoreHostKey\(
    | ssl\.SSLVerifyNone | \bSSL_VERIFY_NONE\b
    "
);
pattern!(
    CURL,
    r"\bcurl\b[^|;&]*\s(?:--insecure\b|-[a-zA-Z]*k[a-zA-Z]*\b)"
);
pattern!(WGET, r"\bwget\b[^|;&]*--no-check-certificate\b");

pattern!(
    /// A condition on what the caller, a flag or the configuration says.
    ASKED,
    r"(?i)^\s*\}?\s*(?:if|elif|else if|when|unless|case)\b.*(?:insecure|verify|verification|skip|ssl|tls|cert|check_hostname|unsafe|trust)"
);

pattern!(
    /// A choice by what the caller said: `skip_verify ? NONE : PEER`.
    CHOSEN,
    r"(?i)(?:insecure|verify|skip|trust)\w*\s*\?[^?:]*:|\?[^?:]*:\s*\S*PEER"
);

/// Whether the file brings a check of its own in place of the one that it switches off, as Go asks for it.
fn verifies_itself(file: &FileView<'_>) -> bool {
    const OWN: [&str; 3] = [
        "VerifyPeerCertificate",
        "VerifyConnection",
        "x509.VerifyOptions",
    ];
    let own = |text: &str| OWN.iter().any(|name| text.contains(name));
    file.language == Language::Go && file.text_after().is_some_and(own)
}

/// Whether the other branch of the same condition has the peer verified: somebody chooses between the two.
fn is_one_of_two(line: &LineView<'_, '_>) -> bool {
    const NEAR: i32 = 8;
    let depth = line.indent();
    let is_else = |text: &str| ELSE.is_match(text) && indent(text) < depth;
    let is_verified = |text: &str| VERIFIED.is_match(text) && indent(text) >= depth;
    [-1, 1].into_iter().any(|step| {
        let mut near = (1..=NEAR).map_while(|by| line.text_near(by * step));
        near.by_ref().any(is_else) && near.any(is_verified)
    })
}

/// Whether the context is a server's: which certificate a client has is asked only where that is wanted.
fn is_of_server(line: &LineView<'_, '_>) -> bool {
    let text = line.code();
    let Some(context) = SET_VERIFY.captures(&text) else {
        return false;
    };
    let makes_it = |text: &str| {
        SERVER_CONTEXT
            .captures(text)
            .is_some_and(|found| found[1] == context[1])
    };
    line.file
        .text_after()
        .is_some_and(|text| text.lines().any(makes_it))
}

pattern!(ELSE, r"^\s*(?:\}\s*)?else\b\s*[:{]?\s*$");
pattern!(VERIFIED, r"VERIFY_PEER|CERT_REQUIRED|SSLVerifyPeer");
pattern!(SET_VERIFY, r"\bSSL(?:_CTX)?_set_verify\(\s*([\w.>\-]+)");
pattern!(
    SERVER_CONTEXT,
    r"([\w.>\-]+)\s*=\s*\w+\(.*(?i:server_?method\(|server)"
);

/// Whether the line stands in a block that runs only where somebody asked for it.
fn is_asked_for(line: &LineView<'_, '_>) -> bool {
    if ASKED.is_match(&line.code())
        || CHOSEN.is_match(&line.code())
        || line
            .file
            .fact("verifies-itself", || verifies_itself(line.file))
    {
        return true;
    }
    let depth = line.indent();
    let above = (1..=6).map_while(|by| line.text_near(-by));
    let mut outer = above.filter(|text| !text.trim().is_empty() && indent(text) < depth);
    outer.next().is_some_and(|text| ASKED.is_match(text))
}

fn check_line(line: &LineView<'_, '_>, hits: &mut HitList) {
    let text = line.without_comments();
    let script = matches!(
        line.file.language,
        Language::Shell | Language::Yaml | Language::Docker | Language::Make | Language::Unknown
    );
    let prose = matches!(line.file.language, Language::Prose | Language::Markup);
    let found = OFF.find(&text).or_else(|| {
        let tool = || CURL.find(&text).or_else(|| WGET.find(&text));
        script.then(tool).flatten()
    });
    let Some(found) = found.filter(|_| !prose) else {
        return;
    };
    // In code the switch itself must be code; the name of a variable or of an option may be a string.
    let named = ["NODE_TLS", "GIT_SSL", "StrictHost", "sslVerify"];
    let name = named.iter().any(|name| found.as_str().starts_with(name));
    if is_asked_for(line) || is_one_of_two(line) || is_of_server(line) {
        return;
    }
    if name || !line.file.language.is_code() || !line.in_literal(found.start()) {
        hits.push(line.line_hit(format!(
            "`{}` switches the verification of the peer off.",
            found.as_str().trim()
        )));
    }
}
