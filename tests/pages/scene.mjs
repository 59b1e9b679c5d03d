// A small shop, a change with three faults, and three models that argue about it: the program is real, its judges are scripted.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { dirname, join } from 'node:path';

const BEFORE = {
  'README.md': '# Shop\n\nOrders, prices and invoices.\n',
  'shop/orders.py': `"""Orders of a customer."""

PAGE = 20


def find_orders(db, customer, page):
    """One page of a customer's orders, the latest first."""
    if page < 1:
        raise ValueError("pages are counted from 1")
    return db.execute(
        "select id, total from orders where customer = ? order by id desc limit ? offset ?",
        (customer, PAGE, (page - 1) * PAGE),
    )


def cancel(db, order):
    with db.transaction():
        db.execute("update orders set state = 'cancelled' where id = ?", (order,))
        db.execute("delete from reservations where order_id = ?", (order,))
`,
  'shop/mail.py': `"""Mails to customers."""


def normalize(address):
    address = address.strip()
    if not address.isascii() or address.count("@") != 1:
        raise ValueError("not an address")
    return address.lower()
`,
  'tests/test_orders.py': `from shop.orders import PAGE


def test_page_size():
    assert PAGE == 20
`,
};

const AFTER = {
  'shop/orders.py': `"""Orders of a customer."""

from shop.mail import normalize

PAGE = 20


def find_orders(db, customer, page, sort="id"):
    """One page of a customer's orders, the latest first."""
    return db.execute(
        f"select id, total from orders where customer = ? order by {sort} desc limit ? offset ?",
        (customer, PAGE, page * PAGE),
    )


def find_by_mail(db, address):
    return db.execute(f"select id from orders where mail = '{normalize(address)}'")


def cancel(db, order):
    db.execute("update orders set state = 'cancelled' where id = ?", (order,))
    db.execute("delete from reservations where order_id = ?", (order,))
`,
  'tests/test_orders.py': `from shop.orders import PAGE, find_by_mail


class Database:
    def execute(self, query, values=()):
        return [query]


def test_page_size():
    assert PAGE == 20


def test_mail_is_normalized():
    assert "ann@example.com" in find_by_mail(Database(), " Ann@Example.com ")[0]
`,
};

const FILE = 'shop/orders.py';
const SORT = {
  severity: 'critical', category: 'injection', location: { path: FILE, line: 11 },
  quote: 'f"select id, total from orders where customer = ? order by {sort} desc limit ? offset ?"',
  description: 'The column to sort by goes into the query as it came from the request.',
  why: 'With `sort=(select password from users limit 1)` whoever sends the request reads any table.',
  fix: 'Take the column from a fixed set of names, and refuse everything else.',
};
const OFFSET = {
  severity: 'significant', category: 'boundaries', location: { path: FILE, line: 12 }, quote: '(customer, PAGE, page * PAGE),',
  description: 'The first page is skipped: `page` is counted from 1, and the offset of page 1 is now 20.',
  why: 'A customer with 20 orders or fewer sees none of them.', fix: 'Subtract one again.',
  suggestion: '        (customer, PAGE, (page - 1) * PAGE),',
};
const TRANSACTION = {
  severity: 'significant', category: 'error-paths', location: { path: FILE, line: 21 },
  quote: "    db.execute(\"update orders set state = 'cancelled' where id = ?\", (order,))\n    db.execute(\"delete from reservations where order_id = ?\", (order,))",
  description: 'The two statements are no longer one transaction.',
  why: 'Where the second one fails, the order is cancelled and its goods stay reserved for ever.',
  fix: 'Keep `with db.transaction():` around both.',
};
const MAIL = {
  severity: 'critical', category: 'injection', location: { path: FILE, line: 17 },
  quote: "f\"select id from orders where mail = '{normalize(address)}'\"",
  description: 'An address with a quotation mark ends the string in the query.',
  why: "`o'neil@example.com` breaks the statement, and `x' or '1'='1` with an @ in it lists the orders of everybody.",
  fix: 'Bind the address.',
};
const NAMES = {
  severity: 'minor', category: 'tests', location: { path: 'tests/test_orders.py', line: 14 }, quote: 'def test_mail_is_normalized():',
  description: 'Nothing tests what happens with an address that is refused.', why: 'The only test is of an address that is fine.', fix: 'Add one for `x@y@z`.',
};

