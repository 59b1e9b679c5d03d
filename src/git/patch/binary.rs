//! The content of a binary file in a patch: base 85 of a zlib stream, which holds the file, or what changes in it.

use std::sync::Arc;

use crate::limits::MAX_BLOB;

/// One side of a file, as it is packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackedSide {
    pub(super) is_delta: bool,
    /// The size of what is packed, as the patch says.
    pub(super) size: u64,
    /// The zlib stream; none: a line is no base 85.
    pub(super) stream: Option<Vec<u8>>,
}

/// Both sides of a file, as they are packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackedFile {
    pub(super) new: PackedSide,
    pub(super) old: Option<PackedSide>,
}

/// The bytes of a file after the change, and before it where they are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnpackedFile {
    pub(crate) new: Arc<[u8]>,
    pub(crate) old: Option<Arc<[u8]>>,
}

impl PackedFile {
    /// Unpacks a file of at most `room` bytes. `base` finds the file before the change, of which the patch may hold no more
    /// than what changes.
    ///
    /// # Errors
    ///
    /// Why it cannot be unpacked, in words.
    pub(crate) fn unpack(
        &self,
        room: usize,
        base: impl FnOnce() -> Option<Arc<[u8]>>,
    ) -> Result<UnpackedFile, String> {
        let room = room.min(MAX_BLOB);
        let whole = self.old.as_ref().filter(|old| !old.is_delta);
        let kept = whole.map(|old| old.inflate(room)).transpose()?;
        let old = kept.map(Arc::from).or_else(base);
        let stream = self.new.inflate(room)?;
        let new = match &old {
            _ if !self.new.is_delta => stream,
            Some(old) => apply_delta(old, &stream, room).ok_or("its delta is damaged")?,
            None => return Err("it holds what changes, and the file before is not here".to_owned()),
        };
        Ok(UnpackedFile {
            new: new.into(),
            old,
        })
    }
}

impl PackedSide {
    /// The size of the file, where the file is what is packed.
    pub(super) fn whole_size(&self) -> Option<u64> {
        (!self.is_delta).then_some(self.size)
    }

    fn inflate(&self, room: usize) -> Result<Vec<u8>, String> {
        let stream = self.stream.as_ref().ok_or("a line of it is no base 85")?;
        let size = usize::try_from(self.size).unwrap_or(usize::MAX);
        if size > room {
            return Err(format!("it has {size} bytes, and {room} are read"));
        }
        let bytes = miniz_oxide::inflate::decompress_to_vec_zlib_with_limit(stream, size);
        let bytes = bytes.map_err(|_| "it is no zlib stream of the size that the patch names")?;
        if bytes.len() == size {
            Ok(bytes)
        } else {
            Err(format!("it has {} bytes and not {size}", bytes.len()))
        }
    }
}

/// The digits of git's base 85, in the order of their value.
const DIGITS: &[u8; 85] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

/// Adds the bytes of one line to `out`: a letter says how many there are, each group of five digits is four of them. None:
/// it is no such line.
pub(super) fn decode_line(line: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let (&letter, groups) = line.split_first()?;
    let length = match letter {
        b'A'..=b'Z' => letter - b'A' + 1,
        b'a'..=b'z' => letter - b'a' + 27,
        _ => return None,
    };
    let mut bytes = Vec::with_capacity(groups.len());
    for group in groups.chunks(5) {
        let mut value: u32 = 0;
        for &digit in group {
            let digit = DIGITS.iter().position(|&known| known == digit)?;
            value = value.checked_mul(85)?.checked_add(digit as u32)?;
        }
        bytes.extend(value.to_be_bytes());
    }
    // The last group is filled up, by less than itself.
    let length = usize::from(length);
    let is_filled = bytes.len() < length + 4 && bytes.len() >= length;
    out.extend(bytes.get(..length).filter(|_| is_filled)?);
    Some(())
}

