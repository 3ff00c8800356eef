import { cachedRedis, installDebianRedis } from './debian.installer.mjs';
import { runCommand } from './command.runner.mjs';
import { isExecutable, searchPath } from './path.search.mjs';

/** @typedef {import('./redis.types.js').FindOptions} FindOptions */
/** @typedef {import('./redis.types.js').RedisServer} RedisServer */

const NAMES = ['redis-server', 'valkey-server'];
const HOMEBREW = ['/opt/homebrew/bin', '/usr/local/bin', '/home/linuxbrew/.linuxbrew/bin'];
const DOCKER_IMAGE = 'redis:7';

/**
 * Finds a Redis: REDIS_URL, REDIS_SERVER_BIN, PATH, the private cache, Debian's packages, docker.
 * @param {FindOptions} [options]
 * @returns {Promise<RedisServer>}
 */
export async function findRedisServer({ own = false, folders = HOMEBREW } = {}) {
  const { REDIS_URL: url, REDIS_SERVER_BIN: bin } = process.env;
  if (url && !own) return { kind: 'url', url };
  if (bin) {
    if (await isExecutable(bin)) return { kind: 'binary', path: bin, how: 'REDIS_SERVER_BIN', env: {} };
    throw new Error(`REDIS_SERVER_BIN is "${bin}", which is not an executable file`);
  }
  /** @type {string[]} */
  const tried = [];
  const found =
    (await redisOnPath(folders)) ??
    (await cachedRedis()) ??
    (await installDebianRedis(tried)) ??
    (await findDocker(tried));
  if (found) return found;
  throw new Error(missingMessage(tried));
}

/**
 * @param {readonly string[]} further
 * @returns {Promise<RedisServer | null>}
 */
async function redisOnPath(further) {
  const path = await searchPath(NAMES, further);
  return path === undefined ? null : { kind: 'binary', path, how: `found as ${path}`, env: {} };
}

/**
 * @param {string[]} tried
 * @returns {Promise<RedisServer | null>}
 */
async function findDocker(tried) {
  const { ok, output } = await runCommand('docker', ['version', '--format', '{{.Server.Version}}'], {
    timeout: 5_000,
  });
  if (ok) return { kind: 'docker', command: 'docker', image: DOCKER_IMAGE };
  tried.push(`docker: ${output.trim().split('\n').at(-1) || 'no answer'}`);
  return null;
}

/** @param {string[]} tried */
function missingMessage(tried) {
  return [
    'No Redis was found. One of these gives you one:',
    '  Debian, Ubuntu:  sudo apt-get install redis-server',
    '  Fedora:          sudo dnf install valkey',
    '  Alpine:          apk add redis',
    '  macOS:           brew install redis',
    '  any:             start docker, or set REDIS_URL=redis://host:port or REDIS_SERVER_BIN=/path/to/redis-server',
    ...(tried.length > 0 ? ['Tried beside PATH:', ...tried.map((line) => `  ${line}`)] : []),
  ].join('\n');
}