const evidence = (path, line, quote) => ({ path, line, quote });
const TOLD = {
  'model-a': {
    1: {
      verdict: 'FAIL', findings: [SORT, MAIL, OFFSET], key_insight: 'Text of a request becomes part of two statements.',
      restatement: 'I vote FAIL: `sort` and `address` reach the database as code.', recommendation: 'Bind the address, and take the column from a fixed set.',
    },
    2: (said) => ({
      verdict: 'FAIL', key_insight: 'The column of the sort is still open to anybody.',
      responses: [said(TRANSACTION, 'agreed', 'I had read past the removed `with`.', evidence(FILE, 22, 'db.execute("delete from reservations where order_id = ?", (order,))'))],
      challenges: [{ to: said.letter(MAIL.severity, 'PASS'), claim: 'The change only moves code.', question: 'Where is `sort` checked before it gets into the query?' }],
      steel_man: 'If every caller passed a literal, the query would be safe as it is.',
    }),
  },
  'model-b': {
    1: {
      verdict: 'WARN', findings: [TRANSACTION, OFFSET, NAMES], key_insight: 'An order can be cancelled by half, and the first page is lost.',
      restatement: 'I vote WARN: the transaction is gone, and the offset is one page off.', recommendation: 'Bring the transaction back.',
    },
    2: (said) => ({
      verdict: 'FAIL', key_insight: 'I had taken `sort` for a constant; it is a parameter.',
      responses: [
        said(SORT, 'agreed', 'It is a parameter of a public function, and nothing checks it.', evidence(FILE, 8, 'def find_orders(db, customer, page, sort="id"):')),
        said(MAIL, 'disagreed', 'A statement of this kind needs a blank or a second quotation mark, and the database refuses several statements.', null),
      ],
      change: { from: 'WARN', to: 'FAIL', evidence: evidence(FILE, 8, 'def find_orders(db, customer, page, sort="id"):') },
      steel_man: 'If `sort` were an enum, there would be nothing critical here.',
    }),
  },
  'model-c': {
    1: {
      verdict: 'PASS', findings: [], key_insight: 'The change moves code around and adds a search by mail.',
      restatement: 'I vote PASS: I found nothing that fails.', recommendation: 'Merge it.',
    },
    2: (said) => ({
      verdict: 'WARN', key_insight: 'The offset and the transaction are wrong; the address is not the way in.',
      responses: [
        said(OFFSET, 'agreed', 'Page 1 begins at row 20 now.', evidence(FILE, 12, '(customer, PAGE, page * PAGE),')),
        said(SORT, 'agreed', 'The parameter is interpolated.', evidence(FILE, 11, 'order by {sort} desc limit ? offset ?')),
        said(MAIL, 'disagreed', '`normalize` refuses what has more than one @ or is not ASCII, so most of such texts end there.', evidence('shop/mail.py', 6, 'if not address.isascii() or address.count("@") != 1:')),
      ],
      change: { from: 'PASS', to: 'WARN', evidence: evidence(FILE, 12, '(customer, PAGE, page * PAGE),') },
      steel_man: 'With hostile input in an address the search by mail would be as bad as the sort.',
    }),
  },
};

