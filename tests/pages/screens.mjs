// The pictures of the README, from a real run with scripted models: docs/images.
//
//   node tests/pages/screens.mjs PROGRAM CHROMIUM
import { execFile } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Browser } from './browser.mjs';
import { DEBATE, makeShop, startModels } from './scene.mjs';

const [program, chromium] = process.argv.slice(2);
const images = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs', 'images');
const work = mkdtempSync(join(tmpdir(), 'screens-'));
mkdirSync(images, { recursive: true });

const models = await startModels();
const shop = makeShop(work, models.url);
// A verdict may end with any code; a program that did not start has a word for one, and no picture.
const council = (...args) => new Promise((resolve, reject) => {
  const options = { cwd: shop.work, env: { ...shop.env, COLUMNS: '96' }, maxBuffer: 1 << 28 };
  execFile(program, args, options, (error, stdout, stderr) => {
    if (stdout === '' || typeof error?.code === 'string') reject(new Error(`${program} ${args[0]}: ${error ?? ''} ${stderr}`));
    else resolve(stdout);
  });
});

const COLOURS = { 30: '#484f58', 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 34: '#79c0ff', 35: '#d2a8ff', 36: '#76e3ea', 90: '#8b949e' };
const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]);

/** What a terminal shows as an SVG: one text element a line, a span for each run of colour. */
function terminal(command, output) {
  const lines = [`\u001b[90m$\u001b[0m ${command}`, ...output.trimEnd().replace(/\u001b\]8;;.*?(\u0007|\u001b\\)/g, '').split('\n')];
  const [wide, high, left, top] = [8.4, 19, 20, 48];
  const columns = Math.max(...lines.map((line) => line.replace(/\u001b\[[\d;]*m/g, '').length));
  const [width, height] = [Math.ceil(columns * wide + 2 * left), lines.length * high + top + 14];
  let style = { colour: '#e6edf3', bold: false };
  const rows = lines.map((line, at) => {
    let column = 0;
    const spans = line.split(/(\u001b\[[\d;]*m)/).map((part) => {
      const codes = part.match(/^\u001b\[([\d;]*)m$/);
      if (codes) {
        for (const code of codes[1].split(';').map(Number)) {
          if (code === 0) style = { colour: '#e6edf3', bold: false };
          else if (code === 1) style = { ...style, bold: true };
          else if (COLOURS[code] ?? COLOURS[code - 60]) style = { ...style, colour: COLOURS[code] ?? COLOURS[code - 60] };
        }
        return '';
      }
      if (!part) return '';
      const span = `<tspan x="${(left + column * wide).toFixed(1)}" fill="${style.colour}"${style.bold ? ' font-weight="bold"' : ''} textLength="${(part.length * wide).toFixed(1)}">${escape(part)}</tspan>`;
      column += part.length;
      return span;
    });
    return `<text y="${top + at * high}" xml:space="preserve">${spans.join('')}</text>`;
  });
  const dots = ['#ff5f57', '#febc2e', '#28c840'].map((colour, at) => `<circle cx="${22 + at * 18}" cy="18" r="6" fill="${colour}"/>`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="git council review at a terminal">`
    + `<rect width="100%" height="100%" rx="10" fill="#0d1117" stroke="#30363d"/>${dots}`
    + `<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="14">${rows.join('\n')}</g></svg>\n`;
}

const told = await council('review', 'HEAD', ...DEBATE, '--color', 'always');
writeFileSync(join(images, 'terminal.svg'), terminal('git council review --debate', told));

const file = join(work, 'page.html');
writeFileSync(file, await council('show', '--format', 'html'));
models.close();
const browser = new Browser(chromium, join(work, 'profile'));
for (const scheme of ['light', 'dark']) {
  const page = await browser.open(`file://${file}`, { scheme, width: 1080, height: 1180, scale: 1.5 });
  writeFileSync(join(images, `page-${scheme}.webp`), await page.screenshot(false, 'webp', 80));
}
const picture = await browser.open(`file://${join(images, 'terminal.svg')}`, { width: 900, height: 900 });
if (process.env.COUNCIL_SHOTS) writeFileSync(join(process.env.COUNCIL_SHOTS, 'terminal.png'), await picture.screenshot(false));
await browser.close();
rmSync(work, { recursive: true });
