// A small solver of sequential impulses: contacts with friction, started from the impulses that abut carries from step to step.
import { CONTACT_POINTS, ContactSet } from 'abut';

const GRAVITY = -9.8;
const ROUNDS = 10;
const FRICTION = 0.6;
const SLOP = 0.005; // metres of depth that stay
const PUSH = 0.2; // of the depth beyond that, removed in a step
const ROW = 18; // numbers kept for a point and direction
const POINT = 5; // numbers of a point: its offset from body a, its separation, its feature

// Inverse mass and inertia along the body's own axes: 1 / m, then three. Zeros for what does not move.
export function massesOf(bodies) {
    const masses = new Float32Array(bodies.length * 4);
    bodies.forEach((body, i) => {
        if (body.isStatic) {
            return;
        }
        const [x, y, z] = body.half;
        const mass = body.isSphere ? (4 / 3) * Math.PI * x ** 3 : 8 * x * y * z;
        const about = body.isSphere ? [0.4 * x * x, 0.4 * x * x, 0.4 * x * x] : [y * y + z * z, x * x + z * z, x * x + y * y].map((s) => s / 3);
        masses.set([1 / mass, ...about.map((a) => 1 / (mass * a))], 4 * i);
    });
    return masses;
}

export class Solver {
    constructor() {
        this.rows = new Float32Array(0);
        this.pairs = new Uint32Array(0);
        this.impulseAt = new Uint32Array(0); // by row: where its impulses are among those of the world
        this.inertia = new Float32Array(0);
    }

    /** Velocities such that touching bodies do not move into each other. Poses are moved by the world. */
    solve(world, masses, dt) {
        const { poses, velocities } = world.bodies();
        this.fall(velocities, masses, dt);
        this.turnInertia(poses, masses);
        const count = this.prepare(world, poses, velocities, masses, dt);
        for (let round = 0; round < ROUNDS; ++round) {
            for (let i = 0; i < count; ++i) {
                this.push(i, velocities, masses);
            }
        }
        this.keep(world, count);
    }

    fall(velocities, masses, dt) {
        for (let i = 0, n = masses.length / 4; i < n; ++i) {
            if (masses[4 * i] > 0) {
                velocities[6 * i + 1] += GRAVITY * dt;
                for (let k = 3; k < 6; ++k) {
                    velocities[6 * i + k] *= 0.995;
                }
            }
        }
    }

    // Inverse inertia along the world's axes: R D Rᵀ, six numbers a body (xx, xy, xz, yy, yz, zz).
    turnInertia(poses, masses) {
        const n = masses.length / 4;
        if (this.inertia.length < 6 * n) {
            this.inertia = new Float32Array(6 * n);
        }
        const out = this.inertia;
        for (let i = 0; i < n; ++i) {
            const [x, y, z, w] = [poses[8 * i + 4], poses[8 * i + 5], poses[8 * i + 6], poses[8 * i + 7]];
            const [a, b, c] = [masses[4 * i + 1], masses[4 * i + 2], masses[4 * i + 3]];
            const xx = 1 - 2 * (y * y + z * z), xy = 2 * (x * y - w * z), xz = 2 * (x * z + w * y);
            const yx = 2 * (x * y + w * z), yy = 1 - 2 * (x * x + z * z), yz = 2 * (y * z - w * x);
            const zx = 2 * (x * z - w * y), zy = 2 * (y * z + w * x), zz = 1 - 2 * (x * x + y * y);
            out[6 * i] = xx * xx * a + xy * xy * b + xz * xz * c;
            out[6 * i + 1] = xx * yx * a + xy * yy * b + xz * yz * c;
            out[6 * i + 2] = xx * zx * a + xy * zy * b + xz * zz * c;
            out[6 * i + 3] = yx * yx * a + yy * yy * b + yz * yz * c;
            out[6 * i + 4] = yx * zx * a + yy * zy * b + yz * zz * c;
            out[6 * i + 5] = zx * zx * a + zy * zy * b + zz * zz * c;
        }
    }

    // A row a point: for each of three directions (normal, two tangents) the direction, both arms crossed with it, their inverse
    // inertias' products, the effective mass; then the bias, and the impulses so far.
    prepare(world, poses, velocities, masses, dt) {
        const { data, order, impulses } = world.contacts(ContactSet.AWAKE);
        const most = CONTACT_POINTS * order.length;
        if (this.impulseAt.length < most) {
            const room = Math.ceil(most * 1.5);
            this.rows = new Float32Array(ROW * 3 * room);
            this.pairs = new Uint32Array(2 * room);
            this.impulseAt = new Uint32Array(room);
        }
        const { f32, u32, u16 } = data;
        const o = data.offsets;
        let count = 0;
        for (const slot of order) {
            const at = data.first + slot * data.size;
            const a = u32[(at + o.a) >>> 2], b = u32[(at + o.b) >>> 2];
            const normal = (at + o.normal) >>> 2;
            const n = [f32[normal], f32[normal + 1], f32[normal + 2]];
            const t = Math.abs(n[0]) > 0.7 ? unit(n[2], 0, -n[0]) : unit(0, -n[2], n[1]);
            const directions = [n, t, [n[1] * t[2] - n[2] * t[1], n[2] * t[0] - n[0] * t[2], n[0] * t[1] - n[1] * t[0]]];
            const number = u16[(at + o.pointCount) >>> 1];
            for (let k = 0; k < number; ++k) {
                this.impulseAt[count] = 4 * (CONTACT_POINTS * slot + k);
                this.prepareRow(count, f32, ((at + o.points) >>> 2) + POINT * k, a, b, directions, impulses, poses, velocities, masses, dt);
                count += 1;
            }
        }
        return count;
    }

