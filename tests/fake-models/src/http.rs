//! As much of HTTP/1.1 as clients of model servers speak.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// The most bytes that a request may have.
const MOST: u64 = 256 << 20;

/// A request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// With its query.
    pub(crate) path: String,
    /// Names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: Vec<u8>,
}

/// Reads the next request of a connection; none at its end.
pub(crate) fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let mut request = Request {
        method: words.next().unwrap_or_default().to_owned(),
        path: words.next().unwrap_or_default().to_owned(),
        ..Request::default()
    };
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let Some((name, value)) = line.trim_end().split_once(':') else {
            break;
        };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
        request.headers.insert(name, value);
    }
    if request
        .headers
        .get("expect")
        .is_some_and(|e| e.eq_ignore_ascii_case("100-continue"))
    {
        stream
            .get_mut()
            .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    request.body = body(stream, &request.headers)?;
    Ok(Some(request))
}

fn body(stream: &mut impl BufRead, headers: &BTreeMap<String, String>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    let chunked = headers
        .get("transfer-encoding")
        .is_some_and(|e| e.contains("chunked"));
    if !chunked {
        let length = headers
            .get("content-length")
            .and_then(|l| l.parse().ok())
            .unwrap_or(0);
        stream.take(MOST.min(length)).read_to_end(&mut body)?;
        return Ok(body);
    }
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let size = line.trim().split(';').next().unwrap_or_default();
        let size = u64::from_str_radix(size, 16).map_err(io::Error::other)?;
        stream.take(MOST.min(size)).read_to_end(&mut body)?;
        line.clear();
        stream.read_line(&mut line)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

/// Writes the head of an answer. Without a length the body is chunked; a `content-type` of `headers` counts instead of
/// `kind`.
pub(crate) fn head(
    out: &mut impl Write,
    status: u16,
    kind: &str,
    length: Option<usize>,
    headers: &BTreeMap<String, String>,
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} {}\r\n", reason(status));
    if !headers.contains_key("content-type") {
        head.push_str(&format!("content-type: {kind}\r\n"));
    }
    match length {
        Some(length) => head.push_str(&format!("content-length: {length}\r\n")),
        None => head.push_str("transfer-encoding: chunked\r\n"),
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    out.write_all(head.as_bytes())
}

/// Writes one chunk of a body; an empty one ends it.
pub(crate) fn chunk(out: &mut impl Write, data: &[u8]) -> io::Result<()> {
    out.write_all(format!("{:x}\r\n", data.len()).as_bytes())?;
    out.write_all(data)?;
    out.write_all(b"\r\n")?;
    out.flush()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        301 | 302 | 307 | 308 => "Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        429 => "Too Many Requests",
        500..=599 => "Server Error",
        _ => "Other",
    }
}
