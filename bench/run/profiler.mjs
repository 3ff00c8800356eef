import { Session } from 'node:inspector/promises';

/** Between two looks at the stack, in µs. */
const INTERVAL = 200;

/** What a function of V8, libuv or Node without a file of its own does: it writes to sockets, or it is V8's. */
const WRITES = /^(write|shutdown|uv)/;

/** Where the benchmark is, wherever that may be. */
const BENCH = new URL('..', import.meta.url).href;

/** Packages whose time is nobody's who contests, but the client's or the framework's. */
const PACKAGES = {
  client:
    /\/node_modules\/(ioredis|@ioredis|redis-parser|redis-errors|denque|cluster-key-slot|standard-as-callback)\//,
  nest: /\/node_modules\/(@nestjs|cron|luxon|rxjs|reflect-metadata)\//,
};

/** The shares of a process' CPU time, as the report names them. */
export const SHARES = [
  { key: 'own', title: 'the contestant' },
  { key: 'client', title: 'ioredis' },
  { key: 'nest', title: 'Nest, cron' },
  { key: 'node', title: "Node's JavaScript" },
  { key: 'v8', title: 'V8, promises' },
  { key: 'gc', title: 'garbage collection' },
  { key: 'writes', title: 'writing to sockets' },
  { key: 'native', title: 'the rest outside of JavaScript' },
  { key: 'bench', title: 'the benchmark' },
];

/** @typedef {import('node:inspector').Runtime.CallFrame} CallFrame */

/** Whose time it is. @param {CallFrame} frame @returns {string | undefined} undefined for none */
function shareOf({ functionName, url }) {
  // The last one is the profiler's own.
  if (functionName === '(idle)' || (functionName === 'dispatch' && url === '')) return undefined;
  if (functionName === '(garbage collector)') return 'gc';
  if (functionName === '(program)') return 'native';
  for (const [share, packages] of Object.entries(PACKAGES)) if (packages.test(url)) return share;
  if (url.includes('/node_modules/')) return 'own';
  if (url.startsWith('node:')) return 'node';
  if (url.startsWith(BENCH)) return 'bench';
  if (url !== '') return 'own';
  return WRITES.test(functionName) ? 'writes' : 'v8';
}

/** @type {Session | undefined} */
let session;

/** Begins to look where this process spends its time. */
export async function beginProfile() {
  session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
  await session.post('Profiler.start');
  return {};
}

/** @returns {Promise<import('../bench.types.js').Figures>} CPU time in ms by whose it was */
export async function endProfile() {
  if (session === undefined) throw new Error('no profile was begun');
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  /** @type {Record<string, number>} */
  const spent = Object.fromEntries(SHARES.map(({ key }) => [key, 0]));
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const frame = frames.get(id);
    const share = frame && shareOf(frame);
    if (share !== undefined) spent[share] = (spent[share] ?? 0) + (profile.timeDeltas?.[index] ?? 0) / 1000;
  }
  return spent;
}
