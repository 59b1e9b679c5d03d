// Opens pages of real runs in a real browser: see ../pages.sh.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from './browser.mjs';
import { answer, DEBATE, makeShop, startModels } from './scene.mjs';

const [program, chromium, work] = process.argv.slice(2);
const council = ({ work: cwd, env }, ...args) => new Promise((resolve) => {
  const options = { cwd, env, maxBuffer: 1 << 28 };
  execFile(program, args, options, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
});
const page = async (shop, name) => {
  const { stdout, stderr } = await council(shop, 'show', '--format', 'html');
  assert.match(stdout, /^<!DOCTYPE html>/, stderr);
  const file = join(work, `${name}.html`);
  writeFileSync(file, stdout);
  return `file://${file}`;
};

// ---------------------------------------------------------------------------------------------------------------------
// What is looked at: a debate, a change without a finding, and a change and judges that attack whoever reads the page.

const models = await startModels();
const shop = makeShop(join(work, 'debate'), models.url);
assert.equal((await council(shop, 'review', 'HEAD', ...DEBATE)).code, 1);
const debate = await page(shop, 'debate');

const clean = makeShop(join(work, 'clean'), models.url);
assert.equal((await council(clean, 'review', 'HEAD~1', '--agents', 'c', '--judges', '2')).code, 0);
const pass = await page(clean, 'clean');

const ATTACK = '</style></script><script>window.hit=1;alert(1)</script><img src=https://e.example/i onerror="window.hit=1">'
  + '<a href="javascript:window.hit=1">x</a><iframe srcdoc="<script>top.hit=1</script>"></iframe><meta http-equiv=refresh content="0;url=https://e.example">'
  + '" autofocus onfocus="window.hit=1" \' <svg onload=window.hit=1> ![i](https://e.example/i) \u202etxt.exe\u2066 \u0000 <base href="https://e.example/">';
const hostile = await startModels((model, prompt) => {
  const text = (value) => (typeof value === 'string' && !/^(FAIL|WARN|PASS|HIGH|critical|significant|minor|agreed|disagreed|[A-Z]\d*|[0-9a-f]{24})$/.test(value));
  const attack = (value, key) => (Array.isArray(value) ? value.map((one) => attack(one)) : value && typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, attack(one, name)]))
    : text(value) && !['path', 'quote', 'key', 'category'].includes(key) ? `${value} ${ATTACK}` : value);
  return attack(answer(model, prompt));
});
const attacked = makeShop(join(work, 'attacked'), hostile.url, {
  [`shop/<img src=x onerror=alert(1)>.py`]: `# ${ATTACK}\nvalue = "${ATTACK}"\n`,
  'shop/long.js': `var x = "${'a'.repeat(20_000)}${ATTACK}";\n`,
});
await council(attacked, 'review', 'HEAD', ...DEBATE);
const attack = await page(attacked, 'attack');

