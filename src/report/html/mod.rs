//! The report as one page for a browser: no network, no server, nothing that runs but the script in this folder.
//!
//! Three things keep a hostile change from acting here. Every text of somebody else passes [`crate::text::Untrusted`];
//! the templates of `maud` escape what they are given; and the policy in the page's head allows one style sheet and one
//! script, named by their hashes, and no connection at all.

mod appendix;
mod code;
mod context;
mod finding;
mod overview;
mod parts;
pub(crate) mod tables;
mod timeline;

use self::context::PageContext;
pub(crate) use self::context::{PageMaterial, PromptText};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::document::Document;
use super::words::JudgeNames;
use crate::report::whole::Report;
use crate::text::{Untrusted, clip_chars, encode_base64};

/// The look of the page. It holds no `<`, so that it cannot end its own element.
const STYLE: &str = include_str!("page.css");

/// Keys, the theme, and the unfolding of everything for print. The page says the same without it.
const SCRIPT: &str = include_str!("page.js");

/// The page, ended by a newline.
pub(crate) fn render(report: &Report, material: &PageMaterial) -> String {
    let names = JudgeNames::of(&report.outcome.judges);
    let document = Document::at_place(report, &names, false, material.place);
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
    format!(
        "default-src 'none'; style-src {}; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        content_hash(STYLE),
        content_hash(SCRIPT)
    )
}

/// Text as a policy names it.
fn content_hash(text: &str) -> String {
    format!("'sha256-{}'", encode_base64(&Sha256::digest(text)))
}
