#!/usr/bin/env node
// Opens the page in headless Chromium and uses it as a person would: drive.mjs [PAGE [FOLDER]]. Fails on anything that the console says
// and where the page does not do what it should. With FOLDER, pictures of what was seen are there; --speed measures frames a second.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const withSpeed = process.argv.includes('--speed');
const page = resolve(words[0] ?? join(dirname(fileURLToPath(import.meta.url)), '../../build/sandbox.html'));
const folder = words[1] && resolve(words[1]);

// Chromium's own protocol, through pipes: messages of JSON ended by a zero byte.
class Browser {
    constructor() {
        this.profile = mkdtempSync(join(tmpdir(), 'abut-sandbox-'));
        const flags = ['--headless=new', '--no-sandbox', '--remote-debugging-pipe', '--use-gl=angle', '--use-angle=swiftshader'];
        flags.push('--enable-unsafe-swiftshader', '--hide-scrollbars', '--mute-audio', '--no-first-run', `--user-data-dir=${this.profile}`);
        this.process = spawn(process.env.CHROMIUM ?? 'chromium', flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
        this.waiting = new Map();
        this.listeners = [];
        this.next = 1;
        let text = '';
        this.process.stdio[4].setEncoding('utf8').on('data', (piece) => {
            const messages = (text + piece).split('\0');
            text = messages.pop();
            messages.forEach((m) => this.take(JSON.parse(m)));
        });
    }

    take(message) {
        const waiting = this.waiting.get(message.id);
        if (waiting) {
            this.waiting.delete(message.id);
            (message.error ? waiting.reject : waiting.resolve)(message.error ? new Error(message.error.message) : message.result);
        } else {
            this.listeners.forEach((listener) => listener(message));
        }
    }

    send(method, params = {}) {
        const id = this.next++;
        this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId: this.session })}\0`);
        return new Promise((resolve_, reject) => this.waiting.set(id, { resolve: resolve_, reject }));
    }

    async open() {
        const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
        this.session = (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
        for (const domain of ['Page', 'Runtime', 'Log']) {
            await this.send(`${domain}.enable`);
        }
    }

    async evaluate(expression) {
        const answer = await this.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
        if (answer.exceptionDetails) {
            throw new Error(answer.exceptionDetails.exception?.description ?? answer.exceptionDetails.text);
        }
        return answer.result.value;
    }

    close() {
        this.process.kill('SIGKILL');
        this.process.on('exit', () => rmSync(this.profile, { recursive: true, force: true }));
    }
}

const complaints = [];
const browser = new Browser();
const timeout = setTimeout(() => {
    console.error('the page took longer than five minutes');
    browser.process.kill('SIGKILL');
    process.exit(1);
}, 300000);
browser.listeners.push(({ method, params }) => {
    if (method === 'Runtime.consoleAPICalled') {
        complaints.push(`console.${params.type}: ${params.args.map((a) => a.value ?? a.description).join(' ')}`);
    } else if (method === 'Runtime.exceptionThrown') {
        complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === 'Log.entryAdded') {
        complaints.push(`${params.entry.level}: ${params.entry.text}`);
    }
});

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
function expect(condition, sentence) {
    if (!condition) {
        complaints.push(sentence);
    }
    console.log(`${condition ? 'ok' : 'NOT OK'}: ${sentence}`);
}

async function until(expression, seconds = 60) {
    for (let i = 0; i < seconds * 10; ++i) {
        if (await browser.evaluate(expression)) {
            return;
        }
        await sleep(100);
    }
    throw new Error(`this did not come true: ${expression}`);
}

// The same as a demand, with time for slow machines.
async function eventually(expression, sentence) {
    await until(expression).then(
        () => expect(true, sentence),
        () => expect(false, sentence),
    );
}

async function size(width, height, isPhone) {
    await browser.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: isPhone ? 2 : 1, mobile: isPhone });
    await browser.send('Emulation.setTouchEmulationEnabled', { enabled: isPhone });
}

async function theme(name) {
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: name }] });
}

async function open(hash) {
    await browser.send('Page.navigate', { url: 'about:blank' });
    await browser.send('Page.navigate', { url: `${pathToFileURL(page)}${hash}` });
    await until('Boolean(window.sandbox?.fps)');
}

async function shoot(name) {
    if (folder) {
        const { data } = await browser.send('Page.captureScreenshot', { format: 'png' });
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${name}.png`), Buffer.from(data, 'base64'));
    }
}

