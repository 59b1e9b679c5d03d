//! The blanks with which the lines of a text begin: quotes are compared without them, suggestions need them.

/// The blanks before each line of a text, without the text.
#[derive(Debug, Default)]
pub(super) struct LineIndents {
    blanks: String,
    /// Where the blanks of each line end.
    ends: Vec<u32>,
}

impl LineIndents {
    /// The blanks before each line of `text`.
    pub(super) fn of(text: &str) -> Self {
        let mut indents = Self::default();
        for line in text.lines() {
            let code = line.trim_start_matches([' ', '\t']);
            indents.blanks.push_str(&line[..line.len() - code.len()]);
            // Texts that are searched are shorter by far.
            indents
                .ends
                .push(u32::try_from(indents.blanks.len()).unwrap_or(u32::MAX));
        }
        indents
    }

    /// The blanks before the line with this index, from 0; none where there is no such line.
    pub(super) fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)? as usize;
        let before = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        self.blanks
            .get(before.map_or(0, |&start| start as usize)..end)
    }
}
