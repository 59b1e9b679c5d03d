//! How much memory JSON would take, told from its bytes before it is read: a megabyte of it can become eighty.

/// What an object costs at most beside its text: a node of the map has room for eleven members.
const OBJECT: usize = 640;

/// What any other value costs at most.
const VALUE: usize = 40;

/// The most that a message, an answer or an event may cost, in bytes.
pub const MESSAGE: usize = 32 << 20;

/// The most that the report of a tool may cost, in bytes.
pub const REPORT: usize = 64 << 20;

/// Whether reading a text takes at most so many bytes beside the text itself. Says nothing about text that is no JSON.
pub fn fits_in_memory(text: &[u8], most: usize) -> bool {
    if text.len().saturating_mul(OBJECT / 4) <= most {
        return true;
    }
    let (mut cost, mut quoted, mut escaped) = (0_usize, false, false);
    for &byte in text {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b'{' if !quoted => cost += OBJECT,
            b'[' | b',' | b':' if !quoted => cost += VALUE,
            _ => {}
        }
        if cost > most {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_small_values_do_not_fit_and_long_strings_do() {
        for small in ["{\"\":0},", "{},", "0,", "[],", "\"\","] {
            assert!(
                !fits_in_memory(small.repeat(2 << 20).as_bytes(), MESSAGE),
                "{small}"
            );
            assert!(
                fits_in_memory(small.repeat(1 << 10).as_bytes(), MESSAGE),
                "{small}"
            );
        }
        let long = format!("{{\"text\":\"{}\"}}", "[{,\\\"".repeat(4 << 20));
        assert!(fits_in_memory(long.as_bytes(), MESSAGE));
    }
}
