/**
 * Packs the library, installs the tarball in an empty application, and loads it in every way that Node knows.
 * `--counted` leaves out what has to be timed.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TSC, TSC_6 } from '../build/compilers.mjs';
import { runNode } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';
import { checkClients } from './client.checker.mjs';
import { checkBudget } from './package.budget.mjs';
import { PackageStage } from './package.stage.mjs';
import { checkPublished } from './published.checker.mjs';
import { checkResolution } from './resolution.checker.mjs';

const ALLOWED = [
  /^(?:package\.json|LICENSE|(?:README|CHANGELOG|SECURITY|SUPPORT)\.md)$/,
  /^dist\/(?:(?:esm|cjs)\/.+\.(?:js|d\.ts)|cjs\/package\.json)$/,
  /^dist\/page\/(?:index\.html|assets\/board\.(?:css|js)|assets\/icon\.svg)$/,
  /^schematics\/[a-z0-9.-]+\.json$/,
  // What users read and copy: the pages of the documentation but those of its internals, the alarms and their runbooks.
  /^docs\/(?:README|(?:recipes\/)?[a-z-]+)\.md$|^docs\/images\/demo\.svg$/,
  /^ops\/(?:README\.md|runbooks\/[a-z-]+\.md|prometheus\/rules\.yml|grafana\/dashboard\.json)$/,
];
/** A page that a message or the README names. */
const NAMED_PAGE = /(?:docs|ops)\/[\w./-]+\.(?:md|svg)/g;
const REQUIRED = [
  'package.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'docs/troubleshooting.md',
  'dist/cjs/package.json',
  'dist/page/index.html',
];
const CONSUMER = `import { DistributedLockModule } from 'nestjs-distributed-lock';
import { DistributedLockTestingModule, type AdvancedTick } from 'nestjs-distributed-lock/testing';
export const moduleName: string = DistributedLockModule.name;
export const testing = (ticks: AdvancedTick[]) => [DistributedLockTestingModule.forRoot(), ticks.length];
// @ts-expect-error the types are there, so a name that does not exist is an error
import { noSuchName } from 'nestjs-distributed-lock';
export const nothing: unknown = noSuchName;
`;

/** @type {string[]} */
const problems = [];

/** @param {PackageStage} stage */
function checkContents({ files, manifest }) {
  const { exports, main, types, schematics, bin } = manifest;
  const targets = targetsOf([exports, main, types, schematics, bin]);

  for (const file of files) {
    if (!ALLOWED.some((form) => form.test(file)) || /\.spec\./.test(file))
      problems.push(`the tarball holds ${file}, which no user needs`);
  }
  for (const file of [...REQUIRED, ...targets])
    if (!files.includes(file)) problems.push(`the tarball lacks ${file}`);
}

/**
 * A user who has only the package can open what the README and the messages of the library lead to.
 * @param {PackageStage} stage
 */
async function checkNamedPages({ files, installed }) {
  for (const file of files.filter((name) => name === 'README.md' || name.endsWith('.js'))) {
    const text = await readFile(join(installed, file), 'utf8');
    for (const [page] of text.matchAll(NAMED_PAGE))
      if (!files.includes(page)) problems.push(`${file} leads to ${page}, which the tarball lacks`);
  }
}

/**
 * The files that a manifest points to.
 * @param {unknown} value
 * @returns {string[]}
 */
