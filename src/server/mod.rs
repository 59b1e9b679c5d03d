//! The council for coding agents: a server of the Model Context Protocol on standard input and output.

mod answer;
mod conduct;
mod left_out;
mod tools;
mod workspace;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use council_agents::mcp_lines::checked_stdio;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ServerCapabilities,
    ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt as _};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;

use self::conduct::CallWires;
use self::tools::ToolCall;
use crate::report;
use crate::run::context::RunContext;
use crate::run::error::RunError;
use crate::run::hints::without_options;
use crate::run::redaction::user_redactor;
use crate::text::Untrusted;

/// How often a client hears that a review goes on: several give up after a minute of silence.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// The last report, for people and for programs.
const LATEST: [(&str, &str); 2] = [
    ("council://report/latest.md", "text/markdown"),
    ("council://report/latest.json", "application/json"),
];

/// Serves until the client goes away.
pub(crate) fn serve(start: &RunContext) -> Result<(), RunError> {
    let cannot = |error: String| {
        RunError::run(format!("cannot serve coding agents: {error}")).hint(
            "a coding agent starts this and speaks MCP with it; to set one up: git council agents install NAME",
        )
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| cannot(error.to_string()))?;
    let server = CouncilServer {
        start: start.clone(),
        one_review: Arc::default(),
        shown: Arc::default(),
        working: Arc::default(),
    };
    let working = Arc::clone(&server.working);
    let served = runtime.block_on(async {
        let running = server.serve(checked_stdio()).await;
        let running = running.map_err(|error| cannot(error.to_string()))?;
        let ended = running.waiting().await;
        ended.map(drop).map_err(|error| cannot(error.to_string()))
    });
    // What is still being answered is told to end with the runtime.
    drop(runtime);
    wait_for_review(&working);
    served
}

/// A client that has left waits for nothing, but its review leaves a report that `resume` goes on from: its judges are asked to
/// end first.
fn wait_for_review(working: &Mutex<Option<JoinHandle<()>>>) {
    let review = working
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(review) = review {
        // A panic of it was told already.
        let _ = review.join();
    }
}

/// Tells a review to end in good order when nobody follows it any more.
struct EndWhenDropped(UnboundedSender<()>);

impl Drop for EndWhenDropped {
    fn drop(&mut self) {
        // One that is over hears nothing.
        let _ = self.0.send(());
    }
}

/// The run whose findings the client was shown last in each worktree: its `F1` is of that one, whatever another agent has asked
/// for.
type ShownRuns = Arc<Mutex<BTreeMap<PathBuf, String>>>;

#[derive(Clone)]
struct CouncilServer {
    start: RunContext,
    /// Two reviews at once would cost twice, and an agent that asks again has mostly lost patience.
    one_review: Arc<tokio::sync::Mutex<()>>,
    shown: ShownRuns,
    /// The review that was asked for last.
    working: Arc<Mutex<Option<JoinHandle<()>>>>,
}

impl CouncilServer {
    /// The context of a call: an agent is named by its own word.
    fn context_of(&self, context: &RequestContext<RoleServer>) -> RunContext {
        // Older clients say it once, newer ones with every request.
        let hello = context
            .peer
            .peer_info()
            .map(|info| info.client_info.clone());
        let named =
            context.meta.client_info().or(hello).map(|client| {
                Untrusted::new(&format!("{} {}", client.name, client.version)).line()
            });
        let named = named.filter(|name| !name.trim().is_empty());
        // The name stands in reports and in what is proposed.
        let redactor = user_redactor(&self.start).unwrap_or_default();
        let named = named.map(|name| redactor.redact_words(&name).text);
        let agent = named.or_else(|| self.start.started_by.clone());
        RunContext {
            started_by: agent.or_else(|| Some("an MCP client".to_owned())),
            ..self.start.clone()
        }
    }

