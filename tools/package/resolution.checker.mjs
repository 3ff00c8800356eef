import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TSC } from '../build/compilers.mjs';
import { runCommand } from '../redis/command.runner.mjs';

/** @typedef {import('./package.stage.mjs').PackageStage} PackageStage */
/** @typedef {{ module: string, resolution: string, type: 'commonjs' | 'module', extension: 'ts' | 'mts' | 'cts' }} Project */
/** @typedef {Project & { what: string, folder: string, words: string[] }} PlacedProject */

/** Compiles the projects that it gets by TypeScript 6, all in one process. */
const COMPILER_6 = fileURLToPath(new URL('typescript.6.compiler.mjs', import.meta.url));

const FLAGS = [
  ...['--ignoreConfig', '--strict', '--skipLibCheck', '--esModuleInterop', '--experimentalDecorators'],
  ...['--target', 'es2022', '--types', 'node'],
];
/** TypeScript 7 has it no more, and 6 has to be asked for it; to 5 it is what `"module": "commonjs"` means. */
const NODE10 = ['--ignoreDeprecations', '6.0'];

/**
 * How users' projects are set up. `commonjs` with `node10` is what `nest new` wrote until early Nest 11.
 * @type {readonly Project[]}
 */
const PROJECTS = [
  { module: 'commonjs', resolution: 'node10', type: 'commonjs', extension: 'ts' },
  { module: 'commonjs', resolution: 'bundler', type: 'commonjs', extension: 'ts' },
  { module: 'es2022', resolution: 'node10', type: 'module', extension: 'ts' },
  { module: 'esnext', resolution: 'bundler', type: 'module', extension: 'ts' },
  { module: 'preserve', resolution: 'bundler', type: 'module', extension: 'ts' },
  { module: 'node16', resolution: 'node16', type: 'commonjs', extension: 'ts' },
  { module: 'node16', resolution: 'node16', type: 'module', extension: 'ts' },
  { module: 'node20', resolution: 'node16', type: 'commonjs', extension: 'ts' },
  { module: 'nodenext', resolution: 'nodenext', type: 'commonjs', extension: 'ts' },
  { module: 'nodenext', resolution: 'nodenext', type: 'module', extension: 'ts' },
  { module: 'nodenext', resolution: 'nodenext', type: 'commonjs', extension: 'mts' },
  { module: 'nodenext', resolution: 'nodenext', type: 'module', extension: 'cts' },
];

/**
 * Compiles and runs a consumer of every subpath in every kind of project. A subpath that one of them cannot resolve is a problem.
 * @param {PackageStage} stage
 * @param {readonly string[]} names by which the package and its subpaths are imported
 * @returns {Promise<string[]>} what failed
 */
export async function checkResolution(stage, names) {
  const projects = PROJECTS.map((each, index) => placed(each, join(stage.folder, `project-${index}`)));
  for (const { folder, type, extension } of projects) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type }));
    await writeFile(join(folder, `consumer.${extension}`), consumerOf(names));
  }
  const works = [0, 1].map((half) => compileBySix(projects.filter((_, index) => index % 2 === half)));
  const problems = (await Promise.all(works)).flat();
  if (problems.length > 0) return problems;
  const waiting = [...projects];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      problems.push(...(await checkProject(next, names)));
  };
  await Promise.all([work(), work()]);
  return problems;
}

/**
 * @param {Project} project
 * @param {string} folder
 * @returns {PlacedProject}
 */
function placed(project, folder) {
  const { module, resolution, type, extension } = project;
  const words = [
    ...[...FLAGS, ...(isOld(project) ? NODE10 : [])],
    ...['--module', module, '--moduleResolution', resolution, `consumer.${extension}`],
  ];
  const what = `module ${module}, moduleResolution ${resolution}, type ${type}, .${extension}`;
  return { ...project, what, folder, words };
}

/** @param {Project} project */
function isOld({ resolution }) {
  return resolution === 'node10';
}

/**
 * A start of this compiler takes as long as two compilations.
 * @param {readonly PlacedProject[]} projects
 * @returns {Promise<string[]>} what does not compile
 */
async function compileBySix(projects) {
  const asked = JSON.stringify(projects.map(({ what, folder, words }) => ({ what, folder, words })));
  const { ok, output } = await runCommand(process.execPath, [COMPILER_6, asked]);
  return ok ? [] : [output];
}

/**
 * @param {PlacedProject} project
 * @param {readonly string[]} names
 */
async function checkProject(project, names) {
  const { what, folder, words } = project;
  if (!isOld(project)) {
    const compiled = await runCommand(process.execPath, [TSC, ...words], { cwd: folder });
    if (!compiled.ok) return [`${what} does not compile by ${TSC}:\n${compiled.output}`];
  }
  const file = (await readdir(folder)).find((name) => /\.[cm]?js$/.test(name)) ?? '';
  const ran = await runCommand(process.execPath, [file], { cwd: folder });
  const expected = names.map((name) => `${name} has values`).join('\n');
  return ran.ok && ran.output.trim() === expected ? [] : [`${what} does not run:\n${ran.output}`];
}

/** @param {readonly string[]} names */
function consumerOf(names) {
  const imports = names.map((name, at) => `import * as path${at} from '${name}';`);
  // A subpath whose types are not found is `any`, which has every name.
  const typed = names.map(
    (_, at) =>
      `// @ts-expect-error the types are known\nexport type Missing${at} = typeof path${at}.noSuchName;`,
  );
  const prints = names.map(
    (name, at) => `if (Object.keys(path${at}).length > 0) console.log('${name} has values');`,
  );
  return ["import 'reflect-metadata';", ...imports, ...typed, ...prints, ''].join('\n');
}