const mouse = (type, x, y, buttons) => browser.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', buttons, clickCount: 1 });
const key = async (name, code) => {
    await browser.send('Input.dispatchKeyEvent', { type: 'keyDown', key: name, text: name.length === 1 ? name : undefined, code });
    await browser.send('Input.dispatchKeyEvent', { type: 'keyUp', key: name, code });
};
const frameOf = () => browser.evaluate('sandbox.simulation.frame');

// A body that moves, in the middle of the picture: where it is, in pixels.
const SPOT = `(() => {
    const { simulation, view } = sandbox;
    for (let r = 0; r < 0.5; r += 0.02) for (let a = 0; a < 6.28; a += 0.4) {
        const [x, y] = [r * Math.cos(a), r * Math.sin(a)];
        const hit = simulation.pick(view.rayThrough(x, y));
        const i = hit ? simulation.indexOf(hit.body) : -1;
        if (i >= 0 && !simulation.bodies[i].isStatic) return { x: (x + 1) / 2 * innerWidth, y: (1 - y) / 2 * innerHeight, slot: hit.body.slot };
    }
})()`;

async function desktop() {
    await size(1280, 800, false);
    await theme('light');
    await open('#scene=level&bodies=300&frame=150&show=points.normals');
    await shoot('level');
    expect((await frameOf()) === 150, 'a link opens the scene at its frame, paused');
    const [hash] = await browser.evaluate('[String(sandbox.simulation.world.hash())]');
    await open('#scene=level&bodies=300&frame=150');
    expect(hash === (await browser.evaluate('String(sandbox.simulation.world.hash())')), 'the same link gives the same hash');

    const spot = await browser.evaluate(SPOT);
    const now = `[...sandbox.simulation.world.bodies().poses.subarray(8 * ${spot.slot}, 8 * ${spot.slot} + 3)]`;
    const before = await browser.evaluate(now);
    await browser.evaluate('sandbox.pause(false)');
    await mouse('mousePressed', spot.x, spot.y, 1);
    expect(await browser.evaluate('Boolean(sandbox.simulation.held)'), 'pressing on a body takes hold of it');
    for (let i = 1; i <= 6; ++i) {
        await mouse('mouseMoved', spot.x + 12 * i, spot.y - 16 * i, 1);
    }
    await eventually(`Math.hypot(...${now}.map((p, k) => p - ${JSON.stringify(before)}[k])) > 0.5`, 'a dragged body moves');
    await shoot('drag');
    await mouse('mouseReleased', spot.x + 72, spot.y - 96, 0);
    expect(await browser.evaluate('sandbox.view.controls.enabled'), 'the camera turns again afterwards');

    const eye = await browser.evaluate('sandbox.view.camera.position.toArray()');
    await mouse('mousePressed', 640, 90, 1);
    await mouse('mouseMoved', 700, 110, 1);
    await mouse('mouseReleased', 700, 110, 0);
    await eventually(
        `sandbox.view.camera.position.toArray().some((e, k) => Math.abs(e - ${JSON.stringify(eye)}[k]) > 0.01)`,
        'dragging the background looks around',
    );

    const bodies = await browser.evaluate('sandbox.simulation.handles.length');
    await browser.evaluate("document.getElementById('picture').focus()");
    await key('f', 'KeyF');
    expect((await browser.evaluate('sandbox.simulation.handles.length')) === bodies + 1, 'F shoots a ball');
    await key(' ', 'Space');
    expect(await browser.evaluate('sandbox.paused'), 'space pauses');
    const frame = await frameOf();
    await key('.', 'Period');
    expect((await frameOf()) === frame + 1, 'the full stop takes one frame');
    await browser.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'ArrowLeft', code: 'ArrowLeft' });
    await eventually(`sandbox.simulation.frame < ${frame}`, 'holding the arrow goes back');
    await browser.send('Input.dispatchKeyEvent', { type: 'keyUp', key: 'ArrowLeft', code: 'ArrowLeft' });
    await until('!sandbox.backward');
    await browser.evaluate("document.getElementById('share').click()");
    await until("location.hash.includes('frame=')");
    expect(true, 'a link is made');
}

