import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { ROOT } from './node.runner.mjs';

/** @typedef {import('rolldown').OutputChunk | import('rolldown').OutputAsset} Output */
/** @typedef {'esm' | 'cjs'} Format */

/** Where the compiler puts one module for each source. */
export const MODULES = 'dist/modules';
/** Rooms that only an application needs: a command runs without them. */
const APPLICATION = /[/\\](?:module|decorators|interceptors|filters|schedule|scheduler|guards|jobs)[/\\]/;
/**
 * What several entry points share stands in two files, so a format has one copy of each class, whichever entry point is loaded.
 * The rooms of an application import the others, and not the other way round.
 */
const SHARED = [
  {
    name: 'library',
    minShareCount: 2,
    priority: 1,
    test: (/** @type {string} */ id) => !APPLICATION.test(id),
  },
  { name: 'application', minShareCount: 2 },
];

/** Bundles the compiled modules: for each entry point and format one file of code and one of declarations. */
export async function bundleLibrary() {
  const { esm, cjs, command, types } = await readEntries();
  const [modules, commonJs, declarations] = await Promise.all([
    bundleCode([...esm, command], 'esm'),
    bundleCode(cjs, 'cjs'),
    bundleTypes(types),
  ]);
  // The root says "module": the copy for require() has to say otherwise for its own folder.
  const packageType = { fileName: 'package.json', text: '{ "type": "commonjs" }\n' };
  await replaceFolder('dist/esm', [...modules, ...declarations]);
  await replaceFolder('dist/cjs', [...commonJs, ...declarations, packageType]);
  await chmod(join(ROOT, 'dist/esm', `${command}.js`), 0o755);
  return true;
}

/** The entry points that the manifests name, as paths of modules: a new one is bundled with the others. */
async function readEntries() {
  const { exports, bin, schematics } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const collection = JSON.parse(await readFile(join(ROOT, schematics), 'utf8'));
  const targets = JSON.stringify([exports, bin, collection]);
  /** @param {RegExp} pattern */
  const named = (pattern) => [...new Set([...targets.matchAll(pattern)].map(([, path = '']) => path))];
  const types = named(/dist\/esm\/([\w./-]+)\.d\.ts/g);
  const [command = ''] = Object.values(bin).map((file) => /dist\/esm\/(.+)\.js$/.exec(file)?.[1] ?? '');
  return {
    esm: types,
    cjs: [...types, ...named(/dist\/cjs\/([\w./-]+)#/g)],
    command,
    types,
  };
}

/**
 * @param {readonly string[]} entries
 * @param {Format} format
 */
async function bundleCode(entries, format) {
  const bundle = await rolldown({
    input: inputOf(entries, 'js'),
    cwd: ROOT,
    external: isForeign,
    platform: 'node',
  });
  const { output } = await bundle.generate({
    format,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minifyInternalExports: false,
    // The docstrings stand in the declarations.
    comments: { annotation: true, legal: true, jsdoc: false },
    codeSplitting: { groups: SHARED },
  });
  return output.map(fileOf);
}

/** @param {readonly string[]} entries */
async function bundleTypes(entries) {
  const bundle = await rolldown({
    input: inputOf(entries, 'd.ts'),
    cwd: ROOT,
    external: isForeign,
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: '[name].ts',
    chunkFileNames: '[name].ts',
    minifyInternalExports: false,
    codeSplitting: { groups: [{ name: 'library.d', minShareCount: 2 }] },
  });
  return output.map(fileOf);
}

/**
 * @param {readonly string[]} entries
 * @param {string} ending
 */
function inputOf(entries, ending) {
  return Object.fromEntries(entries.map((entry) => [entry, join(ROOT, MODULES, `${entry}.${ending}`)]));
}

/** @param {string} id as it stands in an import, or the path of a module */
function isForeign(id) {
  return /^[@a-z]/i.test(id) && !/^[a-z]:[/\\]/i.test(id);
}

/** @param {Output} output */
function fileOf(output) {
  return { fileName: output.fileName, text: output.type === 'chunk' ? output.code : String(output.source) };
}

/**
 * @param {string} folder
 * @param {readonly { fileName: string, text: string }[]} files all that stand in it afterwards
 */
async function replaceFolder(folder, files) {
  await rm(join(ROOT, folder), { recursive: true, force: true });
  for (const { fileName, text } of files) {
    const path = join(ROOT, folder, fileName);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
