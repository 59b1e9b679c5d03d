//! What takes secrets out of a run: the built-in table, the user's own rules, and the values of the change.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use council_protocol::packet::Target;
use council_protocol::{BlobSource, Packet};
use council_secrets::{Redactor, SecretTable};

use super::changed_texts::{as_texts, changed_texts};
use super::context::RunContext;
use super::environment::ProcessEnvironment;
use super::error::RunError;
use super::kept_rules::with_kept_rules;
use super::layers;
use super::own;
use super::store::StoredRun;
use super::texts_beside::{texts_beside, texts_between};
use crate::config::{Settings, resolve_layers};
use crate::git::{self, RangeTexts};
use crate::packet::sha256;
use crate::prompt::redactor_knowing;

/// The setting that names the user's own rules.
const KEY: &str = "redact.rules";

/// The redactor of a run over this change, of which `blobs` has the files. The user's own rules may not lie in the
/// repository under review.
pub(crate) fn load_redactor(
    settings: &Settings,
    repository: Option<&Path>,
    (packet, blobs): (&Packet, &Arc<dyn BlobSource>),
    range: Option<RangeTexts>,
    start: &RunContext,
) -> Result<Redactor, RunError> {
    let rules = load_rules(settings, repository)?;
    let handed = secret_settings(settings, start);
    let files = changed_texts(packet, &**blobs);
    let blobs = Arc::clone(blobs);
    let redactor = redactor_knowing(&rules, packet, &as_texts(&files), &handed);
    Ok(redactor.learning(move || {
        let mut texts = texts_beside(&*blobs);
        texts.extend(range.iter().flat_map(texts_between));
        texts
    }))
}

/// The note on commits of the range whose values the words of its authors may repeat unseen.
pub(crate) fn unread_values_note(range: &RangeTexts) -> Option<String> {
    let words = "messages, title and description may repeat values of its other commits: add tokens to `redact.rules`";
    let note = format!(
        "not every file of every commit of the range was searched for passwords, and {words}"
    );
    range.is_cut.then_some(note)
}

/// What knows the keys of this process alone: a judge that answers in a job of its own may repeat them, and whoever reads the
/// answer cannot know them.
pub(crate) fn handed_redactor(start: &RunContext) -> Redactor {
    let layers = layers::user_layers(&start.environment, start.config.clone());
    let settings = layers.and_then(|layers| Ok(resolve_layers(&layers)?.settings));
    // A configuration that cannot be read seats no agent of the user's.
    let handed = match settings {
        Ok(settings) => secret_settings(&settings, start),
        Err(_) => own_secrets(start.environment.vars()),
    };
    Redactor::default().handing(handed.iter().map(String::as_str))
}

/// The redactor of a run whose rules and change came from another job.
pub(crate) fn redactor_of_job(rules: &Redactor, packet: &Packet, start: &RunContext) -> Redactor {
    redactor_knowing(rules, packet, &[], &own_secrets(start.environment.vars()))
}

/// The secrets of the environment, as lines of a file of settings.
fn secret_settings(settings: &Settings, start: &RunContext) -> Vec<String> {
    let mut handed = handed_secrets(settings, |name| start.environment.get(name));
    handed.extend(own_secrets(start.environment.vars()));
    handed
}

/// The redactor of a run that is over, over its change: by the rules that it began with, and by those of today.
pub(crate) fn redactor_of_past(
    past: &StoredRun,
    packet: &Packet,
    start: &RunContext,
) -> Result<Redactor, RunError> {
    let layers = layers::user_layers(&start.environment, start.config.clone())?;
    let settings = resolve_layers(&layers)?.settings;
    let rules = with_kept_rules(&load_rules(&settings, None)?, past)?;
    let handed = secret_settings(&settings, start);
    Ok(redactor_knowing(&rules, packet, &[], &handed))
}

/// The secrets that agents are handed in their environment, as lines of a file of settings: a model that reads the change
/// can be talked into repeating its own key.
fn handed_secrets<'e>(settings: &Settings, get: impl Fn(&str) -> Option<&'e OsStr>) -> Vec<String> {
    let named = settings.agents.values().flat_map(|agent| {
        let told = agent.env.iter().filter(|name| is_secret_name(name));
        told.chain(&agent.key)
    });
    let lines = |name: &String| {
        let value = get(name).unwrap_or_default().to_string_lossy();
        let lines = value.lines().enumerate();
        let telling = lines.filter(|(at, line)| *at == 0 || line.len() >= MIN_OWN_SECRET);
        let told = telling.map(|(_, line)| format!("{name}={line}"));
        told.collect::<Vec<_>>()
    };
    let lines: BTreeSet<String> = named.flat_map(lines).collect();
    lines.into_iter().collect()
}

