//! Who is sent a brief, in words that anybody may read.

use council_protocol::Seat;
use council_protocol::seat::AgentKind;

/// Who is sent the brief, for a person: the name of the agent and where it goes.
pub(crate) fn describe_recipient(seat: &Seat) -> String {
    let agent = &seat.agent;
    let model = agent
        .model
        .as_ref()
        .map_or(String::new(), |model| format!(", model {model}"));
    match &agent.kind {
        AgentKind::Http(endpoint) => {
            let address = address_without_keys(&endpoint.url);
            // Behind one address may be another vendor for each model.
            let others = match endpoint.fallback.as_slice() {
                [] => String::new(),
                others => format!(" (or {}, where that gives no answer)", others.join(", ")),
            };
            format!("{} at {address}{model}{others}", agent.name)
        }
        AgentKind::Claude(client) | AgentKind::Codex(client) | AgentKind::Acp(client) => {
            format!(
                "{}, the program `{}` and the service that it uses{model}",
                agent.name,
                program_name(&client.argv)
            )
        }
        AgentKind::Command { argv, .. } => {
            format!("{}, the program `{}`", agent.name, program_name(argv))
        }
        AgentKind::Backend {} | AgentKind::Builtin { .. } | AgentKind::Recorded { .. } => {
            format!("{}{model}", agent.name)
        }
    }
}

/// A program without its arguments: they may hold a key, and what is told here stands in the log of a job.
fn program_name(argv: &[String]) -> &str {
    argv.first().map_or("", String::as_str)
}

/// An address without what may hold a key: the user, the password, the query.
fn address_without_keys(url: &str) -> String {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let (scheme, rest) = url[..end].split_once("://").unwrap_or(("", &url[..end]));
    let host = rest.find('/').unwrap_or(rest.len());
    let start = rest[..host].rfind('@').map_or(0, |at| at + 1);
    match scheme {
        "" => rest[start..].to_owned(),
        scheme => format!("{scheme}://{}", &rest[start..]),
    }
}

#[cfg(test)]
mod tests {
    use council_protocol::seat::{AgentSpec, Endpoint, Perspective};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Wherever an address may hold a key, and whatever it looks like.
        #[test]
        fn an_address_is_told_without_its_keys(
            user in "[a-z]{0,5}", password in "[A-Z0-9@:]{4,12}", path in "[a-z/]{0,9}", query in "[a-z=&?]{0,9}",
        ) {
            let secret = "Zeta77";
            let url = format!("https://{user}:{password}{secret}@host.example:8443/{path}?{query}{secret}#{secret}");
            let told = address_without_keys(&url);
            prop_assert_eq!(told, format!("https://host.example:8443/{path}"));
        }
    }

    proptest! {
        /// Whoever may be sent the brief is named: the models behind the first one as well.
        #[test]
        fn every_model_that_may_be_asked_is_named(models in proptest::collection::vec("[a-z]{3,8}(/[a-z]{3})?", 1..4)) {
            let endpoint = Endpoint {
                url: "https://host.example/v1".to_owned(),
                fallback: models[1..].to_vec(),
                ..Endpoint::default()
            };
            let agent = AgentSpec {
                name: "a".into(),
                kind: AgentKind::Http(endpoint),
                vendor: "v".into(),
                model: Some(models[0].clone()),
                deterministic: false,
            };
            let told = describe_recipient(&Seat {
                judge: "judge-1".into(),
                perspective: Perspective::default(),
                agent,
            });
            prop_assert!(models.iter().all(|model| told.contains(model.as_str())), "{}", told);
        }
    }

    #[test]
    fn a_plain_address_stays_as_it_is() {
        for url in [
            "https://api.example.com/v1",
            "http://127.0.0.1:80",
            "localhost:1",
            "",
        ] {
            assert_eq!(address_without_keys(url), url);
        }
        assert_eq!(
            program_name(&["judge".to_owned(), "--key=1".to_owned()]),
            "judge"
        );
    }
}
