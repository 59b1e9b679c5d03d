//! Dismissals that people wrote below our findings: obeyed for those whom the forge lets write, and answered.

use std::collections::BTreeMap;

use council_protocol::Severity;
use council_secrets::Redactor;

use crate::council::Dismissal;
use crate::publish::{
    DISMISSED_BY, DismissOrder, DismissWords, GitHubApi, OpenFinding, OrderMeaning, ReplyAnswer,
    ReviewState, ReviewThread, look,
};
use crate::report::Report;
use crate::text::Untrusted;

/// What was heard in the conversations.
#[derive(Debug, Default)]
pub(crate) struct HeardReplies {
    /// The dismissals that count.
    pub(crate) dismissals: Vec<Dismissal>,
    pub(crate) answers: Vec<ReplyAnswer>,
}

impl HeardReplies {
    /// What is answered where a report is published that was made without them: nothing where it knows nothing of a dismissal
    /// yet, which counts from the next review on.
    pub(crate) fn answers_over(
        self,
        report: &Report,
        threads: &[ReviewThread],
    ) -> Vec<ReplyAnswer> {
        let is_open = |name: &str| {
            let mut findings = report.outcome.findings.iter();
            findings.any(|found| found.fingerprint == name && found.level.is_some())
        };
        let dismissed = self.dismissals.iter().map(|one| one.fingerprint.as_str());
        let unheard: Vec<&str> = dismissed.filter(|name| is_open(name)).collect();
        let is_told = |answer: &ReplyAnswer| {
            let mut threads = threads.iter();
            let thread = threads.find(|thread| thread.number == Some(answer.comment));
            thread.is_none_or(|thread| !unheard.contains(&thread.fingerprint.as_str()))
        };
        self.answers.into_iter().filter(is_told).collect()
    }
}

/// Reads the replies in our conversations, which call their findings what the `last` report calls them. Nobody argues
/// findings on their own pull request away, and who may not write is told so; where the forge does not say who may,
/// nothing counts.
pub(crate) fn hear_replies(
    hub: &GitHubApi<'_>,
    threads: &[ReviewThread],
    last: Option<&ReviewState>,
    author: &str,
    redactor: &Redactor,
) -> HeardReplies {
    let mut ear = ReplyEar {
        hub,
        author,
        redactor,
        writers: BTreeMap::new(),
        heard: HeardReplies::default(),
    };
    for thread in threads {
        let mut open = last.map(|last| last.open.iter()).into_iter().flatten();
        let known = open.find(|open| open.fingerprint == thread.fingerprint);
        let is_gone = last.is_some_and(|last| last.has_resolved(&thread.fingerprint));
        let is_renamed = last.is_some() && known.is_none() && !is_gone;
        ear.hear_thread(&TalkedFinding {
            thread,
            known,
            is_renamed,
        });
    }
    ear.heard
}

/// The finding of a conversation.
struct TalkedFinding<'a> {
    thread: &'a ReviewThread,
    /// As the last report has it; none: it does not, or there is none.
    known: Option<&'a OpenFinding>,
    /// Whether the last report has no finding of this name, open or resolved.
    is_renamed: bool,
}

/// Reads replies one after another.
struct ReplyEar<'a> {
    hub: &'a GitHubApi<'a>,
    author: &'a str,
    redactor: &'a Redactor,
    /// Who may write, as far as the forge was asked.
    writers: BTreeMap<String, Option<bool>>,
    heard: HeardReplies,
}

