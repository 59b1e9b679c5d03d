//! What an event of C# runs: of a line that adds something to one (`feed.Changed += OnChanged`) the function that it adds.

use super::super::readers::reader::Reader;
use super::super::search::{FileHits, FileOutline, NameHit};
use super::super::words::is_name;
use super::uses::around_use;
use super::{Gatherer, is_worth_showing};
use crate::prompt::ContextKind;

impl Gatherer<'_> {
    /// The functions of its file that a shown line adds to an event.
    pub(super) fn add_handlers(
        &mut self,
        (order, kind): (usize, ContextKind),
        hit: NameHit,
        file: &FileHits,
        outline: &FileOutline<'_>,
    ) {
        let name = &self.names[hit.name];
        let mut readers = name.readers.iter();
        let is_event = readers.any(|reader| matches!(reader, Reader::Subscribed(_)));
        let code = outline.without_comment(hit.line);
        let Some((_, added)) = code.split_once("+=").filter(|_| is_event) else {
            return;
        };
        let words: Vec<&str> = added.split(|c| !is_name(c)).collect();
        let functions = outline.functions.iter();
        for span in functions.filter(|span| words.contains(&span.name.as_str())) {
            let head = u32::try_from(span.head).unwrap_or(u32::MAX);
            let (first, last) = around_use(outline, head);
            let Some((start, end)) = self.shown.next_gap(&file.path, first, last) else {
                continue;
            };
            if !span.name.is_empty() && is_worth_showing(&file.text, start, end) {
                let (function, line, event) = (&span.name, hit.line, &name.text);
                let note = format!("`{function}`, which line {line} adds to `{event}`");
                let block = self.lines_block(kind, file, (start, end), note);
                self.push((name.reason, order, start), block);
            }
        }
    }
}
