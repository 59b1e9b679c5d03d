//! The questions of `git council init`. Enter alone always means no: nothing that costs money is chosen by accident.

use std::io::BufRead;

use crate::run::first_setup::{
    ChosenModel, SetupChoices, SetupOptions, SetupPreset, describe_version,
};
use crate::text::Untrusted;

/// How often a question is put again whose answer makes no sense.
const MAX_TRIES: usize = 3;

/// What somebody at a terminal wants; without one everything stays off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct InitAnswers {
    pub(super) choices: SetupChoices,
    /// Pushes of this repository are reviewed.
    pub(super) with_hook: bool,
}

/// Somebody who is asked.
pub(super) struct Interview<'a> {
    pub(super) input: &'a mut dyn BufRead,
    pub(super) tell: &'a dyn Fn(&str),
    /// Whether the input ended before a question had its answer. Nobody has chosen what the answers say then.
    pub(super) has_ended: bool,
}

impl Interview<'_> {
    pub(super) fn ask_preset(&mut self) -> SetupPreset {
        (self.tell)(concat!(
            "What do you want to set up?\n",
            "  1  solo         reviews at your terminal, in every repository\n",
            "  2  team         a required check on pull requests of this repository\n",
            "  3  open-source  advice on pull requests from forks, without secrets\n",
        ));
        for _ in 0..MAX_TRIES {
            match self.read("1, 2 or 3 [1]").as_str() {
                "" | "1" | "solo" => break,
                "2" | "team" => return SetupPreset::Team,
                "3" | "open-source" => return SetupPreset::OpenSource,
                _ => {}
            }
        }
        SetupPreset::Solo
    }

    pub(super) fn ask_rest(&mut self, preset: SetupPreset, options: &SetupOptions) -> InitAnswers {
        let mut answers = InitAnswers::default();
        // Who judges is written to the user's own file only; one that is there stays.
        if options.own_file.is_some() {
            answers.choices.clients = self.ask_clients(options);
            answers.choices.models = self.ask_models(options);
            answers.choices.tools = self.ask_tools(options);
        }
        if options.worktree.is_some() {
            let question = match preset {
                SetupPreset::Solo => "Review every push of this repository?",
                SetupPreset::Team | SetupPreset::OpenSource => "Review your own pushes, too?",
            };
            answers.with_hook = self.ask_yes(&format!(
                "{question} A hook gives advice and stops nothing."
            ));
        }
        answers
    }

    fn ask_clients(&mut self, options: &SetupOptions) -> Vec<String> {
        let names: Vec<&str> = options.clients.iter().map(|one| one.known.name).collect();
        if names.is_empty() {
            return Vec::new();
        }
        if !self.has_ended {
            self.tell_installed(options);
        }
        let question = match names.len() {
            1 => "May it judge? Its answers may cost money.",
            _ => "Which of them may judge? Their answers may cost money.",
        };
        self.ask_names(question, &names)
    }

    fn tell_installed(&self, options: &SetupOptions) {
        (self.tell)("Agents installed here:\n");
        for one in &options.clients {
            let line = format!("  {}  {}\n", one.known.name, describe_version(one));
            (self.tell)(&line);
        }
    }

    fn ask_models(&mut self, options: &SetupOptions) -> Vec<ChosenModel> {
        let mut chosen = Vec::new();
        for api in &options.apis {
            let question = format!(
                "{} is set. Which model may judge with it? It costs money. (its name; Enter: none)",
                api.key
            );
            if let Some(model) = self.ask_model(&question) {
                chosen.push(ChosenModel {
                    name: api.agent_name(),
                    api: api.api_name(),
                    url: None,
                    model,
                });
            }
        }
        let question = "Is there a model server of your own that may judge, e.g. http://localhost:11434/v1? \
                        (its URL; Enter: none)";
        let Some(url) = self.ask_until(question, is_url) else {
            return chosen;
        };
        if let Some(model) = self.ask_model("Which of its models? (its name; Enter: none)") {
            chosen.push(ChosenModel {
                name: "local".to_owned(),
                api: "chat",
                url: Some(url),
                model,
            });
        }
        chosen
    }

    fn ask_tools(&mut self, options: &SetupOptions) -> Vec<String> {
        let names: Vec<&str> = options.ready_tools().collect();
        if names.is_empty() {
            return Vec::new();
        }
        let which = match names.len() {
            1 => "May it judge, here and elsewhere? It costs nothing.",
            _ => "Which of them may judge, here and elsewhere? They cost nothing.",
        };
        let question = format!("This repository uses {}. {which}", names.join(", "));
        self.ask_names(&question, &names)
    }

    /// Some of these names.
    fn ask_names(&mut self, question: &str, names: &[&str]) -> Vec<String> {
        let answers = match names.len() {
            1 => "[y/N]",
            _ => "(names, or `all`; Enter: none)",
        };
        for _ in 0..MAX_TRIES {
            let typed = self.read(&format!("{question} {answers}"));
            let words: Vec<&str> = typed
                .split([',', ' '])
                .filter(|word| !word.is_empty())
                .collect();
            if words == ["all"] || names.len() == 1 && is_yes(&typed) {
                return names.iter().map(|&name| name.to_owned()).collect();
            }
            if is_no(&typed) {
                return Vec::new();
            }
            match words.iter().find(|word| !names.contains(word)) {
                Some(word) => {
                    let word = Untrusted::new(word).line();
                    (self.tell)(&format!("  {word} is none of {}\n", names.join(", ")));
                }
                None => {
                    let is_named = |name: &&&str| words.contains(*name);
                    let named = names.iter().filter(is_named);
                    return named.map(|&name| name.to_owned()).collect();
                }
            }
        }
        Vec::new()
    }

    fn ask_model(&mut self, question: &str) -> Option<String> {
        self.ask_until(question, is_model_name)
    }

    /// An answer that makes sense; none when nothing is typed.
    fn ask_until(
        &mut self,
        question: &str,
        is_fine: fn(&str) -> Result<(), &str>,
    ) -> Option<String> {
        for _ in 0..MAX_TRIES {
            let typed = self.read(question);
            if typed.is_empty() {
                return None;
            }
            match is_fine(&typed) {
                Ok(()) => return Some(typed),
                Err(why) => (self.tell)(&format!("  {why}\n")),
            }
        }
        None
    }

    fn ask_yes(&mut self, question: &str) -> bool {
        let typed = self.read(&format!("{question} [y/N]"));
        is_yes(&typed)
    }

    /// What is typed in one line; nothing when there is nobody any more, who is asked nothing more either.
    fn read(&mut self, question: &str) -> String {
        if self.has_ended {
            return String::new();
        }
        (self.tell)(&format!("{question} "));
        let mut typed = String::new();
        match self.input.read_line(&mut typed) {
            Ok(1..) => typed.trim().to_owned(),
            Ok(0) | Err(_) => {
                self.has_ended = true;
                (self.tell)("\n");
                String::new()
            }
        }
    }
}

