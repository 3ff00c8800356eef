import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TSC } from '../build/compilers.mjs';
import { runCommand } from '../redis/command.runner.mjs';

/** @typedef {import('./package.stage.mjs').PackageStage} PackageStage */

const CLIENTS = ['ioredis', 'redis'];

/** What is installed, and what an application with a URL prints: the clients that it has loaded, or the error of its boot. */
const CASES = [
  { installed: ['ioredis', 'redis'], printed: 'ioredis' },
  { installed: ['redis'], printed: 'redis' },
  { installed: [], printed: 'CLIENT_NOT_INSTALLED' },
];

const BOOT = `
  const options = { redis: 'redis://127.0.0.1:1?lazyConnect=true', serverCheck: false, instanceInfo: false };
  const loaded = () => {
    const files = Object.keys(cache).join(' ').replaceAll('\\\\', '/');
    return ${JSON.stringify(CLIENTS)}.filter((name) => files.includes('/node_modules/' + name + '/')).join(' ');
  };
  NestFactory.createApplicationContext(DistributedLockModule.forRoot(options), { logger: false, abortOnError: false }).then(
    async (app) => {
      console.log(loaded());
      await app.close();
    },
    (error) => console.log(error.code ?? error.message),
  );`;

/** @type {Readonly<Record<string, string>>} */
const PROGRAMS = {
  'clients.mjs': `
    import 'reflect-metadata';
    import { createRequire } from 'node:module';
    import { NestFactory } from '@nestjs/core';
    import { DistributedLockModule } from 'nestjs-distributed-lock';
    const { cache } = createRequire(import.meta.url);${BOOT}`,
  'clients.cjs': `
    require('reflect-metadata');
    const { NestFactory } = require('@nestjs/core');
    const { DistributedLockModule } = require('nestjs-distributed-lock');
    const { cache } = require;${BOOT}`,
};

/** The types without both clients: what is a client is still known, and what is none is an error. */
const CONSUMER = `import type { RedisSource } from 'nestjs-distributed-lock';
declare const client: { isOpen: boolean; isReady: boolean; options: object; duplicate(): unknown; destroy(): void };
export const sources: RedisSource[] = ['redis://localhost', client];
// @ts-expect-error not a source
export const promise: RedisSource = Promise.resolve('redis://localhost');
`;

/**
 * Starts an application with both clients, with one, and with none: the client that is not used must not be loaded. Both are gone
 * afterwards.
 * @param {PackageStage} stage
 * @returns {Promise<string[]>} the problems
 */
export async function checkClients(stage) {
  /** @type {string[]} */
  const problems = [];
  let left = CLIENTS;
  for (const { installed, printed } of CASES) {
    for (const name of left.filter((each) => !installed.includes(each))) await stage.unlink(name);
    left = installed;
    for (const [file, text] of Object.entries(PROGRAMS)) {
      const { ok, output } = await stage.run(file, text);
      if (!ok || output !== printed)
        problems.push(
          `${file} with ${installed.join(', ') || 'no client'} gives\n${output}\ninstead of\n${printed}`,
        );
    }
  }
  return [...problems, ...(await checkTypes(stage))];
}

/** @param {PackageStage} stage */
async function checkTypes({ folder }) {
  await writeFile(join(folder, 'clients.mts'), CONSUMER);
  const flags = '--ignoreConfig --noEmit --strict --module nodenext --target es2022 --types node'.split(' ');
  const { output } = await runCommand(process.execPath, [TSC, ...flags, 'clients.mts'], { cwd: folder });
  const ours = output
    .split('\n')
    .filter((line) => /^clients|nestjs-distributed-lock\/dist\/.*: error/.test(line));
  return ours.length === 0 ? [] : [`the types fail without a client:\n${ours.join('\n')}`];
}
