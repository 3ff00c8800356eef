import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { loadCommon, loaderOf } from './common.loader.mjs';
import { COMMON, COMMON_TYPES, groupsOfCode, groupsOfTypes, LOADED_LATER } from './library.groups.mjs';
import { ROOT } from './node.runner.mjs';

/** @typedef {import('rolldown').OutputChunk | import('rolldown').OutputAsset} Output */
/** @typedef {'esm' | 'cjs'} Format */

/** Where the compiler puts one module for each source. */
export const MODULES = 'dist/modules';

/** The types of ioredis: an application that has another client compiles without them. */
const CLIENT_TYPES = /^import .*from "ioredis";$/gm;
const OPTIONAL_TYPES = '// @ts-ignore: the package is optional\n$&';

/** Bundles the compiled modules: for each entry point and format one file of code and one of declarations. */
export async function bundleLibrary() {
  const { modules, schematics, command } = await readEntries();
  const entries = [...modules, ...schematics, command];
  const [esm, cjs, esmTypes, cjsTypes] = await Promise.all([
    bundleCode(entries, 'esm'),
    bundleCode(entries, 'cjs'),
    bundleTypes(modules, 'esm'),
    bundleTypes(modules, 'cjs'),
  ]);
  checkCommon(esm, cjs);
  // The command is an ES module, and schematics are CommonJS.
  const left = [command, ...schematics].map((entry, at) => `${at === 0 ? 'cjs' : 'esm'}/${entry}.js`);
  const files = [
    ...esm.filter(isOfModules).map((output) => loadCommon(fileOf(output))),
    ...esmTypes.filter(isOfModules).map(fileOf),
    ...[...cjs, ...cjsTypes].map(fileOf),
    ...COMMON.map(loaderOf),
    // The root says "module": the folder for require() has to say otherwise.
    { fileName: 'cjs/package.json', text: '{ "type": "commonjs" }\n' },
  ];
  await replaceFolders(
    ['dist/esm', 'dist/cjs'],
    files.filter(({ fileName }) => !left.includes(fileName)),
  );
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
  const [command = ''] = Object.values(bin).map((file) => /dist\/esm\/(.+)\.js$/.exec(file)?.[1] ?? '');
  return {
    modules: named(/dist\/esm\/([\w./-]+)\.d\.ts/g),
    schematics: named(/dist\/cjs\/([\w./-]+)#/g),
    command,
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
    entryFileNames: `${format}/[name].js`,
    chunkFileNames: ({ name }) =>
      [...COMMON, ...LOADED_LATER].includes(name) ? 'cjs/[name].js' : `${format}/[name].js`,
    minifyInternalExports: false,
    // The docstrings stand in the declarations. Annotations are for tools that leave out what is unused, which is in ES modules.
    comments: { annotation: format === 'esm', legal: true, jsdoc: false },
    codeSplitting: { groups: groupsOfCode() },
  });
  return output;
}

/**
 * @param {readonly string[]} entries
 * @param {Format} format
 */
async function bundleTypes(entries, format) {
  const bundle = await rolldown({
    input: inputOf(entries, 'd.ts'),
    cwd: ROOT,
    external: isForeign,
    plugins: [dts({ dtsInput: true, emitDtsOnly: true, tsconfig: false })],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    entryFileNames: `${format}/[name].ts`,
    chunkFileNames: ({ name }) => `${name === COMMON_TYPES ? 'cjs' : format}/[name].ts`,
    minifyInternalExports: false,
    codeSplitting: { groups: groupsOfTypes() },
  });
  return output;
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

/**
 * The ES modules load files that were made for require(): both have to agree on what these export.
 * @param {readonly Output[]} esm
 * @param {readonly Output[]} cjs
 */
function checkCommon(esm, cjs) {
  for (const name of COMMON) {
    const [wanted, given] = [esm, cjs].map((outputs) => namesOf(outputs, `cjs/${name}.js`));
    if (!wanted || wanted !== given) throw new Error(`the formats differ in what ${name}.js exports`);
  }
}

/**
 * @param {readonly Output[]} outputs
 * @param {string} file
 */
function namesOf(outputs, file) {
  const found = outputs.find(({ fileName }) => fileName === file);
  return found?.type === 'chunk' ? found.exports.toSorted().join(' ') : '';
}

/** @param {Output} output */
function isOfModules({ fileName }) {
  return fileName.startsWith('esm/');
}

/** @param {Output} output */
function fileOf(output) {
  const text = output.type === 'chunk' ? output.code : String(output.source);
  // The marks of modules, which a reader of the package does not have.
  const unmarked = text.replaceAll(/^\s*\/\/ dist\/modules\/.*\n/gm, '');
  const isTypes = output.fileName.endsWith('.d.ts');
  return {
    fileName: output.fileName,
    text: isTypes ? unmarked.replaceAll(CLIENT_TYPES, OPTIONAL_TYPES) : unmarked,
  };
}

/**
 * @param {readonly string[]} folders
 * @param {readonly { fileName: string, text: string }[]} files all that stand in them afterwards, from their parent
 */
async function replaceFolders(folders, files) {
  for (const folder of folders) await rm(join(ROOT, folder), { recursive: true, force: true });
  for (const { fileName, text } of files) {
    const path = join(ROOT, 'dist', fileName);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}
