/**
 * A user's first minutes, from an empty folder: "npm run try:adopt -- --nest 12" (or 11). Makes an application by the Nest CLI, installs
 * the packed library, runs "nest add", decorates a job, and runs two instances on one Redis. Prints a transcript.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ROOT } from '../build/node.runner.mjs';
import { runCommand } from '../redis/command.runner.mjs';
import { findFreePort } from '../redis/redis.probe.mjs';
import { startRedis } from '../redis/redis.runner.mjs';
import { Instance } from './instance.runner.mjs';
import { Transcript } from './transcript.mjs';

const { values } = parseArgs({
  options: { nest: { type: 'string', default: '12' }, keep: { type: 'boolean', default: false } },
});
const JOB = `import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';

@Injectable()
export class Heartbeat {
  @Cron('* * * * * *')
  @DistributedLock('heartbeat')
  async beat() {
    console.log(\`tick \${currentLock()?.tick}\`);
  }
}
`;
const WITHIN = 60_000;
const transcript = new Transcript();

/**
 * @param {string} what
 * @param {() => boolean} reached
 */
async function until(what, reached) {
  const end = performance.now() + WITHIN;
  while (!reached()) {
    if (performance.now() > end) throw new Error(`not within ${WITHIN / 1000} s: ${what}`);
    await sleep(20);
  }
}

/** @param {string} folder */
async function packLibrary(folder) {
  const { ok, output } = await runCommand(
    'npm',
    ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: ROOT,
    },
  );
  const file = /\S+\.tgz/.exec(output)?.[0];
  if (!ok || !file) throw new Error(`npm pack failed:\n${output}`);
  return join(folder, file);
}

/**
 * What the user types: a job of their own, among the providers.
 * @param {string} app
 */
async function writeJob(app) {
  const file = join(app, 'src/app.module.ts');
  const isModule = JSON.parse(await readFile(join(app, 'package.json'), 'utf8')).type === 'module';
  await writeFile(join(app, 'src/heartbeat.ts'), JOB);
  const text = await readFile(file, 'utf8');
  const changed = text
    .replace('providers: [AppService]', 'providers: [AppService, Heartbeat]')
    .replace(
      /^(?=import \{ AppService)/m,
      `import { Heartbeat } from './heartbeat${isModule ? '.js' : ''}';\n`,
    );
  if (!changed.includes('Heartbeat]')) throw new Error(`the providers of ${file} are not as expected`);
  await writeFile(file, changed);
  return isModule;
}

/**
 * @param {string} app
 * @param {string} url
 */
async function runFleet(app, url) {
  const instances = await Promise.all(
    ['A', 'B'].map(async (name) => {
      return new Instance(name, app, { REDIS_URL: url, PORT: `${await findFreePort()}` });
    }),
  );
  const [a, b] = instances;
  if (!a || !b) throw new Error('two instances are needed');
  try {
    await until('both instances are up', () => instances.every(({ isUp }) => isUp));
    const began = Date.now();
    const ran = () => instances.flatMap(({ ticks }) => ticks).filter((tick) => tick > began);
    await until('eight ticks', () => new Set(ran()).size >= 8);
    const seen = ran();
    await a.stop();
    await until(
      'three ticks of the instance that is left',
      () => b.ticks.length >= 3 && Math.max(...b.ticks) > Math.max(...seen),
    );
    return { a: a.ticks, b: b.ticks, all: [...a.ticks, ...b.ticks].toSorted((x, y) => x - y), seen };
  } catch (error) {
    throw new Error(instances.map(({ name, log }) => `${name}:\n${log.join('\n')}`).join('\n'), {
      cause: error,
    });
  } finally {
    for (const { child } of instances) child.kill('SIGKILL');
  }
}

const folder = await mkdtemp(join(tmpdir(), 'adopt-'));
const redis = await startRedis();
try {
  transcript.note(`An empty folder, Node ${process.version}, the library packed as npm would publish it`);
  const tarball = await packLibrary(folder);
  await transcript.run(
    `npx --yes @nestjs/cli@${values.nest} new shop --package-manager npm --skip-git`,
    folder,
    { lines: 4 },
  );
  const app = join(folder, 'shop');
  const read = () => readFile(join(app, 'src/app.module.ts'), 'utf8');
  const schedule = values.nest === '11' ? '@nestjs/schedule@6' : '@nestjs/schedule';
  await transcript.run(`npm install ${tarball} ioredis ${schedule}`, app, { lines: 2 });
  transcript.show('src/app.module.ts, before', await read());
  await transcript.run('npx nest add nestjs-distributed-lock --skip-install', app, { lines: 12 });
  const wired = await read();
  transcript.show('src/app.module.ts, after', wired);
  if (!wired.includes('DistributedLockModule.forRoot({')) throw new Error('nest add did not wire the module');
  await transcript.run('npx prettier --check src/app.module.ts', app, { lines: 1 });
  await transcript.run('npx nest add nestjs-distributed-lock --skip-install', app, { lines: 9 });
  if ((await read()) !== wired) throw new Error('a second nest add changed the module');

  const isModule = await writeJob(app);
  transcript.show('src/heartbeat.ts, written by hand', JOB);
  await transcript.run('npm run build', app, { lines: 2 });
  const versions = await transcript.run(
    'npm ls @nestjs/core @nestjs/cli @nestjs/schedule ioredis nestjs-distributed-lock --depth=0',
    app,
    { lines: 6 },
  );
  transcript.note(
    `Two instances (${isModule ? 'ES modules' : 'CommonJS'}) on one Redis: node dist/main, twice`,
  );
  const { a, b, all } = await runFleet(app, redis.url);
  const twice = all.filter((tick, index) => tick === all[index - 1]);
  const missed = all.slice(1).filter((tick, index) => tick - (all[index] ?? 0) !== 1000);
  console.log(`  A ran ${a.length} ticks, B ran ${b.length}; A was stopped, and B went on`);
  console.log(
    `  ${all.length} ticks from ${new Date(all[0] ?? 0).toISOString()} to ${new Date(all.at(-1) ?? 0).toISOString()}`,
  );
  console.log(`  run twice: ${twice.length}; missed: ${missed.length}`);
  if (twice.length > 0) throw new Error(`ticks ran twice: ${twice.join(', ')}`);
  if (isModule !== (values.nest === '12') || !versions.includes(`@nestjs/core@${values.nest}.`))
    throw new Error(`this was not Nest ${values.nest} as it is made by default`);
  transcript.note(
    `${transcript.minutes.toFixed(1)} minutes from the empty folder to a job that runs once per tick`,
  );
} finally {
  await redis.stop();
  if (values.keep) console.log(`kept: ${folder}`);
  else await rm(folder, { recursive: true, force: true });
}