/// The file that a delta makes of another one, as in git's packs. None: the delta does not belong to it, or is damaged.
fn apply_delta(base: &[u8], delta: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut rest = delta;
    if read_size(&mut rest)? != base.len() {
        return None;
    }
    let size = read_size(&mut rest).filter(|size| *size <= room)?;
    let mut out = Vec::new();
    while let Some((&order, behind)) = rest.split_first() {
        rest = behind;
        let piece = match order {
            0 => return None,
            0x80.. => {
                let (offset, length) = read_copy(order, &mut rest)?;
                base.get(offset..offset.checked_add(length)?)?
            }
            length => rest.split_off(..usize::from(length))?,
        };
        if out.len() + piece.len() > size {
            return None;
        }
        out.extend_from_slice(piece);
    }
    (out.len() == size).then_some(out)
}

/// A number in groups of seven bits, the lowest first.
fn read_size(rest: &mut &[u8]) -> Option<usize> {
    let mut size: usize = 0;
    for shift in (0..).step_by(7).take(8) {
        let byte = *rest.split_off_first()?;
        size |= usize::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(size);
        }
    }
    None
}

/// From where and how much an order copies: its low bits say which bytes of offset and length follow.
fn read_copy(order: u8, rest: &mut &[u8]) -> Option<(usize, usize)> {
    let mut number = |bits: std::ops::Range<u8>| {
        let mut value = 0;
        for (at, bit) in bits.enumerate() {
            if order & (1 << bit) != 0 {
                value |= usize::from(*rest.split_off_first()?) << (8 * at);
            }
        }
        Some(value)
    };
    let (offset, length) = (number(0..4)?, number(4..7)?);
    Some((offset, if length == 0 { 0x10000 } else { length }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(bytes: &[u8]) -> PackedSide {
        PackedSide {
            is_delta: false,
            size: bytes.len() as u64,
            stream: Some(miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6)),
        }
    }

    fn alone(new: PackedSide) -> PackedFile {
        PackedFile { new, old: None }
    }

    #[test]
    fn a_stream_is_read_to_the_size_that_is_named_and_no_further() {
        let bytes = vec![0; 1 << 20];
        let packed = alone(literal(&bytes));
        assert_eq!(*packed.unpack(MAX_BLOB, || None).unwrap().new, bytes);
        let cause = packed.unpack(bytes.len() - 1, || None).unwrap_err();
        assert!(cause.contains("are read"), "{cause}");
        for size in [0, 7, bytes.len() as u64 + 1] {
            let mut lying = packed.clone();
            lying.new.size = size;
            assert!(lying.unpack(MAX_BLOB, || None).is_err(), "{size}");
        }
    }

    #[test]
    fn a_delta_needs_the_file_before() {
        let delta = |bytes: &[u8]| PackedSide {
            is_delta: true,
            ..literal(bytes)
        };
        // 6 bytes become 8: four copied, four new.
        let packed = alone(delta(&[6, 8, 0x90, 4, 4, b'k', b'e', b'y', b'!']));
        let base: Arc<[u8]> = b"secret"[..].into();
        let made = packed.unpack(MAX_BLOB, || Some(base.clone())).unwrap();
        assert_eq!(*made.new, *b"secrkey!");
        assert!(packed.unpack(MAX_BLOB, || None).is_err());
        assert!(packed.unpack(MAX_BLOB, || Some(base[1..].into())).is_err());
        let reversed = PackedFile {
            old: Some(literal(&base)),
            ..packed
        };
        assert_eq!(reversed.unpack(MAX_BLOB, || None).unwrap(), made);
        for damaged in [&[6, 8, 0x90, 9][..], &[6, 8, 0], &[6], &[6, 8, 3, b'k']] {
            let damaged = alone(delta(damaged));
            assert!(damaged.unpack(MAX_BLOB, || Some(base.clone())).is_err());
        }
    }

    #[test]
    fn what_is_no_base_85_is_no_line() {
        let mut out = Vec::new();
        for line in ["", "A", "!00000", "E00000", "A\"0000", "D~~~~~"] {
            assert_eq!(decode_line(line.as_bytes(), &mut out), None, "{line}");
        }
        assert!(out.is_empty());
        assert_eq!(decode_line(b"D00001", &mut out), Some(()));
        assert_eq!(out, [0, 0, 0, 1]);
    }
}
