//! What a server wants otherwise than its API has it, as its refusals say.

use std::sync::LazyLock;

use council_protocol::seat::{Api, Endpoint};
use regex::Regex;

use crate::http::refusal::without_addresses;

/// What a call may go without: each is a convenience, or a wish of the user that the receipt then says was not granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::http) enum Parameter {
    /// How hard the model is to think.
    Effort,
    /// How many tokens it may think.
    Thinking,
    /// An answer that comes in pieces.
    Stream,
    /// The tokens at the end of a stream.
    StreamOptions,
    /// Marks up to which a prompt is kept.
    CacheMarks,
    /// What tells a provider which requests to send to the same cache.
    CacheKey,
    /// What the server said of its reasoning, which goes back to it.
    Reasoning,
    /// A wish for reasoning that can go back.
    Include,
}

/// Each with its name, and the words by which refusals mean it.
const PARAMETERS: [(Parameter, &str, &[&str]); 8] = [
    (Parameter::Effort, "effort", &["effort"]),
    (
        Parameter::Thinking,
        "thinking",
        &["thinking", "thinking_budget", "thinking_config"],
    ),
    (
        Parameter::StreamOptions,
        "stream_options",
        &["stream_options"],
    ),
    (Parameter::Stream, "stream", &["stream", "streaming"]),
    (Parameter::CacheMarks, "cache_control", &["cache_control"]),
    (
        Parameter::CacheKey,
        "prompt_cache_key",
        &["prompt_cache_key"],
    ),
    (
        Parameter::Reasoning,
        "reasoning",
        &[
            "reasoning",
            "reasoning_content",
            "reasoning_details",
            "extra_content",
        ],
    ),
    (
        Parameter::Include,
        "include",
        &["include", "encrypted", "encrypted_content"],
    ),
];

/// The names of the limit of an answer.
const LIMITS: [&str; 5] = [
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxoutputtokens",
    "max_new_tokens",
];

/// A server that allows fewer tokens than this has no room for an answer; and a smaller number is rather its status.
const MIN_ANSWER_TOKENS: u32 = 1_000;

/// A call as it was sent.
pub(in crate::http) struct RefusedCall<'e> {
    pub(in crate::http) endpoint: &'e Endpoint,
    /// Whether it offered tools.
    pub(in crate::http) has_tools: bool,
    /// Whether calls of tools went back with it.
    pub(in crate::http) has_calls: bool,
}

/// What a server was found to want otherwise.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::http) struct ServerHabits {
    /// The most tokens of an answer are `max_completion_tokens` to it, as behind a gateway to OpenAI's newer models.
    pub(in crate::http) new_token_limit: bool,
    /// The most tokens that it allows, those of thoughts among them.
    pub(in crate::http) most_tokens: Option<u32>,
    left_out: [bool; PARAMETERS.len()],
}

impl ServerHabits {
    /// Whether the calls go without a parameter.
    pub(in crate::http) fn leaves_out(&self, parameter: Parameter) -> bool {
        self.left_out[parameter as usize]
    }

    /// The same for a call whose answer is to come in one piece.
    pub(in crate::http) fn without_stream(mut self) -> Self {
        self.left_out[Parameter::Stream as usize] = true;
        self
    }

    /// An endpoint with what its server takes.
    pub(in crate::http) fn fit(&self, mut endpoint: Endpoint) -> Endpoint {
        endpoint.effort = endpoint
            .effort
            .filter(|_| !self.leaves_out(Parameter::Effort));
        endpoint.thinking = endpoint
            .thinking
            .filter(|_| !self.leaves_out(Parameter::Thinking));
        if let Some(most) = self.most_tokens {
            let thought = endpoint.thinking.unwrap_or(0);
            endpoint.max_tokens = endpoint.max_tokens.min(most.saturating_sub(thought).max(1));
        }
        endpoint
    }

    /// Learns from the refusal of a call: what the next one does without, in words; empty where it would be the same call.
    pub(in crate::http) fn learn(&mut self, sent: &RefusedCall<'_>, refusal: &str) -> Vec<String> {
        let endpoint = sent.endpoint;
        let refusal = without_addresses(refusal).to_lowercase();
        let spoken = unify_thinking(&refusal);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let words: Vec<&str> = spoken.split(|c| !is_word(c)).collect();
        let names = |word: &&str| words.contains(word);
        let means_effort = self.means_effort(&words, sent);
        let mut learned = Vec::new();
        for (parameter, name, means) in PARAMETERS {
            let is_named = means.iter().any(names);
            let is_meant = match parameter {
                Parameter::Effort => means_effort,
                // Who complains of its options has nothing against a stream.
                Parameter::Stream => is_named && !names(&"stream_options"),
                // What has another name than the bare one is what goes back, and no wish.
                Parameter::Reasoning if means_effort => means.iter().skip(1).any(names),
                _ => is_named,
            };
            if is_meant && self.sends(parameter, sent) {
                self.left_out[parameter as usize] = true;
                learned.push(format!("`{name}`"));
            }
        }
        let thought = endpoint.thinking.unwrap_or(0);
        let limit = endpoint.max_tokens.saturating_add(thought);
        if !learned.is_empty() || !names_limit(&refusal) {
            return learned;
        }
        if let Some(most) = allowed_tokens(&refusal, limit)
            .filter(|most| *most >= MIN_ANSWER_TOKENS.saturating_add(thought))
        {
            self.most_tokens = Some(most);
            learned.push(format!("{limit} tokens as its limit"));
        } else if endpoint.api == Api::Chat
            && names(&"max_completion_tokens")
            && !self.new_token_limit
        {
            self.new_token_limit = true;
            learned.push("`max_tokens`".to_owned());
        }
        learned
    }

