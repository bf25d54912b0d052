// The page: controls, the loop, and what a link remembers.
import { BroadKind, DrawFlag, Isa, broadName, init, isaAvailable, isaBest, isaName, stageName, version } from 'abut';
import { Plot } from './plot.js';
import { SCENES } from './scenes.js';
import { STEP, Simulation } from './simulation.js';
import { View } from './view.js';

const $ = (id) => document.getElementById(id);
const OVERLAYS = { points: DrawFlag.POINTS, normals: DrawFlag.NORMALS, bounds: DrawFlag.BOUNDS, tree: DrawFlag.TREE };
const number = (n) => n.toLocaleString('en-US');

async function loadModule() {
    const packed = Uint8Array.from(atob($('module').textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
    await init(new Response(stream));
}

function notice(text) {
    $('notice').textContent = text;
    $('notice').hidden = false;
    clearTimeout(notice.timer);
    notice.timer = setTimeout(() => {
        $('notice').hidden = true;
    }, 2500);
}

class Sandbox {
    constructor() {
        this.view = new View($('picture'));
        this.plot = new Plot($('plot'), $('legend'));
        this.paused = false;
        this.backward = false;
        this.pointer = null;
        this.frames = 0;
        this.solverMs = 0;
        this.fill();
        this.listen();
        this.setTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
        this.resize();
        if (innerWidth <= 700) {
            this.togglePanel(false);
        }
        this.openLink();
        requestAnimationFrame((now) => this.tick(now));
    }

    fill() {
        $('scene').innerHTML = SCENES.map((s) => `<option value="${s.name}">${s.title}</option>`).join('');
        const kinds = [BroadKind.AUTO, BroadKind.BVH, BroadKind.GRID, BroadKind.BRUTE];
        $('broad').innerHTML = kinds.map((k) => `<option value="${k}">${broadName(k)}</option>`).join('');
        this.isas = [Isa.SIMD128, Isa.SCALAR].filter(isaAvailable);
        $('isa').innerHTML = this.isas.map((k) => `<option value="${k}">${isaName(k)}</option>`).join('');
        $('isa').value = isaBest();
    }

    // Scenes -------------------------------------------------------------------------------------------------------------

    open(scene, bodies) {
        const info = SCENES.find((s) => s.name === scene) ?? SCENES[0];
        this.simulation?.close();
        this.simulation = new Simulation({
            scene: info.name,
            bodies: bodies ?? info.bodies,
            broad: Number($('broad').value),
            isa: Number($('isa').value),
        });
        $('scene').value = info.name;
        $('about').textContent = info.about;
        this.showBodies();
        this.view.frame(this.simulation);
        $('hashes').hidden = true;
        this.plot.frames = [];
    }

    // The slider is logarithmic: from ten to the most that the scene may have.
    showBodies() {
        const { info, asked } = this.simulation;
        $('bodies').value = Math.round((100 * Math.log(asked / 10)) / Math.log(info.most / 10));
        $('bodies-shown').textContent = number(asked);
    }

    showLevel() {
        $('level-shown').textContent = $('level').value < 0 ? 'all' : $('level').value;
    }

    bodiesOfSlider() {
        const { most } = SCENES.find((s) => s.name === $('scene').value);
        return Number((10 * (most / 10) ** (Number($('bodies').value) / 100)).toPrecision(2));
    }

    // Controls -----------------------------------------------------------------------------------------------------------

    listen() {
        const on = (id, event, work) => $(id).addEventListener(event, work);
        on('scene', 'change', () => this.open($('scene').value));
        on('bodies', 'input', () => {
            $('bodies-shown').textContent = number(this.bodiesOfSlider());
        });
        on('bodies', 'change', () => this.open($('scene').value, this.bodiesOfSlider()));
        on('pause', 'click', () => this.pause(!this.paused));
        on('step', 'click', () => this.stepOnce());
        on('restart', 'click', () => this.open(this.simulation.info.name, this.simulation.asked));
        on('shoot', 'click', () => this.shoot(0, 0));
        on('panel-toggle', 'click', () => this.togglePanel());
        on('broad', 'change', () => this.simulation.setBroad(Number($('broad').value)));
        on('isa', 'change', () => this.simulation.setIsa(Number($('isa').value)));
        on('compare', 'click', () => this.compare());
        on('share', 'click', () => this.share());
        on('save-picture', 'click', () => this.savePicture());
        on('theme', 'click', () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark'));
        on('level', 'input', () => this.showLevel());
        for (const event of ['pointerdown', 'pointerup', 'pointerleave', 'pointercancel']) {
            on('rewind', event, () => this.rewind(event === 'pointerdown'));
        }
        this.listenToKeys();
        this.listenToPointer();
        addEventListener('resize', () => this.resize());
        addEventListener('hashchange', () => this.openLink());
    }

    listenToKeys() {
        const keys = {
            ' ': () => this.pause(!this.paused),
            '.': () => this.stepOnce(),
            r: () => this.open(this.simulation.info.name, this.simulation.asked),
            f: () => this.shoot(this.pointer?.x ?? 0, this.pointer?.y ?? 0),
            p: () => this.togglePanel(),
            ArrowLeft: () => this.rewind(true),
        };
        addEventListener('keydown', (event) => {
            const isTyping = event.target.closest('input, select, button');
            const work = keys[event.key] ?? keys[event.key.toLowerCase()];
            if (work && !isTyping && !event.ctrlKey && !event.metaKey) {
                event.preventDefault();
                work();
            }
        });
        addEventListener('keyup', (event) => {
            if (event.key === 'ArrowLeft') {
                this.rewind(false);
            }
        });
    }

    listenToPointer() {
        const canvas = $('picture');
        const place = (event) => ({ x: (event.clientX / innerWidth) * 2 - 1, y: 1 - (event.clientY / innerHeight) * 2 });
        canvas.addEventListener(
            'pointerdown',
            (event) => {
                this.pointer = place(event);
                const at = event.button === 0 && event.isPrimary ? this.simulation.grab(this.view.rayThrough(this.pointer.x, this.pointer.y)) : null;
                this.view.controls.enabled = !at;
                this.heldAt = at;
                if (at) {
                    canvas.setPointerCapture(event.pointerId);
                }
            },
            { capture: true }, // before the camera hears of it
        );
        canvas.addEventListener('pointermove', (event) => {
            this.pointer = place(event);
            if (this.simulation.held) {
                this.simulation.held.target = this.view.pointAt(this.pointer.x, this.pointer.y, this.heldAt);
            }
        });
        for (const name of ['pointerup', 'pointercancel']) {
            canvas.addEventListener(name, () => {
                this.simulation.release();
                this.view.controls.enabled = true;
            });
        }
    }

    togglePanel(open = $('panel').hidden) {
        $('panel').hidden = !open;
        $('panel-toggle').setAttribute('aria-expanded', String(open));
    }

    setTheme(name) {
        this.theme = name;
        document.documentElement.dataset.theme = name;
        this.view.setTheme(name);
    }

    resize() {
        this.view.resize(innerWidth, innerHeight);
    }

    pause(paused) {
        this.paused = paused;
        $('pause').querySelector('path').setAttribute('d', paused ? 'M6 4l14 8-14 8z' : 'M6 5h4v14H6zM14 5h4v14h-4z');
        $('pause').setAttribute('aria-pressed', String(paused));
    }

    rewind(on) {
        this.backward = on;
        $('rewind').setAttribute('aria-pressed', String(on));
        if (!on) {
            this.simulation.resume();
        }
    }

    shoot(x, y) {
        const ray = this.view.rayThrough(x, y);
        this.simulation.shoot(ray.origin, ray.direction);
    }

    compare() {
        const rows = this.simulation.compare(this.isas, [BroadKind.BVH, BroadKind.GRID]);
        const same = (row) => row.hash === rows[0].hash;
        $('hashes').innerHTML = rows
            .map(
                (row) =>
                    `<tr class="${same(row) ? 'same' : 'other'}"><td>${isaName(row.isa)}</td><td>${broadName(row.broad)}</td>` +
                    `<td>${row.ms.toFixed(1)} ms</td><td class="hash">${row.hash.toString(16).padStart(16, '0')}</td></tr>`,
            )
            .join('');
        $('hashes').hidden = false;
        return rows.every(same);
    }

    // Links ---------------------------------------------------------------------------------------------------------------

    link() {
        const { camera, controls } = this.view;
        const short = (list) => list.map((n) => Number(n.toPrecision(5))).join(',');
        const shown = [...Object.keys(OVERLAYS), 'pairs', 'rays'].filter((id) => $(id).checked);
        const parts = {
            scene: this.simulation.info.name,
            bodies: this.simulation.asked,
            frame: this.simulation.frame,
            show: shown.join('.'),
            level: $('level').value,
            eye: short(camera.position.toArray()),
            at: short(controls.target.toArray()),
        };
        return `#${new URLSearchParams(parts)}`;
    }

    /** Shows what a link says: the scene from its beginning to that frame, paused there, from that place. */
    openLink() {
        const given = new URLSearchParams(location.hash.slice(1));
        for (const id of [...Object.keys(OVERLAYS), 'pairs', 'rays']) {
            $(id).checked = (given.get('show') ?? '').split('.').includes(id);
        }
        $('level').value = given.get('level') ?? -1;
        this.showLevel();
        this.open(given.get('scene') ?? SCENES[0].name, Number(given.get('bodies')) || undefined);
        const frames = Math.min(Number(given.get('frame')) || 0, 3600);
        for (let i = 0; i < frames; ++i) {
            this.advance();
        }
        this.pause(frames > 0);
        const numbers = (key) => given.get(key)?.split(',').map(Number);
        if (numbers('eye')?.length === 3 && numbers('at')?.length === 3) {
            this.view.camera.position.fromArray(numbers('eye'));
            this.view.controls.target.fromArray(numbers('at'));
        }
    }

    async share() {
        const url = `${location.href.split('#')[0]}${this.link()}`;
        history.replaceState(null, '', this.link());
        try {
            await navigator.clipboard.writeText(url);
            notice('The link is copied: it shows this frame from here.');
        } catch {
            notice('The link is in the address bar: it shows this frame from here.');
        }
    }

    savePicture() {
        const a = document.createElement('a');
        a.download = `abut-${this.simulation.info.name}-${this.simulation.frame}.png`;
        a.href = $('picture').toDataURL('image/png');
        a.click();
    }

    // The loop -------------------------------------------------------------------------------------------------------------

    stepOnce() {
        this.pause(true);
        this.advance();
    }

    advance() {
        const before = performance.now();
        try {
            this.simulation.step();
        } catch (error) {
            this.pause(true);
            notice(`${error.message}: paused.`);
            return;
        }
        this.stepMs = performance.now() - before;
        this.record();
    }

    record() {
        const { elapsedNs } = this.simulation.world.statistics();
        const stages = Object.fromEntries(elapsedNs.map((ns, i) => [stageName(i), ns / 1e6]));
        const library = elapsedNs.reduce((sum, ns) => sum + ns, 0) / 1e6;
        stages.solver = this.simulation.solver ? Math.max(this.stepMs - library, 0) : 0;
        this.plot.add(stages);
    }

    tick(now) {
        if (this.backward) {
            if (!this.simulation.rewind()) {
                this.rewind(false);
            }
        } else if (!this.paused) {
            this.advance();
        }
        this.draw();
        this.frames += 1;
        if (now - (this.countedAt ?? 0) > 500) {
            this.fps = (this.frames * 1000) / (now - (this.countedAt ?? now - 1000));
            this.frames = 0;
            this.countedAt = now;
            this.showFigures();
        }
        requestAnimationFrame((later) => this.tick(later));
    }

    draw() {
        const what = Object.entries(OVERLAYS).reduce((sum, [id, flag]) => sum | ($(id).checked ? flag : 0), 0);
        const cross = this.simulation.info.name === 'sizes' ? 0.2 : 0.08;
        this.view.update(this.simulation, { what, cross, pairs: $('pairs').checked, through: ['points', 'normals', 'pairs'].some((id) => $(id).checked), level: $('tree').checked ? Number($('level').value) : -1 });
        this.showRay();
        this.view.render();
    }

    showRay() {
        const on = $('rays').checked;
        const ray = on ? this.view.rayThrough(this.pointer?.x ?? 0, this.pointer?.y ?? 0) : null;
        const hit = ray ? this.simulation.pick(ray) : null;
        this.view.mark(hit);
        $('ray-shown').hidden = !on;
        if (on) {
            const { normal } = hit ?? {};
            $('ray-shown').textContent = hit
                ? `body ${hit.body.slot}, ${(hit.fraction * this.view.camera.far).toFixed(2)} m away, normal ${normal.x.toFixed(2)} ${normal.y.toFixed(2)} ${normal.z.toFixed(2)}`
                : 'nothing under the pointer';
        }
    }

    showFigures() {
        const s = this.simulation.world.statistics();
        const ms = s.elapsedNs.reduce((sum, ns) => sum + ns, 0) / 1e6;
        const figures = {
            'frames a second': this.fps.toFixed(0),
            frame: number(this.simulation.frame),
            'abut, ms a step': ms.toFixed(2),
            bodies: number(s.bodies),
            candidates: number(s.candidates),
            contacts: number(s.contacts),
            points: number(s.points),
            'broad phase': `${broadName(s.broad)}, ${isaName(s.isa)}`,
            memory: `${(s.bytes / 1e6).toFixed(1)} MB`,
            hash: this.simulation.world.hash().toString(16).padStart(16, '0'),
            version,
        };
        $('figures').innerHTML = Object.entries(figures).map(([name, value]) => `<dt>${name}</dt><dd>${value}</dd>`).join('');
        this.plot.draw(getComputedStyle(document.body).color);
    }
}

await loadModule();
window.sandbox = new Sandbox();
window.sandbox.secondsAStep = STEP;
