//! The one gate for untrusted text: terminal, Markdown, log commands.
