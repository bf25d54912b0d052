#!/usr/bin/env node
// Makes the page: build.mjs [PACKAGE [WASM [OUT]]], one HTML file with everything in it. PACKAGE is the npm package (its JavaScript), WASM
// the module with the benchmark's scenes and every instruction set, as the preset `wasm` builds them.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const [
    folder = join(here, '../../build/wasm/package'),
    wasm = join(here, '../../build/wasm/bin/abut-web.wasm'),
    out = join(here, '../../build/sandbox.html'),
] = process.argv.slice(2).map((path) => resolve(path));

const bundle = await build({
    entryPoints: [join(here, 'src/main.js')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    legalComments: 'inline',
    write: false,
    alias: { 'abut/memory': join(folder, 'memory.js'), 'abut/values': join(folder, 'values.js'), abut: join(folder, 'index.js') },
});
const module = gzipSync(await readFile(wasm), { level: 9 }).toString('base64');
const [page, style] = await Promise.all(['page.html', 'style.css'].map((name) => readFile(join(here, 'src', name), 'utf8')));
const script = bundle.outputFiles[0].text.replaceAll('</script', '<\\/script');
const html = page
    .replace('/* style */', () => style)
    .replace('/* module */', () => module)
    .replace('/* script */', () => script);
await mkdir(dirname(out), { recursive: true });
await writeFile(out, html);
console.log(`${out}: ${html.length} bytes, ${gzipSync(html).length} with gzip`);
