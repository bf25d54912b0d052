// A scene in a world: steps, drags and throws, and a past to go back to.
import { BroadKind, ContactSet, Isa, Motion, ShapeKind, World, shapeSphere } from 'abut';
import { MADE, SCENES, Script } from './scenes.js';
import { Solver, massesOf } from './solver.js';

export const STEP = 1 / 60;
const KEPT_EVERY = 6; // frames
const KEPT_BYTES = 64e6; // of the past

function bodyOf(def) {
    const { shape } = def.collider;
    const isSphere = shape.kind === ShapeKind.SPHERE;
    const half = isSphere ? [shape.sphere.radius, shape.sphere.radius, shape.sphere.radius] : Object.values(shape.box.halfExtents);
    return { isSphere, half, turns: shape.kind !== ShapeKind.AABB, isStatic: def.motion === Motion.STATIC };
}

export class Simulation {
    constructor({ scene, bodies, broad = BroadKind.AUTO, isa = Isa.AUTO }) {
        this.info = SCENES.find((s) => s.name === scene);
        this.asked = Math.min(bodies, this.info.most);
        this.settings = { margin: this.info.solved ? 0.01 : 0 };
        this.world = new World({ ...this.settings, broad, isa, bodyCapacity: this.asked });
        this.broad = broad;
        this.isa = isa;
        this.frame = 0;
        this.past = [];
        this.held = null;
        this.freed = new Map(); // bodies of a script that were thrown: their velocities
        this.solver = this.info.solved ? new Solver() : null;
        this.fill();
        this.world.detect(0);
    }

    fill() {
        this.script = this.info.solved ? null : new Script(this.info.name, this.asked);
        const defs = this.script ? this.script.defs : MADE[this.info.name](this.asked);
        const made = this.world.bodyCreateMany(defs);
        this.handles = Array.from({ length: made.length / 2 }, (_, i) => ({ slot: made[2 * i], generation: made[2 * i + 1] }));
        this.bodies = [...defs].map(bodyOf);
        this.masses = massesOf(this.bodies);
        this.shapesChanged = true;
    }

    /** One frame; false when the world could not (a body left the range of coordinates). */
    step() {
        if (this.frame % KEPT_EVERY === 0) {
            this.remember();
        }
        if (this.solver) {
            this.world.detect(0);
            this.pull();
            this.solver.solve(this.world, this.masses, STEP);
            this.world.move(STEP);
        } else {
            this.play();
        }
        this.frame += 1;
        this.world.detect(0);
    }

    // The script's next frame, but for what somebody holds or has thrown.
    play() {
        const { script, world } = this;
        script.advance();
        for (const [index, def] of script.renewed) {
            world.bodyDestroy(this.handles[index]);
        }
        if (script.renewedCount > 0) {
            world.detect(0); // slots of ended bodies are free after a detect
            for (const [index, def] of script.renewed) {
                this.handles[index] = world.bodyCreate(def);
                this.bodies[index] = bodyOf(def);
            }
            this.shapesChanged = true;
        }
        const { poses } = world.bodies();
        const given = script.poses;
        const slot = (i) => this.handles[i].slot;
        const own = this.held === null ? this.freed : new Map([...this.freed, [this.held.index, [0, 0, 0]]]);
        if (own.size === 0 && script.renewedCount === 0 && !this.isShuffled) {
            poses.set(given);
            return;
        }
        this.isShuffled ||= script.renewedCount > 0;
        for (let i = 0; i < script.moving; ++i) {
            if (!own.has(i)) {
                poses.set(given.subarray(8 * i, 8 * i + 8), 8 * slot(i));
            }
        }
        for (const [i, velocity] of own) {
            const at = 8 * slot(i);
            const from = this.held?.index === i ? this.held.speed() : velocity;
            from.forEach((v, k) => {
                poses[at + k] += v * STEP;
            });
        }
    }

    // What is held goes to where it is held, by its velocity, so that it pushes what is in its way.
    pull() {
        if (this.held) {
            const { velocities } = this.world.bodies();
            const at = 6 * this.handles[this.held.index].slot;
            velocities.set(this.held.speed(), at);
            for (let k = 3; k < 6; ++k) {
                velocities[at + k] *= 0.8;
            }
        }
    }

