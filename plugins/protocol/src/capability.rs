//! What a backend can do, and how a grant is decided.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One thing that a backend or an agent can do (kebab-case on the wire).
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "String", into = "String")]
pub enum Capability {
    /// Several judges at once, each with its own prompt.
    Spawn,
    /// A judge can be sent more and still has its context.
    Message,
    /// A judge can be asked to end, and confirms.
    Shutdown,
    /// The worker reads and writes the run's folder.
    SharedFs,
    /// The agent returns schema-checked JSON.
    StructuredOutput,
    /// The client itself enforces that the judge cannot write.
    ReadOnly,
    /// A conversation can be taken up again by a fresh process.
    Resume,
    /// Judges can be sent each other's messages between turns.
    PeerMessages,
    /// Tokens or money of a turn are reported.
    Cost,
    /// A name that this version does not know: kept and ignored, as git keeps unknown protocol capabilities.
    Unknown(String),
}

const NAMES: [(&str, Capability); 9] = [
    ("spawn", Capability::Spawn),
    ("message", Capability::Message),
    ("shutdown", Capability::Shutdown),
    ("shared-fs", Capability::SharedFs),
    ("structured-output", Capability::StructuredOutput),
    ("read-only", Capability::ReadOnly),
    ("resume", Capability::Resume),
    ("peer-messages", Capability::PeerMessages),
    ("cost", Capability::Cost),
];

impl Capability {
    /// What a backend that has it can do, to follow "it can" or "it cannot"; an unknown one is shown by its name.
    pub fn ability(&self) -> &str {
        match self {
            Self::Spawn => "run several judges side by side",
            Self::Message => "ask a judge a second time",
            Self::Shutdown => "end a judge in an orderly way",
            Self::SharedFs => "give judges the folder of the run",
            Self::StructuredOutput => "hold answers to a schema",
            Self::ReadOnly => "keep judges from writing",
            Self::Resume => "take up a conversation again",
            Self::PeerMessages => "pass messages between judges",
            Self::Cost => "tell what a turn costs",
            Self::Unknown(name) => name,
        }
    }

    /// The name on the wire.
    pub fn name(&self) -> &str {
        if let Self::Unknown(name) = self {
            return name;
        }
        NAMES
            .iter()
            .find(|(_, c)| c == self)
            .map_or("", |(name, _)| name)
    }

    /// Every capability that this version knows, in the order of the tables.
    pub fn known() -> impl Iterator<Item = Self> {
        NAMES.iter().map(|(_, c)| c.clone())
    }
}

impl From<String> for Capability {
    fn from(name: String) -> Self {
        let known = NAMES
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, c)| c.clone());
        known.unwrap_or(Self::Unknown(name))
    }
}

impl From<Capability> for String {
    fn from(capability: Capability) -> Self {
        capability.name().to_owned()
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of capabilities, ordered by the table above.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct CapabilitySet(BTreeSet<Capability>);

impl CapabilitySet {
    /// Whether `capability` is in the set.
    pub fn has(&self, capability: &Capability) -> bool {
        self.0.contains(capability)
    }

    /// Adds a capability.
    pub fn insert(&mut self, capability: Capability) {
        self.0.insert(capability);
    }

    /// Takes one out.
    pub fn remove(&mut self, capability: &Capability) {
        self.0.remove(capability);
    }

    /// What both sets have.
    pub fn intersection(&self, other: &Self) -> Self {
        Self(self.0.intersection(&other.0).cloned().collect())
    }

    /// What `need` has and this set lacks.
    pub fn missing(&self, need: &Self) -> Self {
        Self(need.0.difference(&self.0).cloned().collect())
    }

    /// The capabilities in order.
    pub fn iter(&self) -> impl Iterator<Item = &Capability> {
        self.0.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Capability> for CapabilitySet {
    fn from_iter<I: IntoIterator<Item = Capability>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl<const N: usize> From<[Capability; N]> for CapabilitySet {
    fn from(list: [Capability; N]) -> Self {
        list.into_iter().collect()
    }
}

impl fmt::Display for CapabilitySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, capability) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(", ")?;
            }
            f.write_str(capability.name())?;
        }
        Ok(())
    }
}

/// Numeric limits of a backend.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Limits {
    /// The most judges that may be alive at once; none: no limit of its own.
    pub max_judges: Option<u32>,
    /// The largest message in bytes; none: no limit of its own.
    pub max_message_bytes: Option<u64>,
}

/// What a procedure asked for, what it was given, and what stands in for the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Grant {
    /// What the procedure needs.
    pub requested: CapabilitySet,
    /// What is really there: backend ∩ agent ∩ probe.
    pub granted: CapabilitySet,
    /// Capability → what is done instead.
    pub emulated: BTreeMap<Capability, String>,
}

/// What is granted is what the backend, the agent and the probe of the seat all have.
pub fn grant(
    backend: &CapabilitySet,
    agent: &CapabilitySet,
    probe: &CapabilitySet,
) -> CapabilitySet {
    backend.intersection(agent).intersection(probe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_unknown_ones_are_kept() {
        for capability in Capability::known() {
            assert_eq!(Capability::from(capability.name().to_owned()), capability);
        }
        let odd: Capability = serde_json::from_str(r#""time-travel""#).unwrap();
        assert_eq!(odd, Capability::Unknown("time-travel".into()));
        assert_eq!(serde_json::to_string(&odd).unwrap(), r#""time-travel""#);
    }

    #[test]
    fn a_grant_is_what_all_three_have() {
        let backend =
            CapabilitySet::from([Capability::Spawn, Capability::Message, Capability::Shutdown]);
        let agent = CapabilitySet::from([Capability::Spawn, Capability::Message]);
        let probe = CapabilitySet::from([Capability::Spawn]);
        assert_eq!(
            grant(&backend, &agent, &probe),
            CapabilitySet::from([Capability::Spawn])
        );
    }
}
