//! Reading a report while the tool writes it: however long it is, only what is wanted of it is kept.

use std::collections::HashMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read};
use std::marker::PhantomData;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// The most bytes of a report that are read; a tool that writes more looks at something else than a change.
const MAX_REPORT_BYTES: u64 = 256 << 20;

/// The longest line of a report in lines.
const MAX_LINE_BYTES: u64 = 1 << 20;

/// The report as a stream, bounded.
pub(super) fn bounded(stream: impl Read) -> BufReader<impl Read> {
    BufReader::with_capacity(
        64 << 10,
        Bounded {
            stream,
            left: MAX_REPORT_BYTES,
        },
    )
}

/// The stream without the byte order mark that tools on Windows put in front of JSON.
pub(super) fn without_mark(mut stream: impl Read) -> io::Result<impl Read> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let mut start = Vec::new();
    (&mut stream)
        .take(MARK.len() as u64)
        .read_to_end(&mut start)?;
    if start == MARK {
        start.clear();
    }
    Ok(io::Cursor::new(start).chain(stream))
}

struct Bounded<R> {
    stream: R,
    left: u64,
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            let why = format!("it has more than {} MiB", MAX_REPORT_BYTES >> 20);
            return Err(io::Error::other(why));
        }
        let most = usize::try_from(self.left)
            .unwrap_or(usize::MAX)
            .min(buffer.len());
        let read = self.stream.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}

/// Hands on every line as text; a line that is too long is left out.
pub(super) fn each_line(mut stream: impl BufRead, mut on_line: impl FnMut(&str)) -> io::Result<()> {
    let mut line = Vec::new();
    let mut is_cut = false;
    loop {
        line.clear();
        let read = (&mut stream)
            .take(MAX_LINE_BYTES)
            .read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(());
        }
        let ends = line.last() == Some(&b'\n');
        if ends && !is_cut || !ends && (read as u64) < MAX_LINE_BYTES {
            on_line(String::from_utf8_lossy(&line).trim_end());
        }
        is_cut = !ends;
    }
}

/// A list whose items are handed on one by one instead of being kept.
pub(super) struct EachItem<T, F>(pub(super) F, pub(super) PhantomData<T>);

impl<'de, T: Deserialize<'de>, F: FnMut(T)> DeserializeSeed<'de> for EachItem<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T)> Visitor<'de> for EachItem<T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.0)(item);
        }
        Ok(())
    }
}

/// Whether an item of a list says where something stands.
pub(super) trait HasPlace {
    fn has_place(&self) -> bool;
}

/// The most places of one result that are looked at.
const MAX_PLACES: usize = 64;

/// The first items of a list that have a place; the others are read and dropped.
#[derive(Debug)]
pub(super) struct PlacedItems<T>(pub(super) Vec<T>);

impl<T> Default for PlacedItems<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de> + HasPlace> Deserialize<'de> for PlacedItems<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut placed = Vec::new();
        let keep = |item: T| {
            if placed.len() < MAX_PLACES && item.has_place() {
                placed.push(item);
            }
        };
        EachItem(keep, PhantomData).deserialize(deserializer)?;
        Ok(Self(placed))
    }
}

/// The most items that are kept of a list: two bytes of JSON can become a hundred bytes of memory.
const MAX_ITEMS: usize = 20_000;

/// The first items of a list; those beyond `MAX_ITEMS` are read and dropped.
#[derive(Debug)]
pub(super) struct Capped<T>(pub(super) Vec<T>);

impl<T> Default for Capped<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Capped<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut kept = Vec::new();
        let keep = |item: T| {
            if kept.len() < MAX_ITEMS {
                kept.push(item);
            }
        };
        EachItem(keep, PhantomData).deserialize(deserializer)?;
        Ok(Self(kept))
    }
}

/// The most members that are kept of a map: one of a log's has a handful.
const MAX_MEMBERS: usize = 256;

/// The first members of a map; those beyond `MAX_MEMBERS` are read and dropped.
#[derive(Debug)]
pub(super) struct CappedMap<T>(pub(super) HashMap<String, T>);

impl<T> Default for CappedMap<T> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for CappedMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(CappedMapReader(PhantomData))
    }
}

struct CappedMapReader<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for CappedMapReader<T> {
    type Value = CappedMap<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut kept = HashMap::new();
        while let Some(name) = members.next_key::<String>()? {
            if kept.len() < MAX_MEMBERS {
                kept.insert(name, members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(CappedMap(kept))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_is_left_out_and_the_next_is_read() {
        let text = format!("one\n{}\nthree", "x".repeat(3 << 20));
        let mut lines = Vec::new();
        each_line(text.as_bytes(), |line| lines.push(line.len())).unwrap();
        assert_eq!(lines, [3, 5]);
    }

    impl HasPlace for u8 {
        fn has_place(&self) -> bool {
            *self > 7
        }
    }

    #[test]
    fn the_items_with_a_place_are_kept_up_to_their_bound() {
        let PlacedItems(kept) = serde_json::from_str::<PlacedItems<u8>>("[7,8,9]").unwrap();
        assert_eq!(kept, [8, 9]);
        let many = format!("[{}9]", "9,".repeat(2 * MAX_PLACES));
        let PlacedItems(kept) = serde_json::from_str::<PlacedItems<u8>>(&many).unwrap();
        assert_eq!(kept.len(), MAX_PLACES);
    }

    #[test]
    fn a_byte_order_mark_in_front_is_no_part_of_a_report() {
        for (bytes, text) in [("\u{feff}{}", "{}"), ("{}", "{}"), ("a", "a"), ("", "")] {
            let mut read = String::new();
            let stream = without_mark(bytes.as_bytes()).unwrap();
            bounded(stream).read_to_string(&mut read).unwrap();
            assert_eq!(read, text);
        }
    }

    #[test]
    fn lists_and_maps_are_kept_up_to_their_bounds() {
        let list = format!("[{}1]", "1,".repeat(2 * MAX_ITEMS));
        let Capped(kept) = serde_json::from_str::<Capped<u8>>(&list).unwrap();
        assert_eq!(kept.len(), MAX_ITEMS);
        let members: Vec<String> = (0..2 * MAX_MEMBERS).map(|n| format!("\"{n}\":1")).collect();
        let map = format!("{{{}}}", members.join(","));
        let CappedMap(kept) = serde_json::from_str::<CappedMap<u8>>(&map).unwrap();
        assert_eq!(kept.len(), MAX_MEMBERS);
    }
}