function targetsOf(value) {
  if (typeof value === 'string') return [value.replace(/^\.\//, '')];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(targetsOf) : [];
}

/**
 * @param {string} what
 * @param {{ ok: boolean, output: string }} result
 * @param {string} [expected]
 */
function expectOutput(what, { ok, output }, expected) {
  if (!ok) problems.push(`${what} fails:\n${output}`);
  else if (expected !== undefined && output !== expected)
    problems.push(`${what} gives\n${output}\ninstead of\n${expected}`);
}

/**
 * What can be loaded: the package, and its subpaths.
 * @param {PackageStage} stage
 * @returns {{ name: string, copy: string }[]} by which name, and the file of the CommonJS copy
 */
function entriesOf({ manifest, installed }) {
  return Object.keys(Object(manifest.exports))
    .filter((path) => !path.endsWith('.json'))
    .map((path) => ({
      name: join(manifest.name, path).replaceAll('\\', '/'),
      copy: join(installed, 'dist/cjs', path, 'index.js'),
    }));
}

/**
 * @param {PackageStage} stage
 * @param {{ name: string, copy: string }} entry
 */
async function checkLoading(stage, { name, copy: file }) {
  const print =
    'console.log(Object.keys(loaded).filter((key) => key !== "default" && key !== "module.exports").sort().join(" "));';
  const imported = await stage.run(
    'load.mjs',
    `import 'reflect-metadata'; import * as loaded from '${name}'; ${print}`,
  );
  expectOutput(`import of ${name}`, imported);
  if (imported.ok && !imported.output) problems.push(`import of ${name} gives no exports`);
  const head = `require('reflect-metadata'); const loaded = require`;
  expectOutput(
    `require() of ${name}`,
    await stage.run('load.cjs', `${head}('${name}'); ${print}`),
    imported.output,
  );

  const copy = JSON.stringify(file);
  expectOutput(
    `require() of the CommonJS copy of ${name}`,
    await stage.run('copy.cjs', `${head}(${copy}); ${print}`),
    imported.output,
  );
  const same = `
    const loaded = require('${name}');
    import('${name}').then((imported) => console.log(Object.keys(loaded).every((key) => loaded[key] === imported[key])));`;
  expectOutput(`require() of ${name} beside import`, await stage.run('same.cjs', same), 'true');
}

/** @param {PackageStage} stage */
async function checkTypes(stage) {
  await stage.link('@types/node');
  for (const extension of ['mts', 'cts'])
    await writeFile(join(stage.folder, `consumer.${extension}`), CONSUMER + subpathImports(stage));
  const flags = '--ignoreConfig --noEmit --strict --module nodenext --target es2022 --types node'.split(' ');
  // Those of browsers cost the slower compiler a third of its time, and a user need not have them.
  const compilers = { [TSC]: [], [TSC_6]: ['--lib', 'es2022'] };
  for (const [compiler, libraries] of Object.entries(compilers)) {
    const words = [compiler, ...flags, ...libraries, 'consumer.mts', 'consumer.cts'];
    const { output } = await runCommand(process.execPath, words, { cwd: stage.folder });
    // Other packages' declarations are not ours to judge; ours must not need what users do not have.
    const ours = output
      .split('\n')
      .filter((line) => /^consumer|nestjs-distributed-lock\/dist\/.*: error/.test(line));
    if (ours.length > 0) problems.push(`the types fail by ${compiler}:\n${ours.join('\n')}`);
  }
}

/**
 * `nest add` loads what the collection names by require(), from wherever its user works.
 * @param {PackageStage} stage
 */
async function checkSchematics(stage) {
  const { name, schematics } = stage.manifest;
  const load = `
    const { dirname, resolve } = require('node:path');
    const collection = resolve(dirname(require.resolve('${name}/package.json')), '${schematics}');
    for (const [schematic, { factory, schema }] of Object.entries(require(collection).schematics)) {
      const [file, exported] = factory.split('#');
      const made = require(resolve(dirname(collection), file))[exported];
      const { properties } = require(resolve(dirname(collection), schema));
      console.log(schematic, typeof made, typeof properties.redis);
    }`;
  expectOutput('the schematic', await stage.run('schematic.cjs', load), 'nest-add function object');
}

/** @param {PackageStage} stage */
function subpathImports(stage) {
  const names = entriesOf(stage).slice(1);
  return names.map(({ name }, at) => `import * as path${at} from '${name}';\nvoid path${at};\n`).join('');
}

/** @param {PackageStage} stage */
async function checkOptionalPeers(stage) {
  const { name, peerDependenciesMeta = {} } = stage.manifest;
  const optional = Object.keys(peerDependenciesMeta).filter((peer) => peerDependenciesMeta[peer]?.optional);
  // Clients are gone by now.
  await Promise.all(optional.map((peer) => stage.unlink(peer).catch(() => undefined)));
  const without = `loading without ${optional.join(', ')}`;
  expectOutput(
    `${without} by import`,
    await stage.run('bare.mjs', `import 'reflect-metadata'; import '${name}';`),
  );
  expectOutput(
    `${without} by require()`,
    await stage.run('bare.cjs', `require('reflect-metadata'); require('${name}');`),
  );
}

/**
 * A bundler numbers names that several modules have. Nest and its users see those of classes.
 * @param {PackageStage} stage
 */
async function checkNames({ files, installed }) {
  for (const file of files.filter((name) => name.endsWith('.js'))) {
    const text = await readFile(join(installed, file), 'utf8');
    for (const [, declared, assigned] of text.matchAll(/\b(?=class (\w+\$\d+)|(\w+\$\d+) = class\b)/g))
      problems.push(`${file} renames a class to ${declared ?? assigned}: give one of the two another name`);
  }
}

/**
 * Runs each command as `npx` does: by its shebang, with the rights that the tarball gives it.
 * @param {PackageStage} stage
 */
async function checkCommands({ manifest, installed, folder }) {
  for (const [name, file] of Object.entries(manifest.bin)) {
    const path = join(installed, file);
    const [command, ...words] = process.platform === 'win32' ? [process.execPath, path] : [path];
    const { ok, output } = await runCommand(command ?? '', [...words, '--version'], { cwd: folder });
    expectOutput(`the command ${name}`, { ok, output: output.trim() }, manifest.version);
  }
}

if (!(await runNode('tools/build/build.mjs', ['lib']))) problems.push('the library does not build');
else {
  const stage = await PackageStage.open();
  try {
    checkContents(stage);
    await checkNamedPages(stage);
    problems.push(...(await checkPublished(stage.tarball)));
    for (const entry of entriesOf(stage)) await checkLoading(stage, entry);
    await checkCommands(stage);
    await checkTypes(stage);
    problems.push(
      ...(await checkResolution(
        stage,
        entriesOf(stage).map(({ name }) => name),
      )),
    );
    await checkSchematics(stage);
    await checkNames(stage);
    const budget = await checkBudget(stage, !process.argv.includes('--counted'));
    problems.push(...budget.problems);
    console.log(budget.line);
    problems.push(...(await checkClients(stage)));
    await checkOptionalPeers(stage);
  } finally {
    await stage.close();
  }
}
for (const problem of problems) console.error(`package: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else
  console.log(
    'package: loads by import and require(), as one copy; every subpath resolves in every kind of project; commands run; nothing from publint and arethetypeswrong',
  );
