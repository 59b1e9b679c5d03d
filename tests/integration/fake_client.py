#!/usr/bin/env python3
"""Clients of models as they behave on the wire, without a model: claude, codex and any ACP agent.

    fake_client.py CLIENT BEHAVIOUR MARKS [the driver's own arguments]

It answers every turn with a vote for the change, unless BEHAVIOUR says otherwise. In MARKS it leaves what it saw: a line in
`turns` for every turn (process, session, round), its arguments, its environment, and what it was allowed.

BEHAVIOUR may be `objects:HOW:ENDING`: the first judge that is asked votes against the change, by submitting it, in words or
in words that it streams (HOW: handed-in, said, streamed), and then hangs, dies or leaves its mode (ENDING).
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

CLIENT, BEHAVIOUR, MARKS, ARGS = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
ECHO = re.compile(r"`round` is (\d+), and `key` is `([^`]*)`")
LOCK = threading.Lock()


# Our server of each session, as the client was told to start it, and what it was shown.
SERVERS, SHOWN = {}, {}


def our_server(session):
    """Our server, and how it is asked."""
    server = subprocess.Popen(SERVERS[session], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(id_, method, params):
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": params}) + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())["result"]

    ask(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
    server.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    return server, ask


def look_up(session):
    """What a model does that reads the files of MARKS/paths with our tool before it answers."""
    server, ask = our_server(session)
    with open(os.path.join(MARKS, "paths")) as file:
        paths = file.read().split()
    for id_, path in enumerate(paths, 2):
        found = ask(id_, "tools/call", {"name": "read_file", "arguments": {"path": path}})
        SHOWN[session] = SHOWN.get(session, "") + found["content"][0]["text"]
    server.stdin.close()
    server.wait()


def mark(name, text):
    with LOCK, open(os.path.join(MARKS, name), "a") as file:
        file.write(text + "\n")


def say(message):
    with LOCK:
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def answer(prompt, session=None):
    """The words of the model."""
    echo = ECHO.findall(prompt)
    if not echo:
        return "I hold what I said before."
    round_, key = echo[-1]
    if BEHAVIOUR == "prose":
        return "PASS. It looks good to me."
    if BEHAVIOUR == "empty":
        return ""
    if BEHAVIOUR == "invalid":
        return '```json\n{"schema_version": 1, "round": %s, "key": "%s", "verdict": "MAYBE"}\n```' % (round_, key)
    if BEHAVIOUR == "broken-off":
        return '```json\n{"schema_version": 1, "round": %s, "key": "%s", "verd' % (round_, key)
    if BEHAVIOUR == "wrong-key":
        key = "0000"
    if BEHAVIOUR == "flood":
        return "x" * (50 << 20)
    vote = {"schema_version": 1, "round": int(round_), "key": key, "verdict": "PASS", "confidence": "HIGH",
            "key_insight": "It does what it says.", "findings": [], "recommendation": "Merge it.",
            "restatement": "I hold that it does what it says."}
    told = re.search(r"^ *(\d+) +(.*overflows here.*)$", SHOWN.get(session, ""), re.M)
    if told:
        vote.update(verdict="FAIL", findings=[{
            "severity": "critical", "category": "overflow", "description": "The sum overflows in the invoice.",
            "location": {"path": "src/billing/invoice.rs", "line": int(told[1])}, "quote": told[2], "why": "w", "fix": "f"}])
    if BEHAVIOUR == "mended" and "could not use all" not in prompt:
        del vote["verdict"]
    return "I looked.\n\n```json\n%s\n```\n" % json.dumps(vote)


def turn(session, prompt, say_words=None):
    """Marks a turn, and misbehaves before it is answered."""
    echo = ECHO.findall(prompt)
    mark("turns", "%d %s %s" % (os.getpid(), session, echo[-1][0] if echo else "-"))
    if BEHAVIOUR.startswith("objects:"):
        return object_first(session, prompt, say_words)
    if BEHAVIOUR == "child":
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        mark("children", str(child.pid))
    if BEHAVIOUR == "stubborn":
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        time.sleep(600)
    if BEHAVIOUR in ("hang", "child"):
        return False
    if BEHAVIOUR == "looks-up":
        look_up(session)
    if BEHAVIOUR == "slow":
        time.sleep(0.7)
    if BEHAVIOUR == "dies":
        sys.stderr.write("out of memory\n")
        sys.stderr.flush()
        os._exit(9)
    return True


def object_first(session, prompt, say_words):
    """The objection of the first judge that is asked, and what becomes of it then; whether the turn goes on."""
    how, ending = BEHAVIOUR.split(":")[1:]
    try:
        os.close(os.open(os.path.join(MARKS, "objector"), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return True
    round_, key = ECHO.findall(prompt)[-1]
    vote = {"schema_version": 1, "analysis": "It deletes.", "round": int(round_), "key": key, "verdict": "FAIL",
            "confidence": "HIGH", "key_insight": "It deletes all data.", "recommendation": "r", "restatement": "s",
            "findings": [{"severity": "critical", "category": "data", "description": "It deletes all data.",
                          "location": {"path": "src/more.rs", "line": 2}, "quote": "pub const MORE: u32 = 1;",
                          "why": "w", "fix": "f"}]}
    if how == "handed-in":
        mark("taken", json.dumps(our_server(session)[1](2, "tools/call", {"name": "submit_verdict", "arguments": vote})))
    else:
        say_words(json.dumps(vote), how == "streamed")
    # Whoever is ended or killed is so a moment later.
    time.sleep(1.0)
    mark("objected", session)
    if ending == "dies":
        os._exit(9)
    if ending == "hangs":
        return False
    update = {"sessionUpdate": "current_mode_update", "currentModeId": "default"}
    say({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
    return True


STATUS = {"401": 401, "403": 403, "429": 429, "500": 500, "529": 529}


# -- claude --------------------------------------------------------------------------------------------------------------

def claude_result(session, prompt):
    result = {"type": "result", "subtype": "success", "is_error": False, "session_id": session, "total_cost_usd": 0.5,
              "usage": {"input_tokens": 10, "cache_read_input_tokens": 5, "output_tokens": 3}, "result": answer(prompt, session)}
    if BEHAVIOUR in STATUS:
        result.update(is_error=True, api_error_status=STATUS[BEHAVIOUR], result="API Error")
    if BEHAVIOUR == "refusal":
        result.update(is_error=True, stop_reason="refusal", result="")
    return result


def claude_says(text, _streamed):
    content = [{"type": "text", "text": text}]
    say({"type": "assistant", "message": {"id": "m1", "role": "assistant", "content": content}})


def claude_server(flag):
    council = json.loads(flag("--mcp-config") or '{"mcpServers": {"council": {"command": "", "args": []}}}')["mcpServers"]["council"]
    return [council["command"]] + council["args"]


def claude():
    flag = lambda name: ARGS[ARGS.index(name) + 1] if name in ARGS else None
    said = lambda line: "".join(block["text"] for block in json.loads(line)["message"]["content"])
    if "--no-session-persistence" not in ARGS:
        session = flag("--resume") or "session-%d" % os.getpid()
        prompt = said(sys.stdin.read())
        SERVERS[session] = claude_server(flag)
        if not turn(session, prompt, claude_says):
            time.sleep(600)
        result = claude_result(session, prompt)
        text = result["result"].split("```json\n")
        if flag("--json-schema") and len(text) > 1 and not result["is_error"]:
            try:
                result["structured_output"] = json.loads(text[1].split("\n```")[0])
            except ValueError:
                pass
        return say(result)
    session = "session-%d" % os.getpid()
    SERVERS[session] = claude_server(flag)
    tools = flag("--tools").split(",") + (["Bash"] if BEHAVIOUR == "armed" else [])
    pending = False
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "user":
            say({"type": "system", "subtype": "init", "session_id": session, "tools": tools})
            sys.stdout.write("not json at all\n")
            prompt = said(line)
            pending = not turn(session, prompt, claude_says)
            if not pending:
                say(claude_result(session, prompt))
        elif message["request"]["subtype"] == "interrupt":
            mark("interrupts", session)
            say({"type": "control_response", "response": {"subtype": "success"}})
            if pending:
                say({"type": "result", "subtype": "error_during_execution", "is_error": True, "session_id": session})
        elif message["request"]["subtype"] == "end_session":
            mark("ends", session)
            return


# -- codex ---------------------------------------------------------------------------------------------------------------

def codex():
    if "app-server" in ARGS:
        return codex_server()
    value = lambda name: ARGS[ARGS.index(name) + 1]
    session = value("resume") if "resume" in ARGS else "thread-%d" % os.getpid()
    prompt = sys.stdin.read()
    SERVERS[session] = codex_server_argv(dict(part.split("=", 1) for part in ARGS if part.startswith("mcp_servers.")), json.loads)
    say({"type": "thread.started", "thread_id": session})
    def says(text, _streamed):
        say({"type": "item.completed", "item": {"id": "item_1", "type": "agent_message", "text": text}})

    if not turn(session, prompt, says):
        time.sleep(600)
    if BEHAVIOUR in STATUS:
        say({"type": "turn.failed", "error": {"message": "unexpected status %s" % BEHAVIOUR}})
        sys.exit(1)
    with open(value("-o"), "w") as file:
        file.write(answer(prompt, session))
    say({"type": "item.completed", "item": {"type": "error", "message": "Model metadata not found"}})
    say({"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 5, "output_tokens": 3}})


def codex_server_argv(settings, read=lambda value: value):
    command, args = "mcp_servers.council.command", "mcp_servers.council.args"
    return [read(settings[command])] + read(settings[args]) if command in settings else []


def codex_turn(thread, turn_id, prompt):
    def says(text, streamed):
        about = {"threadId": thread, "turnId": turn_id}
        if not streamed:
            item = {"type": "agentMessage", "id": "item_1", "text": text}
            return say({"method": "item/completed", "params": {**about, "item": item}})
        for start in range(0, len(text), 40):
            part = {"itemId": "item_1", "delta": text[start:start + 40]}
            say({"method": "item/agentMessage/delta", "params": {**about, **part}})

    if not turn(thread, prompt, says):
        return
    done = {"id": turn_id, "status": "completed", "error": None}
    if BEHAVIOUR in STATUS:
        info = {"responseTooManyFailedAttempts": {"httpStatusCode": STATUS[BEHAVIOUR]}}
        done.update(status="failed", error={"message": "it failed", "codexErrorInfo": info})
    elif BEHAVIOUR == "refusal":
        done.update(status="failed", error={"message": "no", "codexErrorInfo": "misalignmentPolicyViolation"})
    else:
        item = {"type": "agentMessage", "text": answer(prompt, thread)}
        say({"method": "item/completed", "params": {"threadId": thread, "turnId": turn_id, "item": item}})
        total = {"inputTokens": 10, "cachedInputTokens": 5, "outputTokens": 3}
        say({"method": "thread/tokenUsage/updated", "params": {"threadId": thread, "tokenUsage": {"total": total}}})
    say({"method": "turn/completed", "params": {"threadId": thread, "turn": done}})


def codex_server():
    threads = 0
    for line in sys.stdin:
        message = json.loads(line)
        method, params, id_ = message.get("method"), message.get("params", {}), message.get("id")
        if id_ is None:
            continue
        result = {}
        if method == "thread/start":
            threads += 1
            mark("threads", json.dumps(params.get("config")))
            SERVERS["thread-%d" % threads] = codex_server_argv(params.get("config") or {})
            mark("words", params["developerInstructions"])
            sandbox = "workspaceWrite" if BEHAVIOUR == "armed" else "readOnly"
            result = {"thread": {"id": "thread-%d" % threads}, "sandbox": {"type": sandbox}}
        if method == "turn/start":
            turn_id = "turn-%d" % id_
            say({"id": id_, "result": {"turn": {"id": turn_id}}})
            args = (params["threadId"], turn_id, params["input"][0]["text"])
            threading.Thread(target=codex_turn, args=args, daemon=True).start()
            continue
        if method == "turn/interrupt":
            mark("interrupts", params["threadId"])
            done = {"id": params["turnId"], "status": "interrupted", "error": None}
            say({"method": "turn/completed", "params": {"threadId": params["threadId"], "turn": done}})
        say({"id": id_, "result": result})
    mark("ends", "codex")


# -- ACP -----------------------------------------------------------------------------------------------------------------

def acp():
    session, asked, waiting = "acp-%d" % os.getpid(), 1000, None
    for line in sys.stdin:
        message = json.loads(line)
        method, params, id_ = message.get("method"), message.get("params", {}), message.get("id")
        reply = lambda result: say({"jsonrpc": "2.0", "id": id_, "result": result})
        if method == "initialize":
            reply({"protocolVersion": 1, "agentCapabilities": {}})
        elif method == "session/new":
            SERVERS[session] = [part for one in params["mcpServers"] for part in [one["command"]] + one["args"]]
            modes = [{"id": "default", "name": "Default"}, {"id": "plan", "name": "Plan"}]
            reply({"sessionId": session, "modes": {"currentModeId": "default", "availableModes": modes}})
        elif method == "session/set_mode":
            mark("modes", params["modeId"])
            reply({})
        elif method == "session/cancel":
            mark("interrupts", session)
            if waiting is not None:
                say({"jsonrpc": "2.0", "id": waiting, "result": {"stopReason": "cancelled"}})
        elif method == "session/prompt":
            prompt = params["prompt"][0]["text"]
            if BEHAVIOUR == "armed":
                update = {"sessionUpdate": "current_mode_update", "currentModeId": "default"}
                say({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
            if BEHAVIOUR == "writes":
                call = {"toolCallId": "1", "kind": "edit", "title": "Write", "locations": [{"path": os.getcwd() + "/x"}]}
                options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                           {"optionId": "no", "name": "No", "kind": "reject_once"}]
                ask = {"sessionId": session, "toolCall": call, "options": options}
                say({"jsonrpc": "2.0", "id": asked, "method": "session/request_permission", "params": ask})
                mark("allowed", json.dumps(json.loads(sys.stdin.readline())["result"]))
            waiting = id_

            def says(text, _streamed):
                update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
                say({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})

            if not turn(session, prompt, says):
                continue
            if BEHAVIOUR in STATUS:
                say({"jsonrpc": "2.0", "id": id_, "error": {"code": STATUS[BEHAVIOUR], "message": "it failed"}})
                continue
            text = answer(prompt, session)
            for start in range(0, len(text), 1 << 20):
                update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text[start:start + (1 << 20)]}}
                say({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
            waiting = None
            reply({"stopReason": "refusal" if BEHAVIOUR == "refusal" else "end_turn",
                   "usage": {"inputTokens": 10, "outputTokens": 3}})
    mark("ends", session)


mark("arguments", json.dumps(ARGS))
mark("environment", json.dumps(dict(os.environ)))
mark("rooms", json.dumps(sorted(os.path.join(base, name) for base, _, names in os.walk(".") for name in names)))
{"claude": claude, "codex": codex, "acp": acp}[CLIENT]()