impl ReplyEar<'_> {
    /// The last order that counts is obeyed: who may not write, or is not understood, takes nobody's word back.
    fn hear_thread(&mut self, talked: &TalkedFinding<'_>) {
        let mut counting = None;
        for order in &talked.thread.orders {
            let (line, taken_for) = match self.weigh(order, talked) {
                None => continue,
                Some(Err(refusal)) => (refusal, None),
                Some(Ok(None)) => (talked.told_taken_back(order, counting.take()), None),
                Some(Ok(Some(words))) => {
                    let dismissal = self.dismissal(order, words, talked.thread);
                    let line = talked.told_dismissed(order, &dismissal);
                    counting = Some(dismissal);
                    (line, words.names.clone())
                }
            };
            if let (false, Some(comment)) = (order.answered, talked.thread.number) {
                self.heard.answers.push(ReplyAnswer {
                    comment,
                    reply: order.reply.clone(),
                    taken_for,
                    line,
                });
            }
        }
        self.heard.dismissals.extend(counting);
    }

    /// What an order dismisses, nothing where it takes that back, or why it does not count; none where the forge does not say who may write.
    fn weigh<'o>(
        &mut self,
        order: &'o DismissOrder,
        talked: &TalkedFinding<'_>,
    ) -> Option<Result<Option<&'o DismissWords>, String>> {
        let who = Untrusted::new(&order.login).code();
        if order.login == self.author {
            return Some(Err(format!(
                "Not dismissed: {who} opened this pull request, and somebody else has to agree."
            )));
        }
        let may_write = self.may_write(&order.login)?;
        if let Some(editor) = &order.edited_by {
            let by = match editor.as_str() {
                "" => "somebody else".to_owned(),
                editor => Untrusted::new(editor).code(),
            };
            return Some(Err(format!(
                "Not dismissed: {by} edited this reply of {who}, who has to write a new one."
            )));
        }
        Some(match may_write {
            true => self.understand(order, talked),
            false => Err(format!(
                "Not dismissed: {who} has no write access to this repository."
            )),
        })
    }

    /// Somebody's words about a finding, or what of them was not understood.
    fn understand<'o>(
        &self,
        order: &'o DismissOrder,
        talked: &TalkedFinding<'_>,
    ) -> Result<Option<&'o DismissWords>, String> {
        let who = Untrusted::new(&order.login).code();
        let quoted = |words: &str| Untrusted::new(&self.redactor.redact_words(words).text).code();
        let this = talked.name();
        Err(match &order.meaning {
            OrderMeaning::TakeBack => return Ok(None),
            OrderMeaning::Dismiss(_) if talked.stands_for_unlisted() => format!(
                "Not dismissed: {this} stands for more problems, which are not listed, and {who} was not shown them."
            ),
            OrderMeaning::Dismiss(_) if talked.is_over(order) => format!(
                "Not dismissed: the code around {this} has changed since this conversation, so a finding there has one \
                 of its own. Reply below that."
            ),
            OrderMeaning::Dismiss(words) if talked.is_meant(order, words) => {
                return Ok(Some(words));
            }
            OrderMeaning::Dismiss(words) => {
                let named = quoted(words.names.as_deref().unwrap_or_default());
                format!(
                    "Not dismissed: {who} names {named}, and this conversation is about {this}. Reply below the \
                     finding that you mean; for this one write `/council dismiss because …`."
                )
            }
            OrderMeaning::Unreasoned => format!(
                "Not dismissed: {who} gives no reason for {this}. Say why, as in \
                 `/council dismiss because it is a constant`."
            ),
            OrderMeaning::OtherKind(words) => format!(
                "Not dismissed: {} of {who} is no kind of dismissal. For {this} write `as wrong`, \
                 `as accepted-risk` or `as fixed`, then `because …`.",
                quoted(words)
            ),
            OrderMeaning::OtherWords(words) => format!(
                "Not dismissed: {who} wrote {} before the reason, which is not understood. A reply is about the \
                 finding of its conversation, here {this}: write `/council dismiss because …`.",
                quoted(words)
            ),
            OrderMeaning::Several => format!(
                "Not dismissed: this reply of {who} holds several commands. Write one for {this}, and one below each \
                 other finding that you mean."
            ),
        })
    }

    fn may_write(&mut self, login: &str) -> Option<bool> {
        if let Some(known) = self.writers.get(login) {
            return *known;
        }
        let may = look::may_write(self.hub, login).ok();
        self.writers.insert(login.to_owned(), may);
        may
    }

    fn dismissal(
        &self,
        order: &DismissOrder,
        words: &DismissWords,
        thread: &ReviewThread,
    ) -> Dismissal {
        Dismissal {
            fingerprint: thread.fingerprint.clone(),
            // A comment of an earlier version does not say how bad its finding was.
            severity: thread.severity.or(Some(Severity::Critical)),
            classes: thread.classes.clone(),
            said: thread.said.clone(),
            ground: words.ground,
            because: self.redactor.redact_words(&words.because).text,
            by: format!("@{}", order.login),
            at: order.at.clone(),
        }
    }
}

