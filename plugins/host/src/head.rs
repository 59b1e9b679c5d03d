//! Whom an event is about that cannot be read whole.

use std::fmt;

use council_protocol::{JudgeId, TurnId};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

/// How much of an event is looked at. Judge and turn stand in front of the answer (`docs/backends.md` says so).
pub(crate) const SCANNED: usize = 4096;

/// As much as was found before the text broke off or went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct EventHead {
    pub(crate) judge: Option<JudgeId>,
    pub(crate) turn: Option<TurnId>,
}

impl EventHead {
    /// Reads the first [`SCANNED`] bytes of an event.
    pub(crate) fn from_bytes(event: &[u8]) -> Self {
        let mut head = Self::default();
        let prefix = &event[..event.len().min(SCANNED)];
        // An error is expected here: the prefix is cut, or the event is garbled. What was met before it counts.
        let _ = (&mut head).deserialize(&mut serde_json::Deserializer::from_slice(prefix));
        head
    }
}

impl<'de> DeserializeSeed<'de> for &mut EventHead {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for &mut EventHead {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "judge" => self.judge = Some(map.next_value()?),
                "turn" => self.turn = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn judge_and_turn_are_found_in_what_is_cut_or_garbled() {
        let whole = EventHead {
            judge: Some("judge-1".into()),
            turn: Some(TurnId(3)),
        };
        let start = br#"{"type":"answered","judge":"judge-1","turn":3,"raw":""#;
        let long = [start.as_slice(), &vec![b'x'; 9_000], br#""}"#].concat();
        let bytes = [start.as_slice(), b"\xff\xfe\"}"].concat();
        for event in [long, bytes, start.to_vec()] {
            assert_eq!(EventHead::from_bytes(&event), whole);
        }
    }

    #[test]
    fn nothing_is_made_up() {
        for event in [
            b"".as_slice(),
            b"null",
            b"[]",
            b"\"judge\"",
            br#"{"judge":7}"#,
            b"\xff",
        ] {
            assert_eq!(EventHead::from_bytes(event), EventHead::default());
        }
    }
}