/// The secrets in our own environment, in the same form: a judge that may run commands runs as the same user, and may find
/// them in another process.
fn own_secrets(vars: impl Iterator<Item = (OsString, OsString)>) -> Vec<String> {
    let lines = |(name, value): (OsString, OsString)| {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        let first = value.lines().next().unwrap_or_default();
        let named = is_secret_name(&name) && !is_place(&name, first);
        let within = secrets_within(&name, first);
        let named = value.lines().filter(|_| named);
        let secrets: Vec<String> = named
            .chain(url_password(first))
            .chain(within.iter().map(String::as_str))
            .filter(|value| value.len() >= MIN_OWN_SECRET)
            .map(|value| format!("SECRET={value}"))
            .collect();
        secrets
    };
    let lines: BTreeSet<String> = vars.flat_map(lines).collect();
    lines.into_iter().collect()
}

/// What a file of settings would hide of a variable: the key in a connection string, the password in a program's options.
fn secrets_within(name: &str, value: &str) -> Vec<String> {
    let line = format!("{name}={value}");
    let found = SecretTable::built_in().find_secrets(&line);
    let texts = found.into_iter().filter_map(|found| line.get(found.span));
    texts.map(str::to_owned).collect()
}

/// Whether a variable says where a secret is.
fn is_place(name: &str, value: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or_default();
    let places = ["SOCK", "SOCKET", "FILE", "PATH", "DIR"];
    value.starts_with(['/', '~']) && places.contains(&last.to_ascii_uppercase().as_str())
}

/// The password in an address: of a database, or of a proxy, which every judge is handed.
fn url_password(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once("://")?;
    let (sign_in, _) = rest.split('/').next()?.rsplit_once('@')?;
    sign_in.split_once(':').map(|(_, password)| password)
}

/// A shorter value may be a word of any text.
const MIN_OWN_SECRET: usize = 8;

/// Whether a variable is called as one that holds a secret: the value of another may be any word.
fn is_secret_name(name: &str) -> bool {
    const WORDS: [&str; 19] = [
        "KEY",
        "TOKEN",
        "SECRET",
        "PASS",
        "PASSWORD",
        "PASSWD",
        "PWD",
        "PW",
        "CRED",
        "DSN",
        "PASSPHRASE",
        "CREDENTIAL",
        "AUTH",
        "AUTHORIZATION",
        "BEARER",
        "COOKIE",
        "JWT",
        "PAT",
        "WEBHOOK",
    ];
    // Where the shell is, and was.
    let name = name.to_ascii_uppercase();
    if matches!(name.as_str(), "PWD" | "OLDPWD") {
        return false;
    }
    // `API_KEYS`, `PASSWORD2`: there may be several.
    let one = |part: &str| -> String {
        let part = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_plural = part.ends_with('S') && !part.ends_with("SS");
        part.get(..part.len() - usize::from(is_plural))
            .unwrap_or_default()
            .to_owned()
    };
    name.split('_')
        .map(one)
        .any(|part| WORDS.iter().any(|word| part.ends_with(word)))
}

/// What agents are told by variables that the user lists for them: another value may make another judge. Keys and tokens are
/// left out, since many change with each job.
pub(crate) fn told_variables(
    settings: &Settings,
    environment: &ProcessEnvironment,
) -> BTreeMap<String, String> {
    let names = settings.agents.values().flat_map(|agent| &agent.env);
    let told = names.filter(|name| !is_secret_name(name));
    let value = |name: &String| {
        let value = environment.get(name)?;
        Some((name.clone(), sha256(value.as_encoded_bytes())))
    };
    told.filter_map(value).collect()
}

/// The redactor of the user, who has seen no change.
pub(crate) fn user_redactor(start: &RunContext) -> Result<Redactor, RunError> {
    let layers = layers::user_layers(&start.environment, start.config.clone())?;
    load_rules(&resolve_layers(&layers)?.settings, None)
}

/// The same for what is shown of a run of the past.
pub(crate) fn user_redactor_for(
    past: &StoredRun,
    start: &RunContext,
) -> Result<Redactor, RunError> {
    with_kept_rules(&user_redactor(start)?, past)
}

/// Whether the user's own rules can be used.
pub(crate) fn check_rules(settings: &Settings, repository: Option<&Path>) -> Result<(), RunError> {
    load_rules(settings, repository).map(drop)
}

/// The text of the user's own rules, if there are any.
pub(crate) fn own_rules_text(
    settings: &Settings,
    repository: Option<&Path>,
) -> Result<Option<String>, RunError> {
    let Some(file) = &settings.redact.rules else {
        return Ok(None);
    };
    own::read_own_text(&own::resolve_own_path(file, KEY, repository)?, KEY).map(Some)
}

/// Takes secrets out of the name of what is reviewed: a branch, a question or a file may hold one, and the name stands in
/// every headline, in notes and in the names of files.
pub(crate) fn hide_in_target(target: &mut Target, redactor: &Redactor) {
    let shown = redactor.redact_name(&target.label);
    if shown.secrets > 0 {
        target.slug = git::make_slug(&shown.text);
        target.label = shown.text;
    }
    for pathspec in &mut target.only {
        *pathspec = redactor.redact_name(pathspec).text;
    }
}

