//! Base64 with padding, for a header and for the hashes of a page.

/// Bytes in base64.
pub(crate) fn encode_base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_as_everybody_writes_it() {
        let of = |text: &str| encode_base64(text.as_bytes());
        assert_eq!(
            [of(""), of("f"), of("fo"), of("foo"), of("foob")],
            ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]
        );
    }
}
