//! The user's own configuration: what was chosen stands in it, the rest of what is here as comments.

use std::fmt::Write as _;

use council_agents::installed::{InstalledClient, InstalledTool};
use council_agents::known_tools::TreeCode;

use super::{SetupChoices, SetupOptions};
use crate::run::seats::ApiVendor;
use crate::text::Untrusted;

/// The file. Nothing in it costs money unless that was chosen: whoever wants other judges takes a `#` away.
pub(super) fn render_own_file(options: &SetupOptions, choices: &SetupChoices) -> String {
    let mut out = render_review(options, choices);
    for one in &options.clients {
        out.push_str(&render_client(one));
    }
    for one in &choices.models {
        let _ = write!(
            out,
            "\n[agents.{}]\ndriver = \"http\"\napi = \"{}\"\n",
            one.name, one.api
        );
        if let Some(url) = &one.url {
            let _ = writeln!(out, "url = {}", quote(url));
        }
        let _ = writeln!(out, "model = {}", quote(&one.model));
    }
    let is_chosen = |api: &ApiVendor| {
        choices
            .models
            .iter()
            .any(|one| one.name == api.agent_name())
    };
    for api in options.apis.iter().filter(|api| !is_chosen(api)) {
        out.push_str(&render_api(api));
    }
    out.push_str(
        r#"
# Any tool that reports SARIF can be a judge; its findings are checked like those of the others.
# [agents.semgrep]
# driver = "command"
# command = ["semgrep", "scan", "--sarif", "--quiet", "--metrics", "off", "--config", ".semgrep.yml", "{files}"]
# format = "sarif"

[timeouts]
# r1 = "120s"
# r2 = "90s"
"#,
    );
    out + &render_tools(&options.tools, choices)
}

fn render_review(options: &SetupOptions, choices: &SetupChoices) -> String {
    let others: Vec<&str> = options.clients.iter().map(|one| one.known.name).collect();
    let others = if others.is_empty() {
        vec!["claude", "codex"]
    } else {
        others
    };
    let offer = if choices.has_models() {
        String::new()
    } else {
        format!(
            "# With models: two judges, or one for each agent if there are more. They may cost money.\n\
             # agents = {}\n",
            list(others)
        )
    };
    format!(
        r#"# git-council: your own configuration. `git council config --keys` lists every key,
# `git council config --show-origin` says where each value comes from.

[review]
# The agents that act as judges, in turn. The built-in rules need no key and cost nothing.
agents = {}
{offer}
# When to run a second round: `auto` if the judges disagree, or if only one of them reports a critical finding;
# `force` always; `off` never.
# debate = "auto"
"#,
        list(choices.agents())
    )
}

fn render_client(one: &InstalledClient) -> String {
    format!(
        "\n# {}: {}\n[agents.{}]\ndriver = \"{}\"\n# model = \"…\"\n",
        one.known.name,
        describe_version(one),
        one.known.name,
        one.known.driver
    )
}

/// What a client says its version is, or why it says none.
pub(crate) fn describe_version(one: &InstalledClient) -> String {
    match &one.version {
        Ok(version) => Untrusted::new(version).line(),
        Err(failure) => Untrusted::new(&failure.detail).line(),
    }
}

fn render_api(api: &ApiVendor) -> String {
    format!(
        "\n# {} is set. To let a model judge with it: name the model, take the `#` away, and add \"{name}\" to `agents`.\n\
         # [agents.{name}]\n# driver = \"http\"\n# api = \"{}\"\n# model = \"…\"\n",
        api.key,
        api.api_name(),
        name = api.agent_name(),
    )
}

/// The linters of this repository that were not chosen, as comments: they run programs, and the file is for all
/// repositories.
fn render_tools(tools: &[InstalledTool], choices: &SetupChoices) -> String {
    let is_chosen = |one: &&InstalledTool| choices.tools.iter().any(|name| name == one.tool.name);
    let rest: Vec<&InstalledTool> = tools.iter().filter(|one| !is_chosen(one)).collect();
    if rest.is_empty() {
        return String::new();
    }
    let names = rest.iter().map(|one| one.tool.name);
    let mut out = format!(
        "\n# Tools that this repository uses, as judges: `agents = {}` under [review].\n",
        list(choices.agents().into_iter().chain(names).collect())
    );
    for InstalledTool { tool, problem } in rest {
        if let Some(problem) = problem {
            let _ = writeln!(out, "# {}: {}", tool.name, Untrusted::new(problem).line());
        }
        if tool.code == TreeCode::Always {
            let _ = writeln!(
                out,
                "# {0} runs code of the change: only if you review nothing that you would not run yourself.\n\
                 # [agents.{0}]\n# allow-code = true",
                tool.name
            );
        }
    }
    out
}

fn list(names: Vec<&str>) -> String {
    let names: Vec<String> = names.into_iter().map(quote).collect();
    format!("[{}]", names.join(", "))
}

/// A string of TOML.
fn quote(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