// What a pull request or a job's summary shows, by GitHub's own rules for Markdown and with its extensions.
const STYLE = 'body { font: 16px/1.5 sans-serif; max-width: 900px; margin: 2em auto } table { border-collapse: collapse } td, th { border: 1px solid #ccc; padding: 4px 12px }';
const asMarkdown = async (where, name) => {
  const { stdout } = await council(where, 'show', '--format', 'markdown');
  const text = stdout.replace(/^---\n[^]*?\n---\n/, '');
  assert.match(text.trimStart(), /^# (FAIL|PASS|WARN)/, name);
  const options = ['table', 'autolink', 'strikethrough', 'tasklist'].flatMap((extension) => ['-e', extension]);
  const body = execFileSync('cmark-gfm', [...options, '--unsafe'], { input: text, encoding: 'utf8' });
  const file = join(work, `${name}-markdown.html`);
  writeFileSync(file, `<!DOCTYPE html><meta charset="utf-8"><title>${name}</title><style>${STYLE}</style>${body}`);
  return `file://${file}`;
};
const markdown = [
  [await asMarkdown(shop, 'debate'), 'debate'], [await asMarkdown(clean, 'clean'), 'clean'], [await asMarkdown(attacked, 'attack'), 'attack'],
];

// Councils beside each other, over a history whose texts attack, by names that do.
const history = makeShop(join(work, 'history'), hostile.url);
const commit = (...args) => execFileSync('git', args, { cwd: history.work, env: history.env });
const GIT_TEXT = ATTACK.replace(/\0/g, '');
commit('commit', '--quiet', '--amend', '--message', `Search by mail ${GIT_TEXT}`);
commit('revert', '--no-edit', 'HEAD');
const changes = join(history.env.HOME, 'changes.jsonl');
const named = await council(history, 'eval', 'collect', '--since', '2000-01-01', '--sets', 'reverts', '-o', changes);
assert.equal(named.code, 0, named.stderr);
const bench = readFileSync(join(history.env.HOME, '.config/git-council/config.toml'), 'utf8');
const councils = ['plain', '<img src=x onerror="window.hit=1">'].map((name) => join(history.env.HOME, `${name}.toml`));
for (const file of councils) writeFileSync(file, `[review]\nagents = ['a', 'b']\njudges = 2\n${bench}`);
const held = await council(history, 'eval', 'run', changes, ...councils.flatMap((file) => ['--council', file]));
assert.equal(held.code, 0, held.stderr);
const compared = await council(history, 'eval', 'compare', changes, '--html');
assert.match(compared.stdout, /^<!DOCTYPE html>/, compared.stderr);
assert.match(compared.stdout, /&lt;img src=x onerror=/, 'the name of a council is shown as text');
const compare = join(work, 'compare.html');
writeFileSync(compare, compared.stdout);
models.close();
hostile.close();

// ---------------------------------------------------------------------------------------------------------------------

const browser = new Browser(chromium, join(work, 'profile'));
const shots = process.env.COUNCIL_SHOTS;
if (shots) mkdirSync(shots, { recursive: true });

/** Colours of every text against what is behind it, as WCAG 2.1 counts contrast. */
const CONTRAST = `(() => {
  const parse = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => { const f = (v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
  const behind = (node) => { for (; node; node = node.parentElement) { const c = parse(getComputedStyle(node).backgroundColor); if ((c[3] ?? 1) > 0) return c; } return [255, 255, 255]; };
  const bad = [];
  for (const node of document.querySelectorAll('body *')) {
    if (![...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()) || node.closest('script, .vh, .skip')) continue;
    const style = getComputedStyle(node), [a, b] = [light(parse(style.color)), light(behind(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05), large = parseFloat(style.fontSize) >= 24;
    if (ratio < (large ? 3 : 4.5)) bad.push(node.className + ' ' + node.textContent.slice(0, 30) + ' ' + ratio.toFixed(2));
  }
  return bad;
})()`;

async function inspect(url, name, scheme, scripts = 1) {
  const opened = await browser.open(url, { scheme });
  await opened.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))");
  assert.deepEqual(opened.seen, { requests: [url], complaints: [], dialogs: [] }, name);
  assert.equal(await opened.evaluate('window.hit'), undefined, name);
  assert.equal(await opened.evaluate('document.scripts.length'), scripts, name);
  assert.deepEqual(await opened.evaluate("[...document.querySelectorAll('img, iframe, svg, base, object, embed, form, input, meta[http-equiv=refresh]')].map((e) => e.outerHTML)"), [], name);
  const handlers = "[...document.querySelectorAll('*')].flatMap((e) => [...e.attributes]).map((a) => a.name).filter((n) => n.startsWith('on') || n === 'style' || n === 'src')";
  assert.deepEqual(await opened.evaluate(handlers), [], name);
  const links = "[...document.querySelectorAll('[href]')].map((e) => e.getAttribute('href')).filter((h) => !h.startsWith('#') && h !== 'data:,')";
  assert.deepEqual(await opened.evaluate(links), [], name);
  assert.deepEqual(await opened.evaluate(CONTRAST), [], `${name}, ${scheme}`);
  assert.ok(await opened.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${name} is wider than the window`);
  if (shots) {
    await opened.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = false))");
    writeFileSync(join(shots, `${name}-${scheme}.png`), await opened.screenshot(true));
  }
  return opened;
}

for (const scheme of ['light', 'dark']) {
  for (const [url, name] of [[debate, 'debate'], [pass, 'clean'], [attack, 'attack']]) await (await inspect(url, name, scheme)).close();
  // Tables need no script.
  await (await inspect(`file://${compare}`, 'compare', scheme, 0)).close();
}

// Markdown is read without a policy that forbids anything: all of it must be text.
for (const [url, name] of markdown) {
  const opened = await browser.open(url);
  assert.deepEqual(opened.seen, { requests: [url], complaints: [], dialogs: [] }, `${name} as Markdown`);
  assert.equal(await opened.evaluate('window.hit'), undefined, `${name} as Markdown`);
  const elements = "[...new Set([...document.body.querySelectorAll('*')].map((e) => e.localName))].sort()";
  const known = new Set('h1 h2 h3 p ul li strong em code pre table thead tbody tr th td hr blockquote'.split(' '));
  assert.deepEqual((await opened.evaluate(elements)).filter((one) => !known.has(one)), [], `${name} as Markdown`);
  const tables = "[...document.querySelectorAll('tr')].every((row) => row.cells.length === row.closest('table').rows[0].cells.length)";
  assert.ok(await opened.evaluate(tables), `${name}: a row has other cells than its header`);
  assert.equal(await opened.evaluate("document.querySelectorAll('h1').length"), 1, name);
  if (shots) writeFileSync(join(shots, `${name}-markdown.png`), await opened.screenshot(true));
  await opened.close();
}

