import { spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { startContainer } from './docker.runner.mjs';
import { findFreePort, waitUntilReady } from './redis.probe.mjs';
import { findRedisServer } from './redis.finder.mjs';

/** @typedef {import('./redis.types.js').RedisServer} RedisServer */
/** @typedef {import('./redis.types.js').RunningRedis} RunningRedis */
/** @typedef {import('./redis.types.js').StartOptions} StartOptions */

const HOST = '127.0.0.1';
const READY_WITHIN = 10_000;
const START_ATTEMPTS = 5;
const SETPRIV = '/usr/bin/setpriv';

/**
 * What ends our servers when this process ends: behind one listener, because those of a cluster would be too many.
 * @type {Set<() => void>}
 */
const farewells = new Set();
process.once('exit', () => {
  for (const endServer of farewells) endServer();
});

/**
 * The Redis of REDIS_URL, or else one that is started now: for whoever only needs an address.
 * @param {StartOptions} [options] used when one is started
 * @returns {Promise<RunningRedis>}
 */
export async function provideRedis(options = {}) {
  const server = await findRedisServer();
  return server.kind === 'url' ? borrowed(server.url) : start(server, options);
}

/**
 * Starts a Redis of one's own on a loopback port, without persistence, whatever REDIS_URL says. It ends with this process.
 * @param {StartOptions} [options]
 * @returns {Promise<RunningRedis>}
 */
export async function startRedis(options = {}) {
  return start(await findRedisServer({ own: true }), options);
}

/**
 * @param {RedisServer} server
 * @param {StartOptions} options
 */
async function start(server, options) {
  if (server.kind === 'url') throw new Error('a Redis given by REDIS_URL cannot be started');
  if (server.kind === 'docker' && (options.config ?? options.folder) !== undefined)
    throw new Error(
      'a configuration or a folder of its own needs a redis-server binary, and there is only docker',
    );
  for (let attempt = 1; ; attempt += 1) {
    const port = options.port ?? (await findFreePort());
    try {
      return server.kind === 'docker'
        ? await startContainer(server, port, options)
        : await startProcess(server, port, options);
    } catch (error) {
      // Between the look for a free port and its use another process may have taken it.
      if (options.port !== undefined || attempt === START_ATTEMPTS || !String(error).includes('in use'))
        throw error;
    }
  }
}

/**
 * @param {Extract<RedisServer, { kind: 'binary' }>} server
 * @param {number} port
 * @param {StartOptions} options
 * @returns {Promise<RunningRedis>}
 */
async function startProcess(server, port, { args = [], config, folder: kept, env, onLog }) {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'redis-')));
  const file = join(folder, 'redis.conf');
  // Sentinel keeps what it has learnt in its file: one that comes again in its folder finds it there.
  if (config !== undefined && !existsSync(file)) await writeFile(file, config);
  const own = [
    ...(config === undefined ? [] : [file]),
    '--port',
    `${port}`,
    '--bind',
    HOST,
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    folder,
    ...args,
  ];
  // A parent that is killed takes its server along.
  const [command, words] =
    process.platform === 'linux' && existsSync(SETPRIV)
      ? [SETPRIV, ['--pdeathsig', 'SIGKILL', server.path, ...own]]
      : [server.path, own];
  const child = spawn(command, words, {
    cwd: folder,
    env: { ...process.env, ...server.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  /** @type {string[]} */
  const log = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      if (log.push(line) > 50) log.shift();
      onLog?.(line);
    });
  }
  const endWithUs = () => {
    child.kill('SIGKILL');
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  };
  farewells.add(endWithUs);
  /** @type {Promise<void>} */
  const exited = new Promise((resolve) => {
    child.once('error', (error) => log.push(error.message));
    child.once('close', () => {
      farewells.delete(endWithUs);
      resolve();
    });
  });
  const cleared = exited.then(async () => {
    if (kept === undefined) await rm(folder, { recursive: true, force: true });
  });

  const ready = await Promise.race([waitUntilReady(port, READY_WITHIN, child.pid), exited.then(() => false)]);
  if (!ready) {
    child.kill('SIGKILL');
    await cleared;
    throw new Error(
      `redis-server (${server.how}) did not start on port ${port}:\n${log.slice(-10).join('\n')}`,
    );
  }
  const output = /** @type {import('node:net').Socket[]} */ ([child.stdout, child.stderr]);
  const handles = [child, ...output];
  // A running server does not keep this process alive; the wait for its end does.
  for (const handle of handles) handle.unref();
  /** @param {NodeJS.Signals} signal */
  const kill = async (signal = 'SIGKILL') => {
    child.kill(signal);
    if (signal !== 'SIGKILL' && signal !== 'SIGTERM' && signal !== 'SIGINT') return;
    for (const handle of handles) handle.ref();
    await cleared;
  };
  return {
    url: `redis://${HOST}:${port}`,
    port,
    pid: child.pid ?? 0,
    exited,
    kill,
    async stop() {
      // A paused server would never see SIGTERM.
      child.kill('SIGCONT');
      await kill('SIGTERM');
    },
    pause: () => kill('SIGSTOP'),
    resume: () => kill('SIGCONT'),
  };
}

/**
 * @param {string} url
 * @returns {RunningRedis}
 */
function borrowed(url) {
  const refuse = async () => {
    throw new Error('the Redis of REDIS_URL is not ours to stop: use startRedis()');
  };
  return {
    url,
    port: Number(new URL(url).port || 6379),
    pid: 0,
    exited: new Promise(() => {}),
    stop: async () => {},
    kill: refuse,
    pause: refuse,
    resume: refuse,
  };
}