    /// Whether the words of a refusal are about the effort that a call asked for: also where they speak of thinking as such,
    /// and nothing else that it sent is about that.
    fn means_effort(&self, words: &[&str], sent: &RefusedCall<'_>) -> bool {
        let names = |word: &str| words.contains(&word);
        let is_general = ["thinking", "thinking_config", "thinking_budget"]
            .map(names)
            .contains(&true)
            || (names("reasoning") && !names("messages"));
        let is_alone = is_general && !self.sends(Parameter::Thinking, sent);
        (names("effort") || is_alone) && self.sends(Parameter::Effort, sent)
    }

    /// Gives up what the user wished beside the review, where a refusal tells nothing: what the program itself sends was
    /// taken from others. In words; empty where nothing was wished.
    pub(in crate::http) fn give_up_wishes(&mut self, sent: &RefusedCall<'_>) -> Vec<String> {
        let endpoint = sent.endpoint;
        let wishes = [
            (Parameter::Effort, endpoint.effort.is_some(), "`effort`"),
            (
                Parameter::Thinking,
                endpoint.thinking.is_some(),
                "`thinking`",
            ),
        ];
        let mut given_up = Vec::new();
        for (parameter, is_wished, name) in wishes {
            if is_wished && !self.leaves_out(parameter) {
                self.left_out[parameter as usize] = true;
                given_up.push(name.to_owned());
            }
        }
        given_up
    }

    /// Whether a call has the parameter.
    fn sends(&self, parameter: Parameter, sent: &RefusedCall<'_>) -> bool {
        let endpoint = sent.endpoint;
        let api = endpoint.api;
        let is_sent = match parameter {
            Parameter::Effort => endpoint.effort.is_some(),
            Parameter::Thinking => {
                endpoint.thinking.is_some() || (api == Api::Anthropic && endpoint.effort.is_some())
            }
            Parameter::Stream => true,
            Parameter::StreamOptions => api == Api::Chat && !self.leaves_out(Parameter::Stream),
            Parameter::CacheMarks => api == Api::Anthropic,
            Parameter::Reasoning => api == Api::Chat && sent.has_calls,
            Parameter::Include => api == Api::Responses && sent.has_tools,
            Parameter::CacheKey => matches!(api, Api::Chat | Api::Responses),
        };
        is_sent && !self.leaves_out(parameter)
    }
}

/// A refusal in small letters with one word for each of what the APIs call by many: "Thinking level", `reasoning.effort`,
/// `thinkingBudget`.
fn unify_thinking(refusal: &str) -> String {
    static WORDS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let forms = [
            (
                r"(?:thinking|reasoning)[\s_.\-]*(?:level|effort)",
                " effort ",
            ),
            (
                r"thinking[\s_.\-]*budget|budget[\s_.\-]*tokens",
                " thinking_budget ",
            ),
            (r"thinking[\s_.\-]*config(?:uration)?", " thinking_config "),
        ];
        let built = forms.into_iter();
        built
            .filter_map(|(form, word)| Some((Regex::new(form).ok()?, word)))
            .collect()
    });
    let mut spoken = refusal.to_owned();
    for (form, word) in WORDS.iter() {
        spoken = form.replace_all(&spoken, *word).into_owned();
    }
    spoken
}

/// Whether a refusal is about the most tokens of an answer.
pub(in crate::http) fn names_limit(refusal: &str) -> bool {
    let refusal = refusal.to_lowercase();
    LIMITS.iter().any(|name| refusal.contains(name))
        || [
            "completion tokens",
            "output tokens",
            "maximum tokens",
            "in the completion",
        ]
        .iter()
        .any(|words| refusal.contains(words))
}

