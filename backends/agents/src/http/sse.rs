//! Server-sent events, as far as APIs of models use them: the data of each event.

/// Splits a stream of bytes into the data of its events.
#[derive(Debug, Default)]
pub(super) struct EventStream {
    /// The line that has begun.
    line: Vec<u8>,
    /// The data lines of the event that has begun.
    data: Vec<u8>,
}

impl EventStream {
    /// Takes bytes and hands out the data of every event that they complete.
    pub(super) fn feed_bytes(&mut self, bytes: &[u8], mut event: impl FnMut(&[u8])) {
        for piece in bytes.split_inclusive(|&byte| byte == b'\n') {
            self.line.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                self.end_line(&mut event);
            }
        }
    }

    /// The stream is over: what has begun is handed out, too.
    pub(super) fn finish_stream(&mut self, mut event: impl FnMut(&[u8])) {
        self.end_line(&mut event);
        self.flush(&mut event);
    }

    fn end_line(&mut self, event: &mut impl FnMut(&[u8])) {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_suffix(b"\n").unwrap_or(&line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            return self.flush(event);
        }
        // Names, ids and comments say nothing that the data does not say.
        if let Some(data) = line.strip_prefix(b"data:") {
            if !self.data.is_empty() {
                self.data.push(b'\n');
            }
            self.data
                .extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
    }

    fn flush(&mut self, event: &mut impl FnMut(&[u8])) {
        if !self.data.is_empty() {
            event(&std::mem::take(&mut self.data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let stream = ": hello\r\nevent: a\r\ndata: {\"x\":\r\ndata: 1}\r\n\r\ndata:two\n\n\n\nid: 4\ndata: [DONE]";
        let expected = ["{\"x\":\n1}", "two", "[DONE]"];
        for size in 1..stream.len() {
            let mut events = EventStream::default();
            let mut seen = Vec::new();
            let mut hear = |data: &[u8]| seen.push(String::from_utf8_lossy(data).into_owned());
            stream
                .as_bytes()
                .chunks(size)
                .for_each(|bytes| events.feed_bytes(bytes, &mut hear));
            events.finish_stream(&mut hear);
            assert_eq!(seen, expected, "{size}");
        }
    }
}
