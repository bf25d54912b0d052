// The picture: every body by one of two instanced meshes, posed in the vertex shader from the world's own poses; and lines over it.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

const VERTEX = `
attribute vec4 place;   // x, y, z, and how many contacts it has
attribute vec4 turn;    // the rotation
attribute vec4 size;    // half extents, and a number for its colour
varying vec3 shade;
varying vec3 facing;
uniform vec3 still, moving, touching;
vec3 turned(vec3 v) { return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v); }
void main() {
    facing = normalize(turned(normal / size.xyz));
    float own = fract(size.w * 0.618034);
    vec3 colour = size.w < 0.0 ? still : mix(moving * (0.75 + 0.4 * own), touching * (0.8 + 0.3 * own), min(place.w * 0.5, 1.0));
    shade = colour;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(place.xyz + turned(position * size.xyz), 1.0);
}`;
const FRAGMENT = `
varying vec3 shade;
varying vec3 facing;
void main() {
    vec3 n = normalize(facing);
    float light = 0.55 + 0.3 * max(dot(n, normalize(vec3(0.4, 1.0, 0.6))), 0.0) + 0.25 * max(dot(n, normalize(vec3(-0.7, 0.3, 0.5))), 0.0);
    gl_FragColor = vec4(shade * light, 1.0);
}`;

const THEMES = {
    light: { back: 0xf4f5f7, still: 0xc6ccd6, moving: 0x6f93c7, touching: 0xe8894a, lines: { 1: 0x2c7a4b, 2: 0x8a8f99, 4: 0x303640, 8: 0xc2185b, 16: 0x1b4f9c } },
    dark: { back: 0x14171c, still: 0x39404c, moving: 0x5b84c4, touching: 0xf29a57, lines: { 1: 0x58c98a, 2: 0x6b7280, 4: 0xc7ccd6, 8: 0xff6f9f, 16: 0x7db2ff } },
};
const LEVELS = [0xe6194b, 0xf58231, 0xd4b106, 0x3cb44b, 0x42a5f5, 0x7e57c2, 0xec407a, 0x26a69a];
const MOST_LINES = 400000;

class Instances {
    constructor(geometry, material) {
        this.geometry = new THREE.InstancedBufferGeometry();
        this.geometry.index = geometry.index;
        this.geometry.setAttribute('position', geometry.getAttribute('position'));
        this.geometry.setAttribute('normal', geometry.getAttribute('normal'));
        this.mesh = new THREE.Mesh(this.geometry, material);
        this.mesh.frustumCulled = false;
        this.room = 0;
    }

    /** The bodies it shows, by index. */
    show(indices, bodies) {
        this.indices = indices;
        this.turns = indices.map((i) => bodies[i].turns && !bodies[i].isSphere);
        if (indices.length > this.room || this.room === 0) {
            this.room = Math.max(64, Math.ceil(indices.length * 1.25));
            this.poses = new THREE.InstancedInterleavedBuffer(new Float32Array(8 * this.room), 8).setUsage(THREE.DynamicDrawUsage);
            this.geometry.setAttribute('place', new THREE.InterleavedBufferAttribute(this.poses, 4, 0));
            this.geometry.setAttribute('turn', new THREE.InterleavedBufferAttribute(this.poses, 4, 4));
            this.sizes = new THREE.InstancedBufferAttribute(new Float32Array(4 * this.room), 4);
            this.geometry.setAttribute('size', this.sizes);
        }
        indices.forEach((i, k) => {
            const { half, isStatic } = bodies[i];
            this.sizes.array.set([Math.max(half[0], 1e-4), Math.max(half[1], 1e-4), Math.max(half[2], 1e-4), isStatic ? -1 : i], 4 * k);
        });
        this.sizes.needsUpdate = true;
        this.geometry.instanceCount = indices.length;
    }

    pose(poses, handles, touching) {
        const out = this.poses.array;
        const { indices, turns } = this;
        for (let k = 0, at = 0; k < indices.length; ++k, at += 8) {
            const slot = handles[indices[k]].slot;
            const from = 8 * slot;
            out[at] = poses[from];
            out[at + 1] = poses[from + 1];
            out[at + 2] = poses[from + 2];
            out[at + 3] = touching[slot];
            if (turns[k]) {
                out[at + 4] = poses[from + 4];
                out[at + 5] = poses[from + 5];
                out[at + 6] = poses[from + 6];
                out[at + 7] = poses[from + 7];
            } else {
                out[at + 4] = out[at + 5] = out[at + 6] = 0;
                out[at + 7] = 1;
            }
        }
        this.poses.clearUpdateRanges();
        this.poses.addUpdateRange(0, 8 * indices.length);
        this.poses.needsUpdate = true;
    }
}

