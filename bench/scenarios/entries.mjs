/** Who takes part, and how each is set up. */

/** @typedef {import('../bench.types.js').Entry} Entry */
/** @typedef {import('../bench.types.js').Settings} Settings */

/** @type {Entry} */
export const RAW = { label: 'raw script pair', module: 'raw', settings: {}, role: 'limit' };
/** @type {Entry} */
export const RAW_PIPELINED = {
  label: 'raw script pair, autopipelining',
  module: 'raw',
  settings: { autopipelining: true },
  role: 'limit',
};
/** The limit of one command for each operation. @type {Entry} */
export const RAW_CORKED = {
  label: 'raw script pair, one write a turn and server',
  module: 'raw',
  settings: { corked: true },
  role: 'limit',
};
/** With an async scope around the work, as a re-entrant lock has it. @type {Entry} */
export const RAW_SCOPED = {
  label: 'raw script pair, work in an async scope',
  module: 'raw',
  settings: { scoped: true },
  role: 'limit',
  manner: 'section',
};
/** @type {Entry} */
export const MEMORY = { label: 'a queue in memory, no Redis', module: 'memory', settings: {}, role: 'limit' };
/** @type {Entry} */
export const BARE_QUEUE = {
  label: 'a list and a message in Redis, no more',
  module: 'bare-queue',
  settings: {},
  role: 'limit',
};
/** @type {Entry} */
export const BARE_HANDOVER = {
  label: 'two scripts and a message in Redis, no more',
  module: 'bare-handover',
  settings: {},
  role: 'limit',
};
/** @type {Entry} */
export const OURS = { label: 'nestjs-distributed-lock', module: 'ours', settings: {}, role: 'ours' };
/** @type {Entry} */
export const OURS_SECTION = { ...OURS, label: 'nestjs-distributed-lock, using()', manner: 'section' };
/** @type {Entry} */
export const OURS_LEASES = {
  ...OURS,
  label: 'nestjs-distributed-lock, explicit leases',
  settings: { leaseTime: 30_000 },
};
/** @type {Entry} */
export const OURS_FAIR = { ...OURS, label: 'nestjs-distributed-lock, fair', settings: { kind: 'fair' } };

/** The write side of a read/write lock. @type {Entry} */
export const OURS_WRITING = { ...OURS, label: 'nestjs-distributed-lock, write', settings: { kind: 'write' } };

/** @type {Entry} */
export const OURS_PERMITS = {
  ...OURS,
  label: 'nestjs-distributed-lock, three permits',
  settings: { permits: 3 },
};

/** With leases of 3 s, renewed at a third. @type {Entry} */
export const OURS_RENEWING = { ...OURS, settings: { lockWatchdogTimeout: 3000 } };

/** From Java, on the same wire. @type {Entry} */
export const REDISSON = {
  label: 'Redisson 4.7, Java',
  module: '',
  runtime: 'java',
  settings: {},
  role: 'peer',
};
/** @type {Entry} */
export const REDISSON_FAIR = { ...REDISSON, label: 'Redisson 4.7, Java, fair', settings: { kind: 'fair' } };

/** Polling peers and their fastest sensible pace: an attempt each 1 to 4 ms. @type {readonly { name: string, module: string, fast: Settings }[]} */
const POLLING = [
  { name: 'redis-semaphore', module: 'redis-semaphore', fast: { retryInterval: 1, refreshInterval: 0 } },
  { name: 'redlock 4', module: 'redlock-4', fast: { retryDelay: 1, retryJitter: 2 } },
  { name: 'redlock 5 beta', module: 'redlock-5', fast: { retryDelay: 1, retryJitter: 2 } },
  { name: '@sesamecare-oss/redlock', module: 'sesamecare', fast: { retryDelay: 1, retryJitter: 2 } },
  { name: 'redlock-universal', module: 'redlock-universal', fast: { retryDelay: 1 } },
];

/** Those that wait for a message. node-redisson loses one now and then, and then waits for ever. @type {readonly Entry[]} */
const LISTENING = [
  { ...entry('node-redisson', 'node-redisson', {}), patience: 15_000 },
  entry('simple-redis-mutex', 'simple-redis-mutex', {}),
];

/** All peers as they come. @type {readonly Entry[]} */
export const PEERS = [...POLLING.map(({ name, module }) => entry(name, module, {})), ...LISTENING];

/** Those whose client can pipeline by itself. @type {readonly Entry[]} */
export const PEERS_PIPELINED = POLLING.map(({ name, module }) =>
  entry(`${name}, autopipelining`, module, { autopipelining: true }),
);

/** All peers at their fastest, and the polling ones as they come, too. @type {readonly Entry[]} */
export const PEERS_WAITING = [
  ...POLLING.map(({ name, module, fast }) => entry(`${name}, fast`, module, fast)),
  ...PEERS,
];

/** Those that renew, with leases of 3 s, renewed at a third. @type {readonly Entry[]} */
export const PEERS_RENEWING = [
  entry('redis-semaphore', 'redis-semaphore', { lockTimeout: 3000, refreshInterval: 1000 }),
  entry('redlock 5 beta', 'redlock-5', { renewed: 3000, automaticExtensionThreshold: 2000 }),
  entry('@sesamecare-oss/redlock', 'sesamecare', { renewed: 3000, automaticExtensionThreshold: 2000 }),
];

/** @param {string} label @param {string} module @param {Settings} settings @returns {Entry} */
function entry(label, module, settings) {
  return { label, module, settings, role: 'peer' };
}
