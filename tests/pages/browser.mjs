// A headless Chromium, driven over a pipe: no package, no port.
import { spawn } from 'node:child_process';

export class Browser {
  /** Starts `program` with a profile in `folder`. */
  constructor(program, folder) {
    this.child = spawn(program, [
      '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--remote-debugging-pipe',
      `--user-data-dir=${folder}`, 'about:blank',
    ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    [this.waiting, this.next, this.listeners] = [new Map(), 1, []];
    let rest = Buffer.alloc(0);
    this.child.stdio[4].on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) this.receive(JSON.parse(rest.subarray(0, end)));
    });
    this.child.on('exit', () => this.waiting.forEach(({ reject }) => reject(new Error('the browser has ended'))));
  }

  receive(message) {
    if (!message.id) return this.listeners.forEach((listener) => listener(message));
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.child.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** Opens a page and says everything that it asked for, complained about, or tried. */
  async open(url, { width = 1280, height = 900, scheme = 'light', scale = 1 } = {}) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const seen = { requests: [], complaints: [], dialogs: [] };
    let loaded;
    const ready = new Promise((done) => (loaded = done));
    this.listeners.push(({ method, params, sessionId: from }) => {
      if (from !== sessionId) return;
      if (method === 'Network.requestWillBeSent') seen.requests.push(params.request.url);
      if (method === 'Log.entryAdded') seen.complaints.push(params.entry.text);
      if (method === 'Runtime.exceptionThrown') seen.complaints.push(params.exceptionDetails.text);
      if (method === 'Page.javascriptDialogOpening') {
        seen.dialogs.push(params.message);
        this.send('Page.handleJavaScriptDialog', { accept: false }, sessionId);
      }
      if (method === 'Page.loadEventFired') loaded();
    });
    const page = {
      seen,
      send: (method, params) => this.send(method, params, sessionId),
      evaluate: async (expression) => {
        const { result, exceptionDetails } = await page.send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
        if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
        return result.value;
      },
      press: async (key, code = key) => {
        const text = key.length === 1 ? key : key === 'Enter' ? '\r' : undefined;
        const windowsVirtualKeyCode = { Tab: 9, Enter: 13 }[key] ?? key.toUpperCase().charCodeAt(0);
        for (const type of ['keyDown', 'keyUp']) await page.send('Input.dispatchKeyEvent', { type, key, code, text: type === 'keyDown' ? text : undefined, windowsVirtualKeyCode });
      },
      screenshot: async (whole, format = 'png', quality = undefined) => {
        const size = (await page.send('Page.getLayoutMetrics')).cssContentSize;
        const clip = whole ? { x: 0, y: 0, width: size.width, height: size.height, scale: 1 } : undefined;
        const { data } = await page.send('Page.captureScreenshot', { format, quality, captureBeyondViewport: whole, clip });
        return Buffer.from(data, 'base64');
      },
      close: () => this.send('Target.closeTarget', { targetId }),
    };
    for (const domain of ['Page', 'Network', 'Log', 'Runtime', 'Accessibility']) await page.send(`${domain}.enable`);
    await page.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: scale, mobile: false });
    await page.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
    await page.send('Page.navigate', { url });
    await ready;
    return page;
  }

  async close() {
    const ended = new Promise((done) => this.child.once('exit', done));
    await this.send('Browser.close').catch(() => this.child.kill());
    await ended;
  }
}