fn is_yes(typed: &str) -> bool {
    ["y", "yes"].contains(&typed.to_ascii_lowercase().as_str())
}

fn is_no(typed: &str) -> bool {
    ["n", "no", "none"].contains(&typed.to_ascii_lowercase().as_str())
}

fn is_model_name(text: &str) -> Result<(), &str> {
    let is_fine =
        !text.starts_with('-') && !text.contains(|c: char| c.is_whitespace() || c.is_control());
    if is_fine {
        Ok(())
    } else {
        Err("the name of a model has no spaces and does not begin with `-`")
    }
}

fn is_url(text: &str) -> Result<(), &str> {
    let rest = text
        .strip_prefix("http://")
        .or_else(|| text.strip_prefix("https://"));
    let is_fine = |rest: &str| {
        !rest.is_empty() && !rest.contains(|c: char| c.is_whitespace() || c.is_control())
    };
    if rest.is_some_and(is_fine) {
        Ok(())
    } else {
        Err("a URL begins with http:// or https:// and has no spaces")
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use council_agents::known::KNOWN_CLIENTS;

    use super::*;
    use crate::run::environment::ProcessEnvironment;
    use crate::run::first_setup::samples::options;

    fn interview<T>(typed: &str, ask: impl FnOnce(&mut Interview) -> T) -> (T, String) {
        let told = RefCell::new(String::new());
        let tell = |text: &str| told.borrow_mut().push_str(text);
        let mut input = typed.as_bytes();
        let mut interview = Interview {
            input: &mut input,
            tell: &tell,
            has_ended: false,
        };
        let answer = ask(&mut interview);
        (answer, told.into_inner())
    }

    #[test]
    fn where_there_is_one_of_something_yes_is_an_answer() {
        let ask = |typed: &str| {
            let (named, told) = interview(typed, |one| one.ask_names("May it judge?", &["ruff"]));
            assert_eq!(told, "May it judge? [y/N] ", "{typed}");
            named
        };
        for typed in ["y\n", "Yes\n", "ruff\n", "all\n"] {
            assert_eq!(ask(typed), ["ruff"]);
        }
        for typed in ["\n", "n\n", "no\n"] {
            assert_eq!(ask(typed), [""; 0]);
        }
    }

    #[test]
    fn who_types_nothing_chooses_nothing() {
        let options = options(&KNOWN_CLIENTS[..2], &["ruff"]);
        for typed in ["", "\n\n\n\n\n\n\n\n"] {
            let (answers, _) = interview(typed, |one| one.ask_rest(SetupPreset::Solo, &options));
            assert_eq!(answers, InitAnswers::default());
            let (preset, _) = interview(typed, |one| one.ask_preset());
            assert_eq!(preset, SetupPreset::Solo);
        }
    }

    #[test]
    fn what_is_typed_is_chosen_and_what_makes_no_sense_is_asked_again() {
        let mut options = options(&KNOWN_CLIENTS[..2], &["ruff", "shellcheck"]);
        let environment = ProcessEnvironment::from_vars(&[("ANTHROPIC_API_KEY", "x")]);
        options.apis = crate::run::seats::vendors_with_key(&environment);
        let typed =
            "gpt\nclaude\n- x\nsome-model\nlocalhost\nhttp://localhost:1/v1\nqwen\nall\ny\n";
        let (answers, told) = interview(typed, |one| one.ask_rest(SetupPreset::Solo, &options));
        assert!(told.contains("gpt is none of claude, codex"), "{told}");
        assert!(told.contains("a URL begins with"), "{told}");
        assert_eq!(answers.choices.clients, ["claude"]);
        assert_eq!(answers.choices.tools, ["ruff", "shellcheck"]);
        assert!(answers.with_hook);
        let models: Vec<(&str, &str, Option<&str>, &str)> = answers
            .choices
            .models
            .iter()
            .map(|one| (&*one.name, one.api, one.url.as_deref(), &*one.model))
            .collect();
        assert_eq!(
            models,
            [
                ("anthropic-api", "anthropic", None, "some-model"),
                ("local", "chat", Some("http://localhost:1/v1"), "qwen"),
            ]
        );
    }

    /// Law: wherever the input ends before the last answer, that is known; and after it nothing is asked.
    #[test]
    fn input_that_ends_before_the_last_answer_is_known_to() {
        let options = options(&KNOWN_CLIENTS[..2], &["ruff"]);
        let answers = ["1", "claude", "", "all", "y"];
        let ask = |one: &mut Interview| {
            let preset = one.ask_preset();
            one.ask_rest(preset, &options);
            one.has_ended
        };
        for count in 0..=answers.len() {
            let typed: String = answers[..count].iter().map(|a| format!("{a}\n")).collect();
            let (has_ended, told) = interview(&typed, ask);
            assert_eq!(has_ended, count < answers.len(), "{typed:?}: {told}");
            let asked = [
                "[1]",
                "may judge? Their",
                "server of your own",
                "This repository uses",
                "Review every push",
            ];
            for (at, question) in asked.iter().enumerate() {
                assert_eq!(told.contains(question), at <= count, "{typed:?}: {told}");
            }
        }
    }

    #[test]
    fn a_file_that_is_there_is_not_asked_about() {
        let mut options = options(&KNOWN_CLIENTS[..2], &["ruff"]);
        options.own_file = None;
        let (answers, told) = interview("y\n", |one| one.ask_rest(SetupPreset::Team, &options));
        assert!(answers.with_hook && answers.choices.is_empty());
        assert!(!told.contains("judge"), "{told}");
    }

    #[test]
    fn a_preset_is_named_by_its_number_or_its_name() {
        for (typed, preset) in [
            ("2\n", SetupPreset::Team),
            ("team\n", SetupPreset::Team),
            ("9\n3\n", SetupPreset::OpenSource),
            ("1\n", SetupPreset::Solo),
        ] {
            assert_eq!(interview(typed, |one| one.ask_preset()).0, preset);
        }
    }
}