export class View {
    constructor(canvas) {
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.scene = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera(50, 1, 0.1, 5000);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = true;
        this.controls.zoomSpeed = 0.8;
        this.material = new THREE.ShaderMaterial({
            vertexShader: VERTEX,
            fragmentShader: FRAGMENT,
            uniforms: { still: { value: new THREE.Color() }, moving: { value: new THREE.Color() }, touching: { value: new THREE.Color() } },
        });
        this.boxes = new Instances(new THREE.BoxGeometry(2, 2, 2), this.material);
        this.balls = new Instances(new THREE.IcosahedronGeometry(1, 2), this.material);
        this.coarse = new Instances(new THREE.IcosahedronGeometry(1, 1), this.material); // where there are many
        const corners = new THREE.BufferGeometry();
        this.lines = new THREE.LineSegments(corners, new THREE.LineBasicMaterial({ vertexColors: true, depthTest: true }));
        this.lines.frustumCulled = false;
        this.lineRoom = 0;
        this.marker = new THREE.Mesh(new THREE.SphereGeometry(1, 16, 12), new THREE.MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 }));
        this.marker.visible = false;
        this.needle = new THREE.Line(new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), new THREE.Vector3(0, 0, 1)]), new THREE.LineBasicMaterial());
        this.needle.visible = false;
        this.scene.add(this.boxes.mesh, this.balls.mesh, this.coarse.mesh, this.lines, this.marker, this.needle);
        this.ray = new THREE.Raycaster();
        this.touching = new Float32Array(0);
    }

    setTheme(name) {
        const theme = THEMES[name];
        this.theme = theme;
        this.scene.background = new THREE.Color(theme.back);
        for (const key of ['still', 'moving', 'touching']) {
            this.material.uniforms[key].value.set(theme[key]).convertLinearToSRGB();
        }
        this.marker.material.color.set(theme.lines[8]);
        this.needle.material.color.set(theme.lines[8]);
    }

    resize(width, height) {
        this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
        this.renderer.setSize(width, height, false);
        this.camera.aspect = width / Math.max(height, 1);
        this.camera.updateProjectionMatrix();
    }

    /** Looks at everything from a corner. */
    frame(simulation) {
        const { poses, count } = simulation.world.bodies();
        const box = new THREE.Box3();
        const at = new THREE.Vector3();
        const { room } = simulation.info;
        for (let i = 0; i < count && !room; ++i) {
            const body = simulation.bodies[i];
            if (body && Math.max(...body.half) < 100) {
                box.expandByPoint(at.fromArray(poses, 8 * i));
            }
        }
        if (room) {
            box.set(new THREE.Vector3(-room, 0, -room), new THREE.Vector3(room, room / 3, room));
        }
        const centre = box.getCenter(new THREE.Vector3());
        const reach = Math.max(box.getSize(at).length() * 0.5, 3);
        const away = (reach / Math.tan((this.camera.fov * Math.PI) / 360)) * Math.max(1, 1 / this.camera.aspect) * 0.95;
        this.camera.position.copy(centre).addScaledVector(new THREE.Vector3(0.6, 0.5, 0.8).normalize(), away);
        this.camera.near = away / 500;
        this.camera.far = away * 20;
        this.camera.updateProjectionMatrix();
        this.controls.target.copy(centre);
        this.controls.update();
    }

    showBodies(simulation) {
        const indices = simulation.bodies.map((_, i) => i);
        this.boxes.show(indices.filter((i) => !simulation.bodies[i].isSphere), simulation.bodies);
        const balls = indices.filter((i) => simulation.bodies[i].isSphere);
        const isMany = balls.length > 1500;
        this.balls.show(isMany ? [] : balls, simulation.bodies);
        this.coarse.show(isMany ? balls : [], simulation.bodies);
    }

    update(simulation, overlay) {
        if (simulation.shapesChanged) {
            this.showBodies(simulation);
            simulation.shapesChanged = false;
        }
        const { poses, count } = simulation.world.bodies();
        this.countContacts(simulation.contacts(), count);
        this.boxes.pose(poses, simulation.handles, this.touching);
        this.balls.pose(poses, simulation.handles, this.touching);
        this.coarse.pose(poses, simulation.handles, this.touching);
        this.drawLines(simulation, overlay);
    }

    countContacts({ data: { u32, first, size, offsets }, order }, bodies) {
        if (this.touching.length < bodies) {
            this.touching = new Float32Array(bodies * 2);
        }
        this.touching.fill(0, 0, bodies);
        for (const slot of order) {
            const at = (first + slot * size) / 4;
            this.touching[u32[at + offsets.a / 4]] += 1;
            this.touching[u32[at + offsets.b / 4]] += 1;
        }
    }

    drawLines(simulation, overlay) {
        this.lineCount = 0;
        if (overlay.what) {
            const lines = simulation.world.draw({ what: overlay.what, cross: overlay.cross, normalLength: overlay.cross * 6 });
            this.takeRoom(Math.min(lines.length, MOST_LINES));
            this.takeLines(lines, overlay);
        }
        if (overlay.pairs) {
            this.takePairs(simulation.contacts(), simulation.world.bodies().poses);
        }
        const { geometry, material } = this.lines;
        material.depthTest = !overlay.through; // contacts lie inside of bodies
        geometry.setDrawRange(0, 2 * this.lineCount);
        for (const attribute of this.lineCount > 0 ? [this.ends, this.colours] : []) {
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, 6 * this.lineCount);
            attribute.needsUpdate = true;
        }
        this.lines.visible = this.lineCount > 0;
    }

    takeRoom(count) {
        if (count <= this.lineRoom) {
            return;
        }
        const [oldEnds, oldColours] = [this.ends?.array, this.colours?.array];
        this.lineRoom = Math.ceil(count * 1.5);
        this.ends = new THREE.BufferAttribute(new Float32Array(6 * this.lineRoom), 3).setUsage(THREE.DynamicDrawUsage);
        this.colours = new THREE.BufferAttribute(new Float32Array(6 * this.lineRoom), 3).setUsage(THREE.DynamicDrawUsage);
        if (oldEnds) {
            this.ends.array.set(oldEnds);
            this.colours.array.set(oldColours);
        }
        this.lines.geometry.dispose();
        this.lines.geometry = new THREE.BufferGeometry().setAttribute('position', this.ends).setAttribute('color', this.colours);
    }

    takeLines(lines, overlay) {
        const colour = new THREE.Color();
        const known = new Map();
        const paint = (kind, level) => {
            const key = kind === 1 ? 1000 + level : kind;
            if (!known.has(key)) {
                known.set(key, colour.set(kind === 1 ? LEVELS[level % LEVELS.length] : (this.theme.lines[kind] ?? this.theme.lines[8])).toArray());
            }
            return known.get(key);
        };
        const { f32, u32, first, size } = lines;
        for (let i = 0, at = first / 4; i < lines.length && this.lineCount < this.lineRoom; ++i, at += size / 4) {
            const [kind, level] = [u32[at + 6], u32[at + 7]];
            if (kind === 1 && overlay.level >= 0 && level !== overlay.level) {
                continue;
            }
            this.addLine(f32.subarray(at, at + 6), paint(kind, level));
        }
    }

    takePairs({ data: { u32, first, size, offsets }, order }, poses) {
        this.takeRoom(Math.min(this.lineCount + order.length, MOST_LINES));
        const colour = new THREE.Color(this.theme.lines[16]).toArray();
        const ends = new Float32Array(6);
        for (let i = 0; i < order.length && this.lineCount < this.lineRoom; ++i) {
            const at = (first + order[i] * size) / 4;
            const [a, b] = [8 * u32[at + offsets.a / 4], 8 * u32[at + offsets.b / 4]];
            ends.set(poses.subarray(a, a + 3));
            ends.set(poses.subarray(b, b + 3), 3);
            this.addLine(ends, colour);
        }
    }

    addLine(ends, colour) {
        this.ends.array.set(ends, 6 * this.lineCount);
        this.colours.array.set(colour, 6 * this.lineCount);
        this.colours.array.set(colour, 6 * this.lineCount + 3);
        this.lineCount += 1;
    }

    /** The ray through a point of the picture, from -1 to 1 across and upward. */
    rayThrough(x, y) {
        this.ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
        const { origin, direction } = this.ray.ray;
        const translation = direction.clone().multiplyScalar(this.camera.far);
        return { origin: origin.toArray(), translation: translation.toArray(), direction: direction.toArray() };
    }

    /** Where that ray is as far from the eye as a point. */
    pointAt(x, y, like) {
        this.ray.setFromCamera(new THREE.Vector2(x, y), this.camera);
        const normal = this.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...like));
        return this.ray.ray.intersectPlane(plane, new THREE.Vector3())?.toArray() ?? like;
    }

    mark(hit) {
        this.marker.visible = this.needle.visible = Boolean(hit);
        if (hit) {
            const away = this.camera.position.distanceTo(this.marker.position.fromArray(hit.at));
            this.marker.scale.setScalar(away * 0.006);
            this.needle.position.copy(this.marker.position);
            this.needle.scale.setScalar(away * 0.08);
            this.needle.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(hit.normal.x, hit.normal.y, hit.normal.z));
        }
    }

    render() {
        this.controls.update();
        this.renderer.render(this.scene, this.camera);
    }
}