async function views() {
    await open('#scene=dense&bodies=2000&frame=30&show=tree&level=1');
    await shoot('tree');
    expect((await browser.evaluate('sandbox.view.lineCount')) > 100, 'levels of the tree are drawn');
    await open('#scene=gas&bodies=1500&frame=20&show=pairs.bounds.rays');
    await mouse('mouseMoved', 600, 420, 0);
    await eventually("/^body \\d+/.test(document.getElementById('ray-shown').textContent)", 'the ray under the pointer says what it hits');
    await shoot('pairs');
    await browser.evaluate("document.getElementById('compare').click()");
    await until("document.querySelectorAll('#hashes tr').length === 4");
    expect((await browser.evaluate("document.querySelectorAll('#hashes tr.same').length")) === 4, 'every instruction set and broad phase has one hash');
    await shoot('hashes');
    const hashOf = () => browser.evaluate('sandbox.simulation.world.hash().toString()');
    const hash = await hashOf();
    await browser.evaluate("document.getElementById('isa').value = 1; document.getElementById('isa').dispatchEvent(new Event('change'))");
    expect(hash === (await hashOf()), 'the world on scalar instructions has the hash it had');
    await theme('dark');
    await open('#scene=bin&bodies=400&frame=240&show=points');
    await shoot('bin');
    for (const scene of ['rain', 'pile', 'sparse', 'sizes']) {
        await open(`#scene=${scene}&bodies=1000`);
        await eventually('sandbox.simulation.frame > 3', `${scene} plays`);
        await shoot(scene);
    }
}

async function phone() {
    await size(390, 844, true);
    await theme('dark');
    await open('#scene=level&bodies=300&frame=100');
    await shoot('phone');
    expect(await browser.evaluate("document.getElementById('panel').hidden"), 'on a phone the panel is closed at first');
    const touch = (type, x, y) => browser.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] });
    await browser.evaluate('sandbox.pause(true)');
    const spot = await browser.evaluate(SPOT);
    await touch('touchStart', spot.x, spot.y);
    expect(await browser.evaluate('Boolean(sandbox.simulation.held)'), 'a finger takes hold of a body');
    await touch('touchEnd');
    expect(await browser.evaluate('!sandbox.simulation.held'), 'lifting the finger lets go');
    await browser.evaluate("document.getElementById('panel-toggle').click()");
    await shoot('phone-panel');
    const wide = await browser.evaluate('document.documentElement.scrollWidth');
    expect(wide <= 390, 'nothing is wider than a phone');
}

async function speed() {
    await size(1280, 800, false);
    await open('#scene=gas&bodies=10000');
    await until('sandbox.simulation.frame > 30');
    expect((await browser.evaluate('sandbox.simulation.handles.length')) === 10000, 'there are ten thousand bodies');
    const { fps, step } = await browser.evaluate('({ fps: sandbox.fps, step: sandbox.stepMs })');
    console.log(`10,000 bodies: ${fps.toFixed(1)} frames a second, ${step.toFixed(2)} ms for a step, drawn by the processor`);
    await shoot('gas');
}

let failed = null;
try {
    await browser.open();
    await desktop();
    await views();
    await phone();
    if (withSpeed) {
        await speed();
    }
} catch (error) {
    failed = error;
}
clearTimeout(timeout);
browser.close();
if (failed || complaints.length > 0) {
    complaints.forEach((c) => console.error(c));
    console.error(failed ?? `${complaints.length} complaints`);
    process.exitCode = 1;
} else {
    console.log('the console is silent');
}
