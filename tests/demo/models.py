#!/usr/bin/env python3
"""The models of the demo's recording (record.sh): what they say is written here; keys and labels come from the prompts."""
import http.server, json, re, sys, time
def answer_of(me, prompt):
    def last(pattern, default=""):
        found = re.findall(pattern, prompt)
        return found[-1] if found else default
    key = last(r"`key` is `([^`]*)`")
    rnd = int(last(r"`round` is (\d+)", "1"))
    SQL = '    query = f"select order_id, amount from refunds where {column} like \'%{text}%\' order by rowid desc"'
    PAY = "    gateway.transfer(order, amount)"
    def finding(severity, category, line, quote, what, why, fix):
        return {"severity": severity, "category": category, "description": what, "location": {"path": "refunds.py", "line": line}, "quote": quote, "why": why, "fix": fix}
    sql = finding("critical", "injection", 20, SQL, "The search text becomes part of the SQL statement.",
      "Whoever can search can read every table: `%' union select card, owner from cards --` is a search text like any other.",
      "Pass the text as a parameter, and choose the column from a fixed list.")
    pay = finding("critical", "lost-money", 30, PAY, "A refund is marked as paid before the money is sent.",
      "If the transfer fails, the refund is never tried again: `pay` returns False for it from then on.",
      "Send the money first, as before, with the order as idempotency key; mark it as paid afterwards.")
    test = finding("significant", "tests", 18, 'def search(db, text, column="order_id"):', "The new search has no test.",
      "Nothing notices when it finds the wrong refunds.", "Test it with a text that contains a quote.")
    limit = finding("critical", "performance", 21, "    return db.execute(query).fetchall()", "The search reads the whole table into memory.",
      "A table of refunds grows without end.", "Add a limit to the statement.")
    first = {"security": ("FAIL", [sql], "The search lets anybody read the database."),
      "correctness": ("FAIL", [pay], "A failed transfer loses a refund for good."),
      "tests": ("FAIL", [test, limit], "The search is untested and unbounded.")}
    base = {"schema_version": 1, "round": rnd, "key": key, "confidence": "HIGH", "recommendation": "Mend the statement and the order of the two steps."}
    def label(text):
        for m in re.finditer(r"\b([A-H]\d+)\b", prompt):
            window = prompt[m.start():m.start() + 400]
            if text in window.split("\n\n")[0] or text in window[:200]:
                return m.group(1)
        return "A1"
    def respond(text, stance, reasoning, evidence=None):
        r = {"to": label(text), "stance": stance, "reasoning": reasoning}
        if evidence: r["evidence"] = {"path": "refunds.py", "line": evidence[0], "quote": evidence[1]}
        return r
    if rnd == 1:
        time.sleep({"security": 4, "correctness": 6, "tests": 3}[me])
        vote, findings, insight = first[me]
        answer = dict(base, verdict=vote, findings=findings, key_insight=insight, restatement=insight)
    else:
        time.sleep({"security": 5, "correctness": 4, "tests": 6}[me])
        if me == "security":
            answer = dict(base, verdict="FAIL", key_insight="Both critical findings are real.", responses=[
              respond("marked as paid", "agreed", "The commit is made before the transfer: an exception between them loses it.", (29, "    db.commit()")),
              respond("whole table", "disagreed", "It is slow, not wrong: the statement before it is the problem.", (20, SQL)),
              respond("has no test", "agreed", "Nothing in tests/ calls it.")])
        elif me == "correctness":
            answer = dict(base, verdict="FAIL", key_insight="The statement is worse than what I found.", responses=[
              respond("becomes part", "agreed", "`text` comes straight from the caller.", (18, 'def search(db, text, column="order_id"):')),
              respond("whole table", "disagreed", "The table holds refunds of open orders only, and the rows are two columns.", (20, SQL)),
              respond("has no test", "agreed", "It has none.")])
        else:
            answer = dict(base, verdict="FAIL", key_insight="I had missed what the statement lets in.", responses=[
              respond("becomes part", "agreed", "A quote in the text breaks it at once; a test would have shown that.", (20, SQL)),
              respond("marked as paid", "agreed", "The present test never lets a transfer fail.", (29, "    db.commit()"))],
              withdrawn=[{"finding": 2, "evidence": {"path": "refunds.py", "line": 20, "quote": SQL}}])
    return json.dumps(answer, indent=1)


class H(http.server.BaseHTTPRequestHandler):
    def log_message(self, *a): pass
    def do_POST(self):
        req = json.loads(self.rfile.read(int(self.headers["content-length"])))
        me = {"model-a": "security", "model-b": "correctness", "model-c": "tests"}[req["model"]]
        def text(c): return c if isinstance(c, str) else "".join(p.get("text", "") for p in c)
        prompt = "\n".join(text(m["content"]) for m in req["messages"] if m["role"] != "assistant")
        said = answer_of(me, prompt)
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(said) // 4}
        if req.get("stream"):
            out = "data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": said}, "finish_reason": "stop"}]}) + "\n\n"
            out += "data: " + json.dumps({"choices": [], "usage": usage}) + "\n\ndata: [DONE]\n\n"
            kind = "text/event-stream"
        else:
            out = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}], "usage": usage}); kind = "application/json"
        self.send_response(200); self.send_header("content-type", kind); self.send_header("content-length", str(len(out.encode()))); self.end_headers(); self.wfile.write(out.encode())
http.server.ThreadingHTTPServer(("127.0.0.1", 11434), H).serve_forever()
