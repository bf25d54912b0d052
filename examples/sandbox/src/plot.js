// The time of each stage of a step, frame after frame, as areas on top of each other.
const COLOURS = { move: '#8d99ae', bounds: '#42a5f5', broad: '#26a69a', pairs: '#d4b106', narrow: '#ef6c00', contact: '#ab47bc', solver: '#ec407a' };
const KEPT = 120;

export class Plot {
    constructor(canvas, legend) {
        this.canvas = canvas;
        this.frames = [];
        legend.innerHTML = Object.entries(COLOURS).map(([name, colour]) => `<span><i style="background:${colour}"></i>${name}</span>`).join('');
    }

    add(stages) {
        this.frames.push(stages);
        this.frames.splice(0, this.frames.length - KEPT);
    }

    draw(ink) {
        const ratio = Math.min(window.devicePixelRatio, 2);
        const [wide, high] = [this.canvas.clientWidth * ratio, this.canvas.clientHeight * ratio];
        if (wide === 0) {
            return;
        }
        this.canvas.width = wide;
        this.canvas.height = high;
        const c = this.canvas.getContext('2d');
        const sums = this.frames.map((f) => Object.values(f).reduce((sum, ms) => sum + ms, 0));
        const most = niceAbove(Math.max(...sums, 0.1));
        const x = (i) => wide - ((this.frames.length - 1 - i) / (KEPT - 1)) * wide;
        let below = this.frames.map(() => 0);
        for (const [name, colour] of Object.entries(COLOURS)) {
            const above = this.frames.map((f, i) => below[i] + (f[name] ?? 0));
            c.fillStyle = colour;
            c.beginPath();
            above.forEach((ms, i) => c.lineTo(x(i), high - (ms / most) * high));
            for (let i = below.length - 1; i >= 0; --i) {
                c.lineTo(x(i), high - (below[i] / most) * high);
            }
            c.fill();
            below = above;
        }
        c.fillStyle = ink;
        c.font = `${11 * ratio}px system-ui, sans-serif`;
        c.fillText(`${most} ms`, 4 * ratio, 12 * ratio);
    }
}

// One, two or five times a power of ten.
function niceAbove(value) {
    const power = 10 ** Math.floor(Math.log10(value));
    return Number((([1, 2, 5].find((step) => step * power >= value) ?? 10) * power).toPrecision(1));
}