/** Answers as `model` to a whole prompt: its words of that round, with the ids under which others' findings stand there. */
export function answer(model, prompt) {
  const round = Number(prompt.match(/`round` is (\d)/g)?.at(-1)?.match(/\d/)[0] ?? 1);
  const key = prompt.match(/`key` is `([^`]*)`/g)?.at(-1)?.match(/`key` is `([^`]*)`/)[1];
  const task = prompt.slice(prompt.lastIndexOf('# Round '));
  const idOf = (finding) => {
    const at = task.indexOf(finding.description.slice(0, 40));
    return at < 0 ? undefined : [...task.slice(0, at).matchAll(/\b([A-Z]\d+)\b/g)].at(-1)?.[1];
  };
  const said = (finding, stance, reasoning, proof) => {
    const to = idOf(finding);
    return to ? { to, stance, reasoning, ...(proof && { evidence: proof }) } : undefined;
  };
  said.letter = () => task.match(/Judge ([A-Z])\b/)?.[1] ?? 'A';
  const own = TOLD[model][round];
  const words = typeof own === 'function' ? own(said) : own;
  const clean = { ...words, responses: words.responses?.filter(Boolean) };
  return { analysis: 'Each hunk was read.', schema_version: 1, round, key, findings: [], confidence: 'HIGH', ...clean };
}

/** A server of chat completions that plays the three models. */
export async function startModels(answers = answer) {
  const server = http.createServer((request, response) => {
    // It is asked how large its window is, too, and does not say.
    if (request.method !== 'POST') return response.writeHead(404).end();
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const asked = JSON.parse(body || '{}');
      const prompt = (asked.messages ?? []).map(({ content }) => (typeof content === 'string' ? content : content.map((part) => part.text ?? '').join(''))).join('\n');
      const content = JSON.stringify(answers(asked.model, prompt));
      const usage = { prompt_tokens: Math.ceil(prompt.length / 4), completion_tokens: Math.ceil(content.length / 4) };
      if (asked.stream) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const event = (data) => response.write(`data: ${JSON.stringify(data)}\n\n`);
        event({ model: asked.model, choices: [{ index: 0, delta: { role: 'assistant', content } }] });
        event({ model: asked.model, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
        event({ model: asked.model, choices: [], usage });
        return response.end('data: [DONE]\n\n');
      }
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ model: asked.model, choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }], usage }));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() };
}

/** A repository in `folder` with the change in its last commit, and a user whose judges are the models at `url`. */
export function makeShop(folder, url, more = {}) {
  const home = join(folder, 'home');
  const work = join(folder, 'shop');
  const people = { GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.com', GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.com' };
  const day = '2026-03-09T10:00:00 +0000';
  const env = {
    PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', MODEL_KEY: 'sk-scripted',
    GIT_AUTHOR_DATE: day, GIT_COMMITTER_DATE: day, ...people,
  };
  const write = (root, files) => Object.entries(files).forEach(([path, text]) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  });
  const git = (...args) => execFileSync('git', args, { cwd: work, env, encoding: 'utf8' }).trim();
  const agents = ['a', 'b', 'c'].map((name) => `[agents.${name}]\ndriver = 'http'\napi = 'chat'\nurl = '${url}'\nkey = 'MODEL_KEY'\n`
    + `model = 'model-${name}'\nvendor = 'vendor-${name}'\ntools = false\n[prices.model-${name}]\ninput = 3\noutput = 15\n`);
  write(home, { '.config/git-council/config.toml': agents.join('') });
  write(work, BEFORE);
  git('init', '--quiet', '--initial-branch=main', '.');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Orders by page');
  git('checkout', '--quiet', '-b', 'search-by-mail');
  write(work, { ...AFTER, ...more });
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Search orders by mail, sort them by any column');
  return { work, env };
}

/** Runs the program; a verdict is no failure of it. */
export function council(program, { work, env }, args) {
  try {
    return execFileSync(program, args, { cwd: work, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 28 });
  } catch (error) {
    if (error.status === 1 || error.status === 3) return error.stdout;
    throw new Error(`${args.join(' ')}: ${error.stderr || error.message}`);
  }
}

export const DEBATE = ['--debate', '--judges', '3', '--agents', 'a,b,c'];