fn load_rules(settings: &Settings, repository: Option<&Path>) -> Result<Redactor, RunError> {
    let Some(text) = own_rules_text(settings, repository)? else {
        return Ok(Redactor::default());
    };
    let file = settings.redact.rules.as_deref().unwrap_or(Path::new(""));
    let table = SecretTable::parse(&text).map_err(|error| {
        RunError::usage(format!(
            "{} is not a gitleaks configuration: {error}",
            file.display()
        ))
        .hint(format!("`{KEY}` names it, in your own configuration"))
    })?;
    Ok(Redactor::with_table(table))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::AgentSettings;
    use crate::prompt::redact_words;
    use crate::run::backends::empty_packet;

    #[test]
    fn a_key_that_an_agent_was_handed_leaves_by_no_word_of_it() {
        let key = "Zx81mPq0sVnL4tYwRbKc7dJf";
        let agent = AgentSettings {
            env: vec!["MY_API_KEY".to_owned(), "EDITOR".to_owned()],
            key: Some("MODEL".to_owned()),
            ..AgentSettings::default()
        };
        let mut settings = resolve_layers(&[]).unwrap().settings;
        settings.agents.insert("t".to_owned(), agent);
        let get = |name: &str| match name {
            "MY_API_KEY" => Some(OsStr::new("Zx81mPq0sVnL4tYwRbKc7dJf")),
            "MODEL" => Some(OsStr::new("local-9f3b71c0")),
            "EDITOR" => Some(OsStr::new("vim-9")),
            _ => None,
        };
        let handed = handed_secrets(&settings, get);
        let redactor = redactor_knowing(&Redactor::default(), &empty_packet(), &[], &handed);
        let said = redact_words(
            &redactor,
            &format!("my key is {key}, or local-9f3b71c0, in vim-9"),
        );
        assert!(
            !said.contains("Zx81mPq0") && !said.contains("9f3b71c0"),
            "{said}"
        );
        assert!(said.contains("vim-9"), "{said}");
    }

    /// A judge that may run commands can read the environment of another process of the same user.
    #[test]
    fn a_key_of_our_own_environment_leaves_by_no_word() {
        let key = ["Zx81mPq0s", "VnL4tYwRb"].concat();
        let vars = [
            ("GITHUB_TOKEN", key.as_str()),
            ("DEPLOY_PASSWORD", "ab|cd&9f3b71c0"),
            ("EDITOR", "vim-9-long-name"),
            ("SHORT_KEY", "a1b2"),
        ];
        let vars = vars.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let own = own_secrets(vars.into_iter());
        assert_eq!(own.len(), 2, "{own:?}");
        for name in [
            "PGPASSWORD",
            "MYSQL_PWD",
            "DB_PASS",
            "APIKEY",
            "API_KEYS",
            "MYTOKEN",
            "npm_config__authToken",
            "PASSWORD2",
            "SECRET_V2",
            "TOKEN_FILE_B64",
            "SSHPASS",
            "REDISCLI_AUTH",
            "CI_JOB_JWT",
            "HTTP_COOKIE",
            "SLACK_WEBHOOK_URL",
            "SMTP_PW",
            "DEPLOY_CREDS",
            "SENTRY_DSN",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
        for name in [
            "PWD",
            "OLDPWD",
            "PATH",
            "EDITOR",
            "GIT_AUTHOR_NAME",
            "LS_COLORS",
            "TERM",
            "HOSTNAME",
            "LOGNAME",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let more = own_secrets(
            [
                pair("HTTPS_PROXY", "http://u:Zq81c0ffee5566aa@127.0.0.1:9"),
                pair("SSH_AUTH_SOCK", "/tmp/ssh-x/agent.1"),
                pair("HOME_URL", "https://example.com/a:b@c"),
            ]
            .into_iter(),
        );
        assert_eq!(more, ["SECRET=Zq81c0ffee5566aa"]);
        let account = ["Zx81mPq0sVnL4tYwRbKc7dJfQ2", "hG5uT9oEiA3zC6xM1bN8vL0kP=="].concat();
        let within = own_secrets(
            [
                pair(
                    "AZURE_STORAGE_CONNECTION_STRING",
                    &format!("DefaultEndpointsProtocol=https;AccountName=a;AccountKey={account}"),
                ),
                pair("MAVEN_OPTS", "-Xmx2g -Dx.trustStorePassword=Zq81c0ffee55"),
                pair("GITHUB_SHA", "9f3b71c0aa4e5d6b7c8d9e0f1a2b3c4d5e6f7a8b"),
                pair("JAVA_OPTS", "-Xmx2g -Dfile.encoding=UTF-8"),
            ]
            .into_iter(),
        );
        assert_eq!(
            within,
            [
                "SECRET=Zq81c0ffee55".to_owned(),
                format!("SECRET={account}")
            ]
        );
        let redactor = redactor_knowing(&Redactor::default(), &empty_packet(), &[], &own);
        let said = format!("I found {key} and ab|cd&9f3b71c0, with vim-9-long-name");
        let said = redact_words(&redactor, &said);
        assert!(
            !said.contains("Zx81mPq0") && !said.contains("9f3b71c0"),
            "{said}"
        );
        assert!(said.contains("vim-9-long-name"), "{said}");
    }
}
