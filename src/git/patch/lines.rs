//! The lines of a patch, counted.

/// A cursor over lines. A line comes without its newline; a carriage return is kept.
#[derive(Clone)]
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    passed: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            passed: 0,
        }
    }

    /// The number of the line that comes next, from 1.
    pub(super) fn number(&self) -> usize {
        self.passed + 1
    }

    /// The next line, left where it is.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        self.clone().next()
    }

    /// The line after the next.
    pub(super) fn second(&self) -> Option<&'a [u8]> {
        self.clone().nth(1)
    }

    /// The next line if it begins so: what follows.
    pub(super) fn strip(&mut self, prefix: &str) -> Option<&'a [u8]> {
        let rest = self.peek()?.strip_prefix(prefix.as_bytes())?;
        self.next();
        Some(rest)
    }

    /// Whether any line that is left satisfies a condition.
    pub(super) fn any(&self, wanted: impl FnMut(&'a [u8]) -> bool) -> bool {
        Iterator::any(&mut self.clone(), wanted)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = self
            .rest
            .iter()
            .position(|&b| b == b'\n')
            .unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.passed += 1;
        Some(line)
    }
}