    // The point is at f32[at].
    prepareRow(row, f32, at, a, b, directions, impulses, poses, velocities, masses, dt) {
        const { rows, inertia } = this;
        const ax = f32[at], ay = f32[at + 1], az = f32[at + 2];
        const bx = poses[8 * a] + ax - poses[8 * b], by = poses[8 * a + 1] + ay - poses[8 * b + 1], bz = poses[8 * a + 2] + az - poses[8 * b + 2];
        const depth = -f32[at + 3];
        this.pairs[2 * row] = a;
        this.pairs[2 * row + 1] = b;
        for (let k = 0; k < 3; ++k) {
            const r = (3 * row + k) * ROW;
            const [x, y, z] = directions[k];
            rows[r] = x;
            rows[r + 1] = y;
            rows[r + 2] = z;
            cross(rows, r + 3, ax, ay, az, x, y, z);
            cross(rows, r + 6, bx, by, bz, x, y, z);
            timesInertia(rows, r + 9, inertia, 6 * a, rows, r + 3);
            timesInertia(rows, r + 12, inertia, 6 * b, rows, r + 6);
            const resists =
                masses[4 * a] + masses[4 * b] + dot(rows, r + 3, rows, r + 9) + dot(rows, r + 6, rows, r + 12);
            rows[r + 15] = resists > 0 ? 1 / resists : 0;
            rows[r + 16] = k === 0 ? (depth > SLOP ? Math.min((PUSH * (depth - SLOP)) / dt, 3) : Math.min(depth, 0) / dt) : 0;
            rows[r + 17] = impulses[this.impulseAt[row] + k];
            this.apply(r, a, b, rows[r + 17], velocities, masses);
        }
    }

    apply(r, a, b, impulse, v, masses) {
        const { rows } = this;
        const ma = masses[4 * a] * impulse, mb = masses[4 * b] * impulse;
        for (let k = 0; k < 3; ++k) {
            v[6 * a + k] -= rows[r + k] * ma;
            v[6 * b + k] += rows[r + k] * mb;
            v[6 * a + 3 + k] -= rows[r + 9 + k] * impulse;
            v[6 * b + 3 + k] += rows[r + 12 + k] * impulse;
        }
    }

    push(row, v, masses) {
        const { rows } = this;
        const a = this.pairs[2 * row], b = this.pairs[2 * row + 1];
        const most = FRICTION * rows[3 * row * ROW + 17];
        for (let k = 2; k >= 0; --k) {
            const r = (3 * row + k) * ROW;
            const speed =
                dot(rows, r, v, 6 * b) + dot(rows, r + 6, v, 6 * b + 3) - dot(rows, r, v, 6 * a) - dot(rows, r + 3, v, 6 * a + 3);
            const before = rows[r + 17];
            const wanted = before + (rows[r + 16] - speed) * rows[r + 15];
            rows[r + 17] = k === 0 ? Math.max(wanted, 0) : Math.min(Math.max(wanted, -most), most);
            this.apply(r, a, b, rows[r + 17] - before, v, masses);
        }
    }

    keep(world, count) {
        const { impulses } = world.contacts(ContactSet.AWAKE);
        for (let i = 0; i < count; ++i) {
            for (let k = 0; k < 3; ++k) {
                impulses[this.impulseAt[i] + k] = this.rows[(3 * i + k) * ROW + 17];
            }
        }
    }
}

function unit(x, y, z) {
    const length = Math.hypot(x, y, z);
    return [x / length, y / length, z / length];
}

function cross(out, at, ax, ay, az, bx, by, bz) {
    out[at] = ay * bz - az * by;
    out[at + 1] = az * bx - ax * bz;
    out[at + 2] = ax * by - ay * bx;
}

const dot = (a, i, b, k) => a[i] * b[k] + a[i + 1] * b[k + 1] + a[i + 2] * b[k + 2];

function timesInertia(out, at, m, i, v, k) {
    out[at] = m[i] * v[k] + m[i + 1] * v[k + 1] + m[i + 2] * v[k + 2];
    out[at + 1] = m[i + 1] * v[k] + m[i + 3] * v[k + 1] + m[i + 4] * v[k + 2];
    out[at + 2] = m[i + 2] * v[k] + m[i + 4] * v[k + 1] + m[i + 5] * v[k + 2];
}
