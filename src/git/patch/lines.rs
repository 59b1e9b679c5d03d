//! The lines of a patch, counted.

/// A cursor over lines. A line comes without its newline; a carriage return is kept.
#[derive(Clone)]
pub(super) struct PatchLines<'a> {
    rest: &'a [u8],
    passed: usize,
    /// The last line had no end.
    is_cut: bool,
}

impl<'a> PatchLines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            passed: 0,
            is_cut: false,
        }
    }

    /// The number of the line that comes next, from 1.
    pub(super) fn next_number(&self) -> usize {
        self.passed + 1
    }

    /// Whether the line that came last has no end: the patch may go on behind it.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The next line, left where it is.
    pub(super) fn peek(&self) -> Option<&'a [u8]> {
        self.clone().next()
    }

    /// The line after the next.
    pub(super) fn peek_second(&self) -> Option<&'a [u8]> {
        self.clone().nth(1)
    }

    /// The next line if it begins so: what follows.
    pub(super) fn strip_line(&mut self, prefix: &str) -> Option<&'a [u8]> {
        let rest = self.peek()?.strip_prefix(prefix.as_bytes())?;
        self.next();
        Some(rest)
    }

    /// Whether any line that is left satisfies a condition.
    pub(super) fn any_line(&self, wanted: impl FnMut(&'a [u8]) -> bool) -> bool {
        Iterator::any(&mut self.clone(), wanted)
    }
}

impl<'a> Iterator for PatchLines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let found = self.rest.iter().position(|&b| b == b'\n');
        let end = found.unwrap_or(self.rest.len());
        let line = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        self.passed += 1;
        self.is_cut = found.is_none();
        Some(line)
    }
}
