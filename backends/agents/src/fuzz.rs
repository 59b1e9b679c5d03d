//! Every decoder of what programs and servers send, over any bytes: for fuzz targets, and for nothing else.

use std::path::Path;

use council_protocol::seat::{Api, OutputFormat};

use crate::client::parse_event;
use crate::{acp, claude, codex, http, report, rpc};

/// Streams of servers: however a stream is cut into pieces, the same is heard.
///
/// # Panics
///
/// When it is not.
pub fn streams(bytes: &[u8]) {
    for api in [Api::Anthropic, Api::Responses, Api::Chat, Api::Gemini] {
        let whole = http::decode_stream(api, bytes, bytes.len().max(1));
        for step in [1, 7] {
            assert_eq!(
                http::decode_stream(api, bytes, step),
                whole,
                "in pieces of {step}"
            );
        }
    }
}

/// Lines of clients: `claude`, `codex exec`, `codex app-server` and agents over ACP.
pub fn lines(bytes: &[u8]) {
    codex::decode_lines(bytes);
    for line in bytes.split(|&b| b == b'\n') {
        let Some(event) = parse_event(line) else {
            continue;
        };
        claude::decode_message(event.clone());
        for dialect in [codex::DIALECT, acp::DIALECT] {
            for told in rpc::decode_message(dialect, Path::new("/room"), event.clone()) {
                codex::decode_params(&told);
                acp::told(told);
            }
        }
    }
}

/// Reports of tools, as SARIF.
pub fn sarif(text: &str) {
    let _ = report::read_any(OutputFormat::Sarif, text);
}

/// Reports of tools, as rdjson.
pub fn rdjson(text: &str) {
    let _ = report::read_any(OutputFormat::Rdjson, text);
}
