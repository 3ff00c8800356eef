/** Packs the library, installs the tarball in an empty application, and loads it in every way that Node knows. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, runNode } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';
import { PackageStage } from './package.stage.mjs';

const ALLOWED =
  /^(?:package\.json|LICENSE|README\.md|CHANGELOG\.md|dist\/(?:esm|cjs)\/.+\.(?:js|d\.ts)|dist\/cjs\/package\.json|lua\/[a-z0-9-]+\/[a-z0-9-]+\.lua)$/;
const REQUIRED = ['package.json', 'LICENSE', 'README.md', 'CHANGELOG.md', 'dist/cjs/package.json'];
/** What each subpath gives, of what it gives. */
const SUBPATHS = { testing: 'DistributedLockTestingModule LockTestingControl MemoryStore' };
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
  const targets = targetsOf([manifest.exports, manifest.main, manifest.types]);

  for (const file of files) {
    if (!ALLOWED.test(file) || /\.spec\./.test(file))
      problems.push(`the tarball holds ${file}, which no user needs`);
  }
  for (const file of [...REQUIRED, ...targets])
    if (!files.includes(file)) problems.push(`the tarball lacks ${file}`);
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

/** @param {PackageStage} stage */
async function checkLoading(stage) {
  const { name } = stage.manifest;
  const print =
    'console.log(Object.keys(loaded).filter((key) => key !== "default" && key !== "module.exports").sort().join(" "));';
  const imported = await stage.run(
    'load.mjs',
    `import 'reflect-metadata'; import * as loaded from '${name}'; ${print}`,
  );
  expectOutput('import', imported);
  if (imported.ok && !imported.output) problems.push('import gives no exports');
  const head = `require('reflect-metadata'); const loaded = require`;
  expectOutput('require()', await stage.run('load.cjs', `${head}('${name}'); ${print}`), imported.output);

  const copy = JSON.stringify(join(stage.installed, 'dist/cjs/index.js'));
  expectOutput(
    'require() of the CommonJS copy',
    await stage.run('copy.cjs', `${head}(${copy}); ${print}`),
    imported.output,
  );
  const same = `
    const loaded = require('${name}');
    import('${name}').then((imported) => console.log(Object.keys(loaded).every((key) => loaded[key] === imported[key])));`;
  expectOutput('require() beside import', await stage.run('same.cjs', same), 'true');
}

/** @param {PackageStage} stage */
async function checkSubpaths(stage) {
  const { name } = stage.manifest;
  for (const [subpath, names] of Object.entries(SUBPATHS)) {
    const print =
      "console.log(Object.keys(loaded).filter((key) => key !== 'default' && key !== 'module.exports').sort().join(' '));";
    const path = `${name}/${subpath}`;
    const [byImport, byRequire] = [
      await stage.run(
        'subpath.mjs',
        `import 'reflect-metadata'; import * as loaded from '${path}'; ${print}`,
      ),
      await stage.run(
        'subpath.cjs',
        `require('reflect-metadata'); const loaded = require('${path}'); ${print}`,
      ),
    ];
    expectOutput(`import of ${path}`, byImport, names);
    expectOutput(`require() of ${path}`, byRequire, names);
    const copy = JSON.stringify(join(stage.installed, `dist/cjs/${subpath}/index.js`));
    const loadCopy = `require('reflect-metadata'); const loaded = require(${copy}); ${print}`;
    expectOutput(
      `require() of the CommonJS copy of ${path}`,
      await stage.run('subcopy.cjs', loadCopy),
      names,
    );
  }
}

/** @param {PackageStage} stage */
async function checkTypes(stage) {
  await stage.link('@types/node');
  for (const extension of ['mts', 'cts'])
    await writeFile(join(stage.folder, `consumer.${extension}`), CONSUMER);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const flags = '--ignoreConfig --noEmit --strict --module nodenext --target es2022 --types node'.split(' ');
  const words = [tsc, ...flags, 'consumer.mts', 'consumer.cts'];
  const { output } = await runCommand(process.execPath, words, { cwd: stage.folder });
  // Other packages' declarations are not ours to judge; ours must not need what users do not have.
  const ours = output
    .split('\n')
    .filter((line) => /^consumer|nestjs-distributed-lock\/dist\/.*: error/.test(line));
  if (ours.length > 0) problems.push(`the types fail:\n${ours.join('\n')}`);
}

/** @param {PackageStage} stage */
async function checkOptionalPeers(stage) {
  const { name, peerDependenciesMeta = {} } = stage.manifest;
  const optional = Object.keys(peerDependenciesMeta).filter((peer) => peerDependenciesMeta[peer]?.optional);
  await Promise.all(optional.map((peer) => stage.unlink(peer)));
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

if (!(await runNode('tools/build/build.mjs', ['lib']))) problems.push('the library does not build');
else {
  const stage = await PackageStage.open();
  try {
    checkContents(stage);
    await checkLoading(stage);
    await checkSubpaths(stage);
    await checkTypes(stage);
    await checkOptionalPeers(stage);
    console.log(`${stage.manifest.name}@${stage.manifest.version}: ${stage.files.length} files packed`);
  } finally {
    await stage.close();
  }
}
for (const problem of problems) console.error(`package: ${problem}`);
if (problems.length > 0) process.exitCode = 1;
else console.log('package: loads by import and require(), as one copy; types resolve');
