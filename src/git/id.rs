//! Object ids.

use std::fmt;

/// A SHA-1 object id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id([u8; Self::LEN]);

impl Id {
    /// Bytes of an id.
    pub(super) const LEN: usize = 20;

    /// The tree without entries, which exists in every repository, stored or not.
    pub(super) const EMPTY_TREE: Self = Self([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92,
        0x88, 0xfb, 0xee, 0x49, 0x04,
    ]);

    /// The id of no object: of a file that cannot be read.
    pub(super) const NONE: Self = Self([0; Self::LEN]);

    /// An id from its bytes; none when there are not exactly [`Self::LEN`].
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// An id from 40 hexadecimal digits.
    pub(super) fn from_hex(hex: &str) -> Option<Self> {
        let hex = hex.as_bytes();
        if hex.len() != 2 * Self::LEN {
            return None;
        }
        let mut id = [0; Self::LEN];
        for (byte, pair) in id.iter_mut().zip(hex.chunks_exact(2)) {
            let digit = |b: u8| char::from(b).to_digit(16);
            *byte = u8::try_from(digit(pair[0])? << 4 | digit(pair[1])?).ok()?;
        }
        Some(Self(id))
    }

    pub(super) fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }

    /// 40 hexadecimal digits.
    pub(super) fn hex(&self) -> String {
        self.to_string()
    }

    /// The first ten digits, for people.
    pub(super) fn short(&self) -> String {
        self.to_string()[..10].to_owned()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_and_back() {
        let hex = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(Id::EMPTY_TREE.hex(), hex);
        assert_eq!(Id::from_hex(hex), Some(Id::EMPTY_TREE));
        assert_eq!(Id::EMPTY_TREE.short(), "4b825dc642");
        for bad in [
            "",
            "4b",
            "zb825dc642cb6eb9a060e54bf8d69288fbee4904",
            "é825dc642cb6eb9a060e54bf8d69288fbee490",
        ] {
            assert_eq!(Id::from_hex(bad), None);
        }
    }
}