    /** Takes hold of the body a ray hits, if it can be moved: the point that is held, or null. */
    grab(ray) {
        const hit = this.pick(ray);
        const index = hit ? this.indexOf(hit.body) : -1;
        if (index < 0 || this.bodies[index].isStatic) {
            return null;
        }
        const { poses } = this.world.bodies();
        const at = 8 * hit.body.slot;
        const offset = [0, 1, 2].map((k) => hit.at[k] - poses[at + k]);
        this.held = { index, offset, target: hit.at };
        this.held.speed = () => {
            const now = this.world.bodies().poses.subarray(at, at + 3);
            const way = this.held.target.map((t, k) => (t - this.held.offset[k] - now[k]) * 12);
            const speed = Math.hypot(...way);
            return speed > 40 ? way.map((w) => (w * 40) / speed) : way;
        };
        return hit.at;
    }

    /** Lets go: it flies on as fast as it was drawn. */
    release() {
        if (this.held && this.script) {
            this.freed.set(this.held.index, this.held.speed());
        }
        this.held = null;
    }

    indexOf(body) {
        return this.handles.findIndex((h) => h.slot === body.slot && h.generation === body.generation);
    }

    /** What a ray hits first, with the point in the world; null for nothing. */
    pick({ origin, translation }) {
        const hit = this.world.rayClosest({ origin, translation });
        const isHit = hit.collider.slot !== 0 || hit.collider.generation !== 0;
        return isHit ? { ...hit, at: [origin[0] + hit.offset.x, origin[1] + hit.offset.y, origin[2] + hit.offset.z] } : null;
    }

    /** A ball from a point, along a direction. */
    shoot(position, direction) {
        const linear = direction.map((d) => d * 25);
        const def = { pose: { position }, velocity: { linear }, collider: { shape: shapeSphere(0.4) }, motion: Motion.DYNAMIC };
        this.handles.push(this.world.bodyCreate(def));
        this.bodies.push(bodyOf(def));
        this.masses = massesOf(this.bodies);
        if (this.script) {
            this.freed.set(this.handles.length - 1, linear);
            this.isShuffled = true;
        }
        this.shapesChanged = true;
    }

    // The past ----------------------------------------------------------------------------------------------------------

    remember() {
        const image = this.world.save(0);
        this.past.push({ frame: this.frame, image, count: this.handles.length, freed: new Map(this.freed), handles: this.script && [...this.handles] });
        let bytes = this.past.reduce((sum, kept) => sum + kept.image.length, 0);
        while (bytes > KEPT_BYTES && this.past.length > 2) {
            bytes -= this.past.shift().image.length;
        }
    }

    /** Goes back to the last moment that is remembered; false at the beginning of memory. */
    rewind() {
        const kept = this.past.pop();
        if (!kept) {
            return false;
        }
        this.world.restore(null, kept.image);
        this.frame = kept.frame;
        this.held = null;
        this.freed = kept.freed;
        this.handles = kept.handles ?? this.handles.slice(0, kept.count);
        this.bodies.length = kept.count;
        this.masses = massesOf(this.bodies);
        this.shapesChanged = true;
        this.stale = Boolean(this.script);
        return true;
    }

    /** After a rewind the script goes back, too: opened anew and played up to this frame. */
    resume() {
        if (!this.stale) {
            return;
        }
        this.script.close();
        this.script = new Script(this.info.name, this.asked);
        while (this.script.frame < this.frame) {
            this.script.advance();
        }
        this.stale = false;
    }

    // Broad phases and instruction sets ------------------------------------------------------------------------------------

    setBroad(broad) {
        this.world.setBroad(broad);
        this.broad = broad;
    }

    /** The same world on another instruction set: saved here, restored there. */
    setIsa(isa) {
        const image = this.world.save(0);
        const other = new World({ ...this.settings, broad: this.broad, isa });
        other.restore(null, image);
        this.world.close();
        this.world = other;
        this.isa = isa;
    }

    /** The hash after a detect, of this state on every instruction set and broad phase that there is. */
    compare(isas, broads) {
        const image = this.world.save(0);
        const rows = [];
        for (const isa of isas) {
            for (const broad of broads) {
                const other = new World({ ...this.settings, broad, isa });
                other.restore(null, image);
                const before = performance.now();
                other.detect(0);
                rows.push({ isa, broad, hash: other.hash(), ms: performance.now() - before });
                other.close();
            }
        }
        return rows;
    }

    contacts() {
        return this.world.contacts(ContactSet.AWAKE);
    }

    close() {
        this.script?.close();
        this.world.close();
    }
}