/// The most tokens that a refusal says are allowed, fewer than were `sent`: as a number, or as what is left of the context.
fn allowed_tokens(refusal: &str, sent: u32) -> Option<u32> {
    static TOTAL: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?:context (?:length|window|size)\D{0,40}|must be <= )(\d[\d,]*)").ok()
    });
    static INPUT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(\d[\d,]*) (?:`inputs`|(?:input|prompt) tokens|(?:tokens )?(?:in|from) the (?:messages|prompt|input))").ok()
    });
    static NUMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?:^|[^\w.,/-])(\d[\d,_]*)").ok());
    let number = |digits: &str| digits.replace([',', '_'], "").parse::<u32>().ok();
    let first = |pattern: &Option<Regex>| {
        let found = pattern.as_ref()?.captures(refusal)?;
        number(found.get(1)?.as_str())
    };
    let of_context = first(&TOTAL).zip(first(&INPUT));
    if let Some((total, input)) = of_context {
        return total.checked_sub(input).filter(|left| *left < sent);
    }
    let numbers = NUMBER.as_ref()?.captures_iter(refusal);
    let numbers = numbers.filter_map(|found| number(found.get(1)?.as_str()));
    let most = numbers.filter(|most| *most < sent).max()?;
    let is_beyond = refusal.contains("exclusive")
        || ((refusal.contains("less than ") || refusal.contains("lower than "))
            && !refusal.contains("than or equal"));
    Some(most - u32::from(is_beyond))
}

#[cfg(test)]
mod tests {
    use council_protocol::seat::{Effort, Prime};

    use super::*;

    fn endpoint(api: Api) -> Endpoint {
        Endpoint {
            api,
            url: String::new(),
            key: None,
            fallback: Vec::new(),
            max_tokens: 16_000,
            structured: true,
            prime: Prime::Auto,
            tool_calls: 0,
            effort: None,
            thinking: None,
        }
    }

    fn learn(habits: &mut ServerHabits, endpoint: &Endpoint, refusal: &str) -> Vec<String> {
        let sent = RefusedCall {
            endpoint,
            has_tools: true,
            has_calls: true,
        };
        habits.learn(&sent, refusal)
    }

    #[test]
    fn a_refusal_teaches_each_habit_once() {
        let limit = "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.";
        let effort = "Unrecognized request argument supplied: reasoning_effort";
        let plain = endpoint(Api::Chat);
        let with_effort = Endpoint {
            effort: Some(Effort::High),
            ..plain.clone()
        };
        let mut habits = ServerHabits::default();
        assert_eq!(learn(&mut habits, &plain, limit), ["`max_tokens`"]);
        assert!(habits.new_token_limit);
        assert!(
            learn(&mut habits, &plain, limit).is_empty(),
            "it did not help"
        );
        assert!(
            learn(&mut habits, &plain, effort).is_empty(),
            "none was sent"
        );
        assert_eq!(learn(&mut habits, &with_effort, effort), ["`effort`"]);
        assert!(learn(&mut habits, &with_effort, effort).is_empty());
        assert!(learn(&mut habits, &with_effort, "your key has no credit").is_empty());
        let mut other = ServerHabits::default();
        assert!(learn(&mut other, &endpoint(Api::Anthropic), limit).is_empty());
    }

    /// However a server says how many tokens it allows, the number is understood; what only looks like one is not.
    #[test]
    fn the_most_tokens_are_read_from_every_refusal() {
        for (refusal, most) in [
            (
                "max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-20241022",
                8192,
            ),
            (
                "max_tokens is too large: 16000. This model supports at most 4096 completion tokens, whereas you provided 16000.",
                4096,
            ),
            (
                "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
                8192,
            ),
            (
                "a maxOutputTokens value of 16000 but the supported range is from 1 (inclusive) to 8193 (exclusive)",
                8192,
            ),
            ("`max_tokens` must be less than or equal to `8,192`", 8192),
            (
                "The maximum tokens you requested exceeds the model limit of 4096. Use a value lower than 4097.",
                4096,
            ),
            (
                "'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context length is 8192 \
              tokens and your request has 3000 input tokens (16000 > 8192 - 3000).",
                5192,
            ),
            (
                "This model's maximum context length is 32768 tokens. However, you requested 36000 tokens (20000 in the \
              messages, 16000 in the completion).",
                12_768,
            ),
            (
                "`inputs` tokens + `max_new_tokens` must be <= 8193. Given: 3000 `inputs` tokens and 16000 `max_new_tokens`",
                5193,
            ),
        ] {
            for api in [Api::Anthropic, Api::Responses, Api::Chat, Api::Gemini] {
                let mut habits = ServerHabits::default();
                let told = learn(&mut habits, &endpoint(api), refusal);
                assert_eq!(habits.most_tokens, Some(most), "{api:?}: {refusal}");
                assert_eq!(told, ["16000 tokens as its limit"]);
                assert_eq!(habits.fit(endpoint(api)).max_tokens, most);
            }
        }
        for none in [
            "max_tokens of gpt-3.5-turbo-1106 must be smaller (400 Bad Request)",
            "This model's maximum context length is 2048 tokens. However, you requested 20000 tokens",
            "max_tokens: 16000 > 12",
        ] {
            let mut habits = ServerHabits::default();
            assert!(
                learn(&mut habits, &endpoint(Api::Chat), none).is_empty(),
                "{none}"
            );
        }
    }
}
