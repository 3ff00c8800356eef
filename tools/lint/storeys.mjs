/**
 * The house from the roof down: a room imports rooms of lower storeys only, and never a neighbour on its own.
 * A new room is added here, and to the picture in CONTRIBUTING.md.
 */
export const STOREYS = [
  ['testing'],
  ['memory', 'module'],
  ['cli', 'health', 'metrics', 'tracing', 'lua-runtime'],
  ['decorators', 'interceptors', 'filters', 'scheduled-methods', 'doctor', 'command-line', 'dashboard'],
  ['guards', 'jobs', 'startup', 'dashboard-feeds'],
  ['service', 'nest-schedule'],
  ['ticks', 'groups', 'elections'],
  ['job-control'],
  ['locks'],
  ['counters', 'fair-lock', 'instances', 'lock-list'],
  ['local', 'work'],
  ['waiters'],
  ['holds'],
  ['process-queue'],
  ['acquire'],
  ['core', 'fencing'],
  ['scripts'],
  ['script-runner'],
  ['renewal', 'connections'],
  ['ioredis-client', 'node-redis-client'],
  ['cluster', 'events', 'replies'],
  ['redis', 'redis-source'],
  ['client-port'],
  ['timing', 'instants'],
  ['options'],
  ['errors', 'metadata'],
  ['contracts'],
  ['objects'],
];

/** Rooms that stand beside the house, and import nothing of it. */
export const APART = ['schematics'];

/** The page of the dashboard runs in browsers: it has folders and no rooms, and the clock of the browser. */
export const PAGE = /^libs\/dashboard-page\//;

/** By package of a Redis client: the room that knows it. */
export const CLIENTS = new Map([
  ['ioredis', 'ioredis-client'],
  ['redis', 'node-redis-client'],
]);

/** The room that reads the option `redis` may know the types of clients. */
export const KNOWS_CLIENT_TYPES = 'redis-source';
