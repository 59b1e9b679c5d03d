//! Standard input and output as an MCP server needs them: a line that is no JSON, or in which a key stands twice, is
//! refused, and whoever sent it is told. The library drops the first without a word, and takes the last of two equal keys.

use std::borrow::Cow;

use council_protocol::json::{self, parse_unique};
use rmcp::RoleServer;
use rmcp::model::{ErrorData, NumberOrString};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use serde_json::Value;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite,
    AsyncWriteExt as _, BufReader, DuplexStream,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// The longest message, in bytes.
const MAX_LINE: usize = 16 << 20;

/// How much of what is checked lies ready for the library, in bytes.
const BUFFER: usize = 64 << 10;

type ToClient = TxJsonRpcMessage<RoleServer>;

/// A transport over the lines of two streams.
pub struct CheckedLines<W: AsyncWrite> {
    inner: AsyncRwTransport<RoleServer, DuplexStream, W>,
    refusals: mpsc::UnboundedReceiver<ToClient>,
    /// The refusal that is being sent.
    sending: Option<JoinHandle<()>>,
}

/// The transport over standard input and output.
pub fn checked_stdio() -> CheckedLines<tokio::io::Stdout> {
    CheckedLines::new(tokio::io::stdin(), tokio::io::stdout())
}

impl<W: AsyncWrite + Send + Unpin + 'static> CheckedLines<W> {
    fn new(read: impl AsyncRead + Send + Unpin + 'static, write: W) -> Self {
        let (checked, unread) = tokio::io::duplex(BUFFER);
        let (refuse, refusals) = mpsc::unbounded_channel();
        // Ends with its input, or when nobody reads what it has checked.
        tokio::spawn(check_lines(BufReader::new(read), checked, refuse));
        Self {
            inner: AsyncRwTransport::new_server(unread, write).with_max_line_length(MAX_LINE + 1),
            refusals,
            sending: None,
        }
    }

    async fn end_sending(&mut self) {
        if let Some(sending) = &mut self.sending {
            // It does not panic.
            let _ = sending.await;
        }
        self.sending = None;
    }
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for CheckedLines<W> {
    type Error = std::io::Error;

    fn send(
        &mut self,
        item: ToClient,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.inner.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            // This future may be dropped at any of these places, and the next one goes on there.
            self.end_sending().await;
            tokio::select! {
                biased;
                Some(refusal) = self.refusals.recv() => {
                    let sent = self.inner.send(refusal);
                    self.sending = Some(tokio::spawn(async { drop(sent.await) }));
                }
                message = self.inner.receive() => match message {
                    None if !self.refusals.is_empty() => {}
                    message => return message,
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.end_sending().await;
        self.inner.close().await
    }
}

/// Hands on the lines that are whole JSON without a key that stands twice, and refuses the others.
async fn check_lines(
    mut lines: impl AsyncBufRead + Unpin,
    mut checked: DuplexStream,
    refuse: mpsc::UnboundedSender<ToClient>,
) {
    let mut line = Vec::new();
    while let Ok(true) = next_line(&mut lines, &mut line).await {
        let handed_on = match refusal_of(&line) {
            None => checked
                .write_all(&with_object_arguments(&line))
                .await
                .is_ok(),
            Some(refusal) => refuse.send(refusal).is_ok(),
        };
        if !handed_on {
            return;
        }
    }
}

/// Reads the next line, of which no more is kept than shows that it is too long; false: there is none.
async fn next_line(
    lines: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> std::io::Result<bool> {
    line.clear();
    let most = MAX_LINE as u64 + 1;
    (&mut *lines).take(most).read_until(b'\n', line).await?;
    let mut rest = Vec::new();
    let mut is_whole = line.ends_with(b"\n") || line.len() as u64 != most;
    while !is_whole {
        rest.clear();
        (&mut *lines)
            .take(BUFFER as u64)
            .read_until(b'\n', &mut rest)
            .await?;
        is_whole = rest.is_empty() || rest.ends_with(b"\n");
    }
    // The library reads no line that nothing ends.
    let is_line = !line.is_empty();
    if is_line && !line.ends_with(b"\n") && line.len() as u64 != most {
        line.push(b'\n');
    }
    Ok(is_line)
}

/// What is said of a line that no message can be.
fn refusal_of(line: &[u8]) -> Option<ToClient> {
    let refuse = |why: String, id| {
        let text = format!("this message is not read: {why}; send it again as one line of JSON");
        Some(ToClient::error(ErrorData::parse_error(text, None), id))
    };
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.len() > MAX_LINE || !json::fits_in_memory(line, json::MESSAGE) {
        return refuse(format!("it is too large ({MAX_LINE} bytes are read)"), None);
    }
    let text = match std::str::from_utf8(line) {
        Ok(text) if text.trim().is_empty() => return None,
        Ok(text) => text,
        Err(error) => return refuse(error.to_string(), None),
    };
    match parse_unique(text) {
        Ok(_) => None,
        Err(error) => refuse(error.to_string(), id_of(text)),
    }
}

/// The same message, its call's arguments as the object that some models write as a text, or alone in a list: the library
/// knows no call whose arguments are no object, and what a judge hands in so would be lost.
fn with_object_arguments(line: &[u8]) -> Cow<'_, [u8]> {
    let unwrapped = || {
        let mut message: Value =
            serde_json::from_slice(line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)).ok()?;
        let arguments = message.get_mut("params")?.get_mut("arguments")?;
        let object = match arguments {
            Value::String(text) => parse_unique(text).ok()?,
            Value::Array(items) if items.len() == 1 => items[0].take(),
            _ => return None,
        };
        *arguments = object.is_object().then_some(object)?;
        Some(format!("{message}\n").into_bytes())
    };
    unwrapped().map_or(Cow::Borrowed(line), Cow::Owned)
}

/// The id of a message with two equal keys: a client waits for an answer to it. None: there is none, or several.
fn id_of(text: &str) -> Option<NumberOrString> {
    #[derive(serde::Deserialize)]
    struct Named {
        // A field of a struct that stands twice is an error.
        id: NumberOrString,
    }
    let named: Named = serde_json::from_slice(text.as_bytes()).ok()?;
    Some(named.id)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn told(line: &str) -> Option<Value> {
        refusal_of(line.as_bytes()).map(|refusal| serde_json::to_value(refusal).unwrap())
    }

    proptest! {
        /// A key that stands twice, at whatever depth, is told to whoever waits for an answer to that id.
        #[test]
        fn a_key_that_stands_twice_is_refused_by_the_id_of_its_message(
            id in 0_i64..1_000_000, depth in 0_usize..6, key in "[a-z_]{1,8}", is_escaped: bool,
        ) {
            let again = match is_escaped {
                true => key.chars().map(|c| format!("\\u{:04x}", c as u32)).collect(),
                false => key.clone(),
            };
            let mut arguments = format!(r#"{{"{key}":1,"{again}":2}}"#);
            for level in 0..depth {
                arguments = match level % 2 {
                    0 => format!(r#"{{"findings":{arguments}}}"#),
                    _ => format!("[1,{arguments}]"),
                };
            }
            let line = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"x","arguments":{arguments}}}}}"#
            );
            let refusal = told(&line).unwrap();
            prop_assert_eq!(&refusal["id"], &json!(id));
            prop_assert_eq!(&refusal["error"]["code"], &json!(-32700));
            let once = line.replacen(&format!(r#"{{"{key}":1,"#), "{", 1);
            prop_assert_eq!(told(&once), None);
        }

        /// A message that is cut off, wherever, is refused.
        #[test]
        fn a_message_that_is_cut_off_is_refused(text in "[a-z\"\\\\{}]{0,20}", cut in 1_usize..60) {
            let whole = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping", "params": { "text": text } }).to_string();
            prop_assert_eq!(told(&whole), None);
            let cut = whole.floor_char_boundary(whole.len().saturating_sub(cut).max(1));
            let refusal = told(&whole[..cut]).unwrap();
            prop_assert_eq!(&refusal["error"]["code"], &json!(-32700));
        }
    }

    proptest! {
        /// However often a client packs a call's arguments, they arrive as the object that they are.
        #[test]
        fn packed_arguments_are_the_object_that_they_hold(
            id in 0_i64..1_000, words in proptest::collection::btree_map("[a-z]{1,6}", ".{0,12}", 0..4), form in 0..3,
        ) {
            let object = json!(words);
            let packed = match form {
                0 => object.clone(),
                1 => json!(object.to_string()),
                _ => json!([object]),
            };
            let call = |arguments: &Value| {
                json!({ "id": id, "method": "tools/call", "params": { "name": "submit_verdict", "arguments": arguments } })
            };
            let line = format!("{}\n", call(&packed));
            let read: Value = serde_json::from_slice(&with_object_arguments(line.as_bytes())).unwrap();
            prop_assert_eq!(read, call(&object));
            for other in [json!(7), json!("words"), json!([1, 2]), json!("[1]"), json!("{\"a\":1,\"a\":2}")] {
                let line = format!("{}\n", call(&other));
                prop_assert_eq!(&*with_object_arguments(line.as_bytes()), line.as_bytes());
            }
        }
    }

    #[test]
    fn two_ids_are_none_and_what_is_too_large_is_refused() {
        let two = told(r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#).unwrap();
        assert_eq!(two.get("id").unwrap_or(&Value::Null), &Value::Null);
        let large = format!("\"{}\"", "x".repeat(MAX_LINE));
        assert!(
            told(&large).unwrap()["error"]["message"]
                .as_str()
                .unwrap()
                .contains("too large")
        );
        assert!(told(&format!("[{}]", "{},".repeat(1 << 20))).is_some());
        assert_eq!(told("\r\n"), None);
    }

    #[tokio::test]
    async fn what_is_refused_is_told_and_the_rest_is_heard() {
        let lines = concat!(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"method\":\"ping\"}\n",
            "no JSON\n\n",
            "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n",
            "{\"a\":",
        );
        let (ours, mut theirs) = tokio::io::duplex(1 << 16);
        let mut transport = CheckedLines::new(std::io::Cursor::new(lines), ours);
        let mut heard = Vec::new();
        while let Some(message) = transport.receive().await {
            heard.push(serde_json::to_value(message).unwrap()["id"].clone());
        }
        transport.close().await.unwrap();
        drop(transport);
        let mut text = String::new();
        theirs.read_to_string(&mut text).await.unwrap();
        let refused: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let ids: Vec<&Value> = refused
            .iter()
            .map(|refusal| refusal.get("id").unwrap_or(&Value::Null))
            .collect();
        assert_eq!(heard, [json!(2)]);
        assert_eq!(ids, [&json!(1), &Value::Null, &Value::Null], "{text}");
    }
}
