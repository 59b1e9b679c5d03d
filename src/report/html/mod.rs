//! The report as one page for a browser: no network, no server, nothing that runs but the script in this folder.
//!
//! Three things keep a hostile change from acting here. Every text of somebody else passes [`crate::text::Untrusted`];
//! the templates of `maud` escape what they are given; and the policy in the page's head allows one style sheet and one
//! script, named by their hashes, and no connection at all.

mod appendix;
mod code;
mod finding;
mod overview;
mod parts;
mod timeline;

use council_protocol::FileChange;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::Report;
use super::document::Document;
use super::words::JudgeNames;
use crate::text::{Untrusted, clip_chars, encode_base64};

/// The look of the page. It holds no `<`, so that it cannot end its own element.
const STYLE: &str = include_str!("page.css");

/// Keys, the theme, and the unfolding of everything for print. The page says the same without it.
const SCRIPT: &str = include_str!("page.js");

/// What a page shows beside the report. All of it was redacted by whoever read it.
#[derive(Debug, Default)]
pub(crate) struct PageMaterial {
    /// The changed files with their hunks; none: findings show their quotes alone.
    pub(crate) files: Vec<FileChange>,
    /// What the judges were asked, in order.
    pub(crate) prompts: Vec<PromptText>,
}

/// What a judge was sent.
#[derive(Debug)]
pub(crate) struct PromptText {
    /// To whom and when: `security, round 1`.
    pub(crate) title: String,
    /// The words.
    pub(crate) text: String,
}

/// What the parts of a page need.
struct PageContext<'a> {
    report: &'a Report,
    names: &'a JudgeNames<'a>,
    document: &'a Document<'a>,
    material: &'a PageMaterial,
}

/// The page, ended by a newline.
pub(crate) fn render(report: &Report, material: &PageMaterial) -> String {
    let names = JudgeNames::of(&report.outcome.judges);
    let document = Document::of(report, &names, false);
    let context = PageContext {
        report,
        names: &names,
        document: &document,
        material,
    };
    let word = report.outcome.verdict.as_str().to_lowercase();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&context))
            body class=(format!("is-{word}")) {
                a.skip href="#main" { "Skip to the report" }
                (overview::header(&context))
                main #main tabindex="-1" {
                    (overview::summary(&context))
                    (finding::sections(&context))
                    (timeline::section(&context))
                    (appendix::sections(&context))
                }
                (overview::footer(&context))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string() + "\n"
}

fn head(context: &PageContext<'_>) -> Markup {
    let view = &context.document.verdict;
    let subject = Untrusted::new(&clip_chars(&view.subject, 80)).line();
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy());
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="referrer" content="no-referrer";
            meta name="robots" content="noindex";
            title { (view.headline) " · " (subject) }
            link rel="icon" href="data:,";
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// What the page may load: its own style and script, and an empty icon, so that no browser asks a server for one.
fn policy() -> String {
    let hash = |text: &str| format!("'sha256-{}'", encode_base64(&Sha256::digest(text)));
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    )
}
