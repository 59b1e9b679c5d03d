//! What was asked: every request with what a provider's cache would have held of it, and how many ran at once.

use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Serialize;

use crate::{Api, Ask, Tokens};

/// Headers of which only the end is kept.
const SECRET: [&str; 5] = [
    "authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "cookie",
];

/// How many blocks before a marker Anthropic looks back for what it has.
const LOOK_BACK: usize = 20;

/// One request.
#[derive(Debug, Clone, Serialize)]
pub struct Record {
    /// Its number, from 1.
    pub nth: u64,
    /// Milliseconds from the start of the server until it had arrived.
    pub at_ms: u64,
    /// Milliseconds from the start of the server until its answer was over; none: it is under way.
    pub done_ms: Option<u64>,
    /// The method.
    pub method: String,
    /// Path and query, without the key.
    pub path: String,
    /// The API; none: a count, a list, a probe.
    pub api: Option<Api>,
    /// Headers by name in lower case; of a secret only the last four characters.
    pub headers: BTreeMap<String, String>,
    /// The body, as text.
    pub body: String,
    /// The status that was answered; 0: nothing was.
    pub status: u16,
    /// How many requests for answers were under way, this one included.
    pub in_flight: usize,
    /// Whether the client left before the answer was over.
    pub aborted: bool,
    /// Bytes of the prompt as the model sees it.
    pub prompt_bytes: usize,
    /// Bytes at its beginning that are those of an earlier prompt to the same model.
    pub shared_bytes: usize,
    /// Bytes at its beginning that the provider would have read from its cache: by its own rules, and only of prompts
    /// whose answer had begun.
    pub cached_bytes: usize,
    /// The same, if the answer to every earlier prompt had begun by then: what could be read, whoever starts when.
    pub readable_bytes: usize,
}

/// All requests in numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stats {
    /// Requests for answers.
    pub requests: usize,
    /// By API.
    pub by_api: BTreeMap<Api, usize>,
    /// The most that were under way at once.
    pub max_in_flight: usize,
    /// Requests whose client left.
    pub aborted: usize,
    /// Bytes of all prompts.
    pub prompt_bytes: usize,
    /// Of these, what no cache held.
    pub uncached_bytes: usize,
}

/// What the server remembers.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    pub(crate) records: Vec<Record>,
    prompts: Vec<Prompt>,
    in_flight: usize,
}

/// A prompt that was sent.
#[derive(Debug)]
struct Prompt {
    nth: u64,
    api: Api,
    text: String,
    /// Prefixes that end at a marker, for providers that keep only those.
    kept: HashSet<u64>,
    /// Whether its answer has begun, from when on it is in the cache.
    begun: bool,
}

impl Journal {
    /// The number of the next request.
    pub(crate) fn next(&self) -> u64 {
        self.records.len() as u64 + 1
    }

    /// A request for an answer has arrived. The tokens of its prompt.
    pub(crate) fn arrive(&mut self, mut record: Record, ask: &Ask) -> Tokens {
        self.in_flight += 1;
        let text = ask.prompt();
        let ends = ends(ask);
        record.api = Some(ask.api);
        record.in_flight = self.in_flight;
        record.prompt_bytes = text.len();
        let earlier = self.prompts.iter().filter(|p| p.api == ask.api);
        let shared = earlier.clone().map(|p| common(&p.text, &text)).max();
        record.shared_bytes = shared.unwrap_or(0);
        let read_from = |prompts: Vec<&Prompt>| match ask.api {
            Api::Anthropic => {
                let kept = prompts.iter().flat_map(|p| p.kept.iter().copied());
                marked(ask, &text, &ends, &kept.collect())
            }
            _ => (prompts.iter().map(|p| common(&p.text, &text)).max()).unwrap_or(0),
        };
        record.readable_bytes = read_from(earlier.clone().collect());
        record.cached_bytes = read_from(earlier.filter(|p| p.begun).collect());
        let kept = (0..ends.len())
            .filter(|at| ask.parts[*at].marked)
            .map(|at| digest(&text[..ends[at]]))
            .collect::<HashSet<_>>();
        let stored = (ask.parts.iter().rposition(|p| p.marked))
            .map_or(0, |at| ends[at].saturating_sub(record.cached_bytes));
        let tokens = Tokens {
            input: (record.prompt_bytes - record.cached_bytes).div_ceil(4) as u64,
            cached: (record.cached_bytes / 4) as u64,
            stored: (stored / 4) as u64,
            output: 0,
        };
        self.prompts.push(Prompt {
            nth: record.nth,
            api: ask.api,
            text,
            kept,
            begun: false,
        });
        self.records.push(record);
        tokens
    }

    /// The answer to a request begins.
    pub(crate) fn begin(&mut self, nth: u64) {
        if let Some(prompt) = self.prompts.iter_mut().find(|p| p.nth == nth) {
            prompt.begun = true;
        }
    }

    /// The answer to a request is over.
    pub(crate) fn done(&mut self, nth: u64, at_ms: u64, status: u16, aborted: bool) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if let Some(record) = self.records.iter_mut().find(|r| r.nth == nth) {
            record.done_ms = Some(at_ms);
            record.status = status;
            record.aborted = aborted;
        }
    }

    pub(crate) fn stats(&self) -> Stats {
        let mut stats = Stats::default();
        for record in self.records.iter().filter(|r| r.api.is_some()) {
            stats.requests += 1;
            if let Some(api) = record.api {
                *stats.by_api.entry(api).or_default() += 1;
            }
            stats.max_in_flight = stats.max_in_flight.max(record.in_flight);
            stats.aborted += usize::from(record.aborted);
            stats.prompt_bytes += record.prompt_bytes;
            stats.uncached_bytes += record.prompt_bytes - record.cached_bytes;
        }
        stats
    }
}

/// Where each part of a prompt ends in its text, as [`Ask::prompt`] writes it.
fn ends(ask: &Ask) -> Vec<usize> {
    let mut end = ask.model.len() + 1;
    let part = |part: &crate::ask::Part| {
        end += part.role.len() + part.text.len() + 2;
        end
    };
    ask.parts.iter().map(part).collect()
}

/// The longest prefix that ends with a block not far before a marker and that was kept.
fn marked(ask: &Ask, text: &str, ends: &[usize], kept: &HashSet<u64>) -> usize {
    let markers = (0..ends.len()).filter(|at| ask.parts[*at].marked);
    let reach = markers.flat_map(|at| at.saturating_sub(LOOK_BACK)..=at);
    let hits = reach.filter(|at| kept.contains(&digest(&text[..ends[*at]])));
    hits.map(|at| ends[at]).max().unwrap_or(0)
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

fn common(a: &str, b: &str) -> usize {
    a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count()
}

/// Headers as they are kept.
pub(crate) fn masked(headers: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let mask = |(name, value): (&String, &String)| {
        let value = if SECRET.contains(&name.as_str()) {
            ending(value)
        } else {
            value.clone()
        };
        (name.clone(), value)
    };
    headers.iter().map(mask).collect()
}

/// A path without the key that some clients put into its query.
pub(crate) fn masked_path(path: &str) -> String {
    match path.split_once("key=") {
        Some((before, after)) => {
            let (key, rest) = after.split_at(after.find('&').unwrap_or(after.len()));
            format!("{before}key={}{rest}", ending(key))
        }
        None => path.to_owned(),
    }
}

fn ending(secret: &str) -> String {
    let keep = secret.chars().count().saturating_sub(4);
    format!("…{}", secret.chars().skip(keep).collect::<String>())
}