impl TalkedFinding<'_> {
    /// Whether an order is a new one about a finding that had been dismissed here and has another name by now.
    fn is_over(&self, order: &DismissOrder) -> bool {
        let is_answered = self.thread.orders.iter().any(|one| one.answered);
        self.is_renamed && is_answered && !order.answered
    }

    /// Whether words are about the finding of their conversation: they name none, or it.
    fn is_meant(&self, order: &DismissOrder, words: &DismissWords) -> bool {
        let Some(name) = &words.names else {
            return true;
        };
        let is_id = |open: &OpenFinding| open.id.eq_ignore_ascii_case(name);
        let digits = name.to_ascii_lowercase();
        self.known.is_some_and(is_id)
            || order.taken_for.as_ref() == Some(name)
            || (digits.len() >= 8 && self.thread.fingerprint.starts_with(&digits))
    }

    /// `F1`, or what else people call it.
    fn name(&self) -> String {
        let place = self.place().map(|place| format!(" at {place}"));
        let place = place.unwrap_or_default();
        match self.known {
            Some(open) => format!("{}{place}", Untrusted::new(&open.id).code()),
            None => format!("the finding{place}"),
        }
    }

    fn place(&self) -> Option<String> {
        let known = self.known.map(|open| {
            let location = &open.finding.location;
            format!("{}:{}", location.path.display(), location.line)
        });
        let place = known.or_else(|| self.thread.place.clone())?;
        Some(Untrusted::new(&place).code())
    }

    /// Whether anything was dismissed that counts again now.
    fn told_taken_back(&self, order: &DismissOrder, counting: Option<Dismissal>) -> String {
        let (who, this) = (Untrusted::new(&order.login).code(), self.name());
        match counting {
            Some(_) => format!("Taken back by {who}: {this} counts again."),
            None => format!("Nothing was taken back: no dismissal of {this} counts."),
        }
    }

    /// Whether it stands for problems that nobody was shown.
    fn stands_for_unlisted(&self) -> bool {
        let known = self.known.map(OpenFinding::restore_finding);
        known.is_some_and(|found| found.count_unlisted() > 0)
    }

    /// That another problem of the same line counts on, of which its judges speak in words of their own.
    fn told_left(&self) -> &'static str {
        let known = self.known.map(OpenFinding::restore_finding);
        match known.is_some_and(|found| !found.problems_beside().is_empty()) {
            true => {
                " Another problem that judges see in its line still counts, as a finding of its own."
            }
            false => "",
        }
    }

    /// What was dismissed, whose finding it was, and as what.
    fn told_dismissed(&self, order: &DismissOrder, dismissal: &Dismissal) -> String {
        let who = Untrusted::new(&order.login).code();
        let severity = self.known.map(|open| open.finding.severity);
        let severity = severity.or(self.thread.severity);
        let mut about: Vec<String> = severity
            .map(|s| s.as_str().to_owned())
            .into_iter()
            .collect();
        about.extend(self.known.map(raised_by));
        let about = match about.is_empty() {
            true => String::new(),
            false => format!(" ({})", about.join(", ")),
        };
        let (this, kind) = (self.name(), dismissal.ground.words());
        format!(
            "{DISMISSED_BY}{who}. This is about {this}{about}, as {kind}; it comes back if the code around it changes.{}",
            self.told_left()
        )
    }
}

/// By which rule, or by whom.
fn raised_by(open: &OpenFinding) -> String {
    if let Some(rule) = &open.finding.rule {
        return format!("rule {}", Untrusted::new(rule).code());
    }
    let mut judges: Vec<&str> = open.held_by.iter().map(|judge| judge.as_str()).collect();
    judges.dedup();
    let judges: Vec<String> = judges.iter().map(|j| Untrusted::new(j).code()).collect();
    format!("said by {}", judges.join(" and "))
}
