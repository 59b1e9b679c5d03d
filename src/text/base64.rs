//! Base64 with padding, for a header, for the hashes of a page and for what is packed in a comment.

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in base64.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk
            .iter()
            .fold(0_u32, |word, &b| word << 8 | u32::from(b))
            << (8 * (3 - chunk.len()));
        for at in 0..4 {
            if at <= chunk.len() {
                out.push(char::from(DIGITS[(word >> (18 - 6 * at) & 63) as usize]))
            } else {
                out.push('=')
            }
        }
    }
    out
}

/// The bytes of a text in base64; none: it is no such text.
pub(crate) fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').bytes();
    let digits: Option<Vec<u32>> = digits
        .map(|byte| Some(DIGITS.iter().position(|digit| *digit == byte)? as u32))
        .collect();
    let bytes = |chunk: &[u32]| {
        let word = chunk.iter().fold(0, |word, digit| word << 6 | digit) << (6 * (4 - chunk.len()));
        let count = chunk.len() * 6 / 8;
        word.to_be_bytes()[1..]
            .iter()
            .take(count)
            .copied()
            .collect::<Vec<u8>>()
    };
    Some(digits?.chunks(4).flat_map(bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn what_is_encoded_is_decoded_again(bytes: Vec<u8>, text in ".*") {
            proptest::prop_assert_eq!(decode_base64(&encode_base64(&bytes)), Some(bytes));
            let _ = decode_base64(&text);
        }
    }

    #[test]
    fn base64_as_everybody_writes_it() {
        let of = |text: &str| encode_base64(text.as_bytes());
        assert_eq!(
            [of(""), of("f"), of("fo"), of("foo"), of("foob")],
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }
}
