//! Ids of objects, in SHA-1 or SHA-256.

use std::fmt;

/// An object's id, of either length.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ObjectId {
    bytes: [u8; Self::MAX_BYTES],
    length: u8,
}

/// By which hash a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectFormat {
    Sha1,
    Sha256,
}

impl ObjectFormat {
    /// Bytes of an id.
    pub(super) fn id_length(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => ObjectId::MAX_BYTES,
        }
    }

    /// The tree without entries, which exists in every repository, stored or not.
    pub(super) fn empty_tree(self) -> ObjectId {
        match self {
            Self::Sha1 => ObjectId::EMPTY_TREE,
            Self::Sha256 => ObjectId {
                bytes: EMPTY_TREE_256,
                length: 32,
            },
        }
    }
}

const EMPTY_TREE_256: [u8; 32] = [
    0x6e, 0xf1, 0x9b, 0x41, 0x22, 0x5c, 0x53, 0x69, 0xf1, 0xc1, 0x04, 0xd4, 0x5d, 0x8d, 0x85, 0xef,
    0xa9, 0xb0, 0x57, 0xb5, 0x3b, 0x14, 0xb4, 0xb9, 0xb9, 0x39, 0xdd, 0x74, 0xde, 0xcc, 0x53, 0x21,
];

impl ObjectId {
    /// The most bytes of an id.
    const MAX_BYTES: usize = 32;

    /// The tree without entries where ids are SHA-1.
    pub(super) const EMPTY_TREE: Self = Self {
        bytes: [
            0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6,
            0x92, 0x88, 0xfb, 0xee, 0x49, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        ],
        length: 20,
    };

    /// The id of no object: of a file that cannot be read.
    pub(super) const NONE: Self = Self {
        bytes: [0; Self::MAX_BYTES],
        length: 20,
    };

    /// An id from its bytes; none when there are neither 20 nor 32.
    #[inline]
    pub(super) fn from_bytes(given: &[u8]) -> Option<Self> {
        // Lengths that the compiler knows: each entry of each tree comes by here.
        let mut bytes = [0; Self::MAX_BYTES];
        let length = match given.len() {
            20 => {
                bytes[..20].copy_from_slice(given);
                20
            }
            32 => {
                bytes.copy_from_slice(given);
                32
            }
            _ => return None,
        };
        Some(Self { bytes, length })
    }

    /// An id from 40 or 64 hexadecimal digits.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        if !matches!(text.len(), 40 | 64) {
            return None;
        }
        let mut bytes = [0; Self::MAX_BYTES];
        let bytes = &mut bytes[..text.len() / 2];
        hex::decode_to_slice(text, bytes).ok()?;
        Self::from_bytes(bytes)
    }

    /// By which hash it was made, told by its length.
    pub(super) fn format(&self) -> ObjectFormat {
        match self.as_bytes().len() {
            20 => ObjectFormat::Sha1,
            _ => ObjectFormat::Sha256,
        }
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// 40 or 64 hexadecimal digits.
    pub(super) fn to_hex(self) -> String {
        hex::encode(self.as_bytes())
    }

    /// The first ten digits, for people.
    pub(super) fn short_hex(&self) -> String {
        hex::encode(&self.bytes[..5])
    }

    /// Whether it is the tree without entries.
    pub(super) fn is_empty_tree(&self) -> bool {
        *self == Self::EMPTY_TREE || *self == ObjectFormat::Sha256.empty_tree()
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for ObjectId {
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
        assert_eq!(ObjectId::EMPTY_TREE.to_hex(), hex);
        assert_eq!(ObjectId::from_hex(hex), Some(ObjectId::EMPTY_TREE));
        assert_eq!(ObjectId::EMPTY_TREE.short_hex(), "4b825dc642");
        let wide = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
        assert_eq!(
            ObjectId::from_hex(wide),
            Some(ObjectFormat::Sha256.empty_tree())
        );
        assert_eq!(ObjectFormat::Sha256.empty_tree().to_hex(), wide);
        assert!(ObjectId::from_hex(wide).is_some_and(|id| id.is_empty_tree()));
        for bad in [
            "",
            "4b",
            "zb825dc642cb6eb9a060e54bf8d69288fbee4904",
            "é825dc642cb6eb9a060e54bf8d69288fbee490",
        ] {
            assert_eq!(ObjectId::from_hex(bad), None);
        }
    }
}
