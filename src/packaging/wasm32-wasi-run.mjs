#!/usr/bin/env -S node --no-warnings --experimental-wasi-unstable-preview1
// Runs a program built for WASI: `wasm32-wasi-run.mjs program.wasm arguments…`. It sees the host's files and environment.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { WASI } from 'node:wasi';

// wasi-libc cannot tell the root from the working directory, but directories in the root it can.
const preopens = { '.': process.cwd() };
for (const name of readdirSync('/')) {
    if (statSync(`/${name}`, { throwIfNoEntry: false })?.isDirectory()) {
        preopens[`/${name}`] = `/${name}`;
    }
}
const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: process.env, preopens, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(program), { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