// What a script of the change would do is forbidden even if it got into the page.
{
  const opened = await browser.open(debate);
  await opened.evaluate("(() => { const s = document.createElement('script'); s.textContent = 'window.hit = 1'; document.body.append(s); })()");
  await opened.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.hit = 1\"><p style=\"color: red\" onclick=\"window.hit = 1\">x</p>')");
  await opened.evaluate('document.querySelector("p[onclick]").click()');
  await opened.evaluate("fetch('https://e.example/').catch(() => {})");
  assert.equal(await opened.evaluate('window.hit'), undefined);
  assert.ok(opened.seen.complaints.filter((text) => /Content Security Policy/.test(text)).length >= 4, opened.seen.complaints.join('\n'));
  assert.deepEqual(opened.seen.requests.filter((url) => !url.startsWith('file:')), []);
  await opened.close();
}

// Keys: the skip link is first, j and k walk the findings, a fold opens with Enter.
{
  const opened = await browser.open(debate);
  await opened.press('Tab');
  assert.equal(await opened.evaluate('document.activeElement.className'), 'skip');
  const at = async (key) => { await opened.press(key, `Key${key.toUpperCase()}`); return opened.evaluate('document.activeElement.id'); };
  assert.deepEqual([await at('j'), await at('j'), await at('k')], ['finding-F1', 'finding-F2', 'finding-F1']);
  await opened.evaluate("document.querySelector('#background summary').focus()");
  await opened.press('Enter');
  assert.ok(await opened.evaluate("document.querySelector('#background details').open"));
  await opened.press('e', 'KeyE');
  assert.ok(await opened.evaluate("[...document.querySelectorAll('details')].every((fold) => fold.open)"));
  await opened.evaluate("document.getElementById('theme').click()");
  assert.equal(await opened.evaluate('document.documentElement.dataset.theme'), 'dark');
  assert.deepEqual(await opened.evaluate(CONTRAST), []);
  await opened.close();
}

// A screen reader meets the verdict as the only first heading, landmarks with names, and tables with headers.
{
  const opened = await browser.open(debate);
  const { nodes } = await opened.send('Accessibility.getFullAXTree');
  const seen = nodes.filter((node) => !node.ignored).map((node) => ({
    role: node.role?.value, name: node.name?.value ?? '', level: node.properties?.find((p) => p.name === 'level')?.value.value,
  }));
  const of = (role) => seen.filter((node) => node.role === role);
  assert.deepEqual(of('heading').filter((node) => node.level === 1).map((node) => node.name.replace(/\s+/g, ' ')), ['FAIL : 2 critical (1 disputed), 1 significant']);
  for (const role of ['banner', 'main', 'navigation', 'contentinfo']) assert.equal(of(role).length, 1, role);
  assert.deepEqual(of('article').map((node) => node.name).filter((name) => !/^(critical|significant)/.test(name)), []);
  assert.equal(of('article').length, 3);
  assert.deepEqual(of('columnheader').map((node) => node.name).slice(0, 4), ['Judge', 'Round 1', 'Round 2', 'Counts']);
  assert.deepEqual([...of('button'), ...of('link'), ...of('region')].filter((node) => !node.name.trim()), []);
  const levels = of('heading').map((node) => node.level);
  assert.ok(levels.every((level, at) => at === 0 || level <= levels[at - 1] + 1), levels.join());
  await opened.close();
}

// On paper everything is unfolded, and on a telephone nothing is cut off.
{
  const opened = await browser.open(debate, { scheme: 'dark' });
  const folded = Buffer.from((await opened.send('Page.printToPDF', {})).data, 'base64');
  await opened.send('Emulation.setEmulatedMedia', { media: 'print' });
  assert.equal(await opened.evaluate('getComputedStyle(document.body).color'), 'rgb(0, 0, 0)');
  assert.ok(folded.length > 20_000, `${folded.length} bytes of PDF`);
  await opened.close();
  const phone = await browser.open(debate, { width: 360, height: 740 });
  assert.ok(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  await phone.close();
}

// Without a script the page says the same.
{
  const opened = await browser.open('about:blank');
  await opened.send('Emulation.setScriptExecutionDisabled', { value: true });
  await opened.send('Page.navigate', { url: debate });
  await new Promise((done) => setTimeout(done, 500));
  const { root } = await opened.send('DOM.getDocument', { depth: -1 });
  const { nodeIds } = await opened.send('DOM.querySelectorAll', { nodeId: root.nodeId, selector: 'article.card' });
  assert.equal(nodeIds.length, 3);
  await opened.close();
}

await browser.close();
console.log('pages: a debate, a clean change, an attack and councils compared, light and dark, by keys, read aloud, on paper, and as Markdown');
process.exit(0);