    /// Works in a thread of its own, passes on what it tells, and ends it in good order when the client cancels.
    async fn follow(
        &self,
        call: ToolCall,
        arguments: &Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<String, String> {
        let _one = match &call {
            ToolCall::Review { .. } => Some(
                self.one_review
                    .try_lock()
                    .map_err(|_| "a review is running already: wait for its answer; if it was given up, call again when its judges have ended")?,
            ),
            _ => None,
        };
        let (progress, mut told) = unbounded_channel();
        let (stop, interrupts) = unbounded_channel();
        let is_review = matches!(call, ToolCall::Review { .. });
        let (sender, mut done) = oneshot::channel();
        let start = workspace::in_workspace(self.context_of(context), arguments, context).await?;
        let place = workspace::describe_place(&start);
        let wires = CallWires {
            progress,
            interrupts,
            shown: Arc::clone(&self.shown),
        };
        let work = std::thread::spawn(move || {
            let _ = sender.send(conduct::conduct(call, wires, &start));
        });
        if is_review {
            let mut working = self.working.lock().unwrap_or_else(PoisonError::into_inner);
            *working = Some(work);
        }
        let mut stop = Some(EndWhenDropped(stop));
        let mut step = 0.0;
        let mut heartbeat = tokio::time::interval(HEARTBEAT);
        heartbeat.tick().await;
        loop {
            let line = tokio::select! {
                ended = &mut done => {
                    let ended = ended.map_err(|_| "the review broke off; `git council status` says more".to_owned())?;
                    return ended.map_err(|error| format!("{}\n{place}", describe_error(&error)));
                }
                () = context.ct.cancelled(), if stop.is_some() => {
                    stop = None;
                    continue;
                }
                Some(line) = told.recv() => line,
                _ = heartbeat.tick() => "the review goes on".to_owned(),
            };
            step += 1.0;
            report_progress(context, step, line).await;
        }
    }

    /// The last report in one of its two forms.
    fn read_latest(uri: &str, start: &RunContext) -> Result<ResourceContents, ErrorData> {
        let Some((_, mime)) = LATEST.iter().find(|(known, _)| *known == uri) else {
            return Err(ErrorData::resource_not_found(
                without_secrets(
                    start,
                    &format!("there is no resource {}", Untrusted::new(uri).line()),
                ),
                None,
            ));
        };
        let found = conduct::find_report(None, start);
        let report = found.map_err(|error| {
            ErrorData::resource_not_found(without_secrets(start, &describe_error(&error)), None)
        })?;
        let text = match *mime {
            "application/json" => report::json::render(&report, report.own_gate()),
            _ => conduct::warn_of_other(&report, answer::render_page(&report), start),
        };
        Ok(ResourceContents::text(text, uri).with_mime_type(*mime))
    }
}

async fn report_progress(context: &RequestContext<RoleServer>, step: f64, line: String) {
    let Some(token) = context.meta.get_progress_token() else {
        return;
    };
    let note = ProgressNotificationParam::new(token, step).with_message(line);
    // A client that went away is noticed elsewhere.
    let _ = context.peer.notify_progress(note).await;
}

/// What is wrong with a call, which repeats what it was given: a model may have read a secret elsewhere.
fn without_secrets(start: &RunContext, text: &str) -> String {
    let redactor = user_redactor(start).unwrap_or_default();
    redactor.redact_words(text).text
}

/// Why the parameters of a method that there is are not what it takes; none: there is no such method.
fn describe_wrong_params(request: &CustomRequest) -> Option<String> {
    let params = request.params.clone().unwrap_or(Value::Null);
    let wrong = match request.method.as_str() {
        "tools/call" => serde_json::from_value::<CallToolRequestParams>(params).err(),
        "resources/read" => serde_json::from_value::<ReadResourceRequestParams>(params).err(),
        "tools/list" | "resources/list" => {
            serde_json::from_value::<PaginatedRequestParams>(params).err()
        }
        _ => return None,
    };
    let why = wrong.map_or_else(
        || "they have another form".to_owned(),
        |error| error.to_string(),
    );
    Some(Untrusted::new(&why).line())
}

/// An error with its hints, for a model.
fn describe_error(error: &RunError) -> String {
    let mut out = Untrusted::new(&error.message).line();
    for hint in error.hints.iter().filter_map(|hint| hint_for_tools(hint)) {
        out.push_str(&format!("\nhint: {}", Untrusted::new(&hint).line()));
    }
    out
}

/// What the command line takes, a tool takes under another name; none: no tool takes it.
fn hint_for_tools(hint: &str) -> Option<String> {
    if hint.starts_with("name what to review:") {
        return Some("name a `target`: HEAD (the last commit), staged or worktree".to_owned());
    }
    if hint.ends_with("--staged or --worktree") {
        return Some("make a commit, or name a `target`: staged or worktree".to_owned());
    }
    let hint = hint.replace(
        "pass -C DIR",
        "pass `folder`, the repository's absolute path",
    );
    without_options(&hint)
}

impl ServerHandler for CouncilServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .build();
        let ours = Implementation::new("git-council", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities)
            .with_server_info(ours)
            .with_instructions(tools::INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = tools::tool_declarations().into_iter().map(|declared| {
            let fields = declared.schema.as_object().cloned().unwrap_or_default();
            let annotations = ToolAnnotations::new()
                .read_only(declared.read_only)
                .destructive(declared.destructive)
                .open_world(declared.open_world);
            Tool::new(declared.name, declared.about, Arc::new(fields)).annotate(annotations)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.map_or(Value::Null, Value::Object);
        let said = match tools::parse_call(&request.name, &arguments) {
            Ok(call) => self.follow(call, &arguments, &context).await,
            Err(wrong) => Err(wrong),
        };
        let result = match said {
            Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]),
            Err(text) => CallToolResult::error(vec![ContentBlock::text(without_secrets(
                &self.start,
                &text,
            ))]),
        };
        Ok(result.into())
    }

    /// What is no request as the protocol has it: one of an unknown method, or a known one with parameters of another form.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = Untrusted::new(&request.method).line();
        Err(match describe_wrong_params(&request) {
            Some(why) => {
                let text = format!("the parameters of {method} are wrong: {why}");
                ErrorData::invalid_params(without_secrets(&self.start, &text), None)
            }
            None => ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None),
        })
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let listed = LATEST.iter().map(|(uri, mime)| {
            let name = uri.rsplit('/').next().unwrap_or(uri);
            Resource::new(*uri, name)
                .with_description("The report of the last review")
                .with_mime_type(*mime)
        });
        Ok(ListResourcesResult::with_all_items(listed.collect()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let start = workspace::in_workspace(self.start.clone(), &Value::Null, &context).await;
        let start = start.map_err(|why| ErrorData::resource_not_found(why, None))?;
        let contents = Self::read_latest(&request.uri, &start)?;
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}
