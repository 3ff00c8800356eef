/** @typedef {import('rolldown').ChunkingContext} ChunkingContext */

/** What Nest 12 publishes as ES modules only, and what has a copy for each format: each of our formats imports it by itself. */
const NEST = /^@(?:nestjs|opentelemetry)\//;
/** Rooms that only an application needs: a command runs without them. */
const APPLICATION = /[/\\](?:module|decorators|interceptors|filters|schedule|scheduler|guards|jobs)[/\\]/;
/** Rooms that only the testing module needs. */
const TESTING = /[/\\](?:memory|lua-runtime|testing)[/\\]/;
/** The room of the dashboard, which an application loads only if it mounts the page. */
const DASHBOARD = /[/\\]dashboard[/\\]/;
/** The room of each Redis client, which is loaded when a client of its package is used. */
const CLIENTS = /[/\\](ioredis-client|node-redis-client)[/\\]/;
/** Rooms that one format alone has. */
const SINGLE = /[/\\](?:cli|schematics)[/\\]/;

/** The files that both formats load, and the declarations of one of them. */
export const COMMON = ['core', 'memory'];
/** The files that such a file loads when they are needed. */
export const LOADED_LATER = ['ioredis-client', 'node-redis-client'];
export const COMMON_TYPES = 'core.d';

/**
 * How modules are divided into files. What neither imports Nest nor needs a module that does, which is most of the library, stands in
 * two files that both formats load. Of the rest, what several entry points share stands in two files of each format: the rooms of an
 * application import the others, and not the other way round. So there is one copy of each class in a format, and mostly one at all.
 */
export function groupsOfCode() {
  const needsNest = nestFinder();
  /**
   * @param {string} id
   * @param {ChunkingContext} context
   */
  const nameCommon = (id, context) => {
    const [, client] = CLIENTS.exec(id) ?? [];
    if (client !== undefined) return client;
    if (SINGLE.test(id) || DASHBOARD.test(id) || needsNest(id, context)) return null;
    return TESTING.test(id) ? 'memory' : 'core';
  };
  return [
    { name: nameCommon, debugName: 'common', priority: 2 },
    { name: 'dashboard', test: DASHBOARD, priority: 2 },
    { name: 'library', minShareCount: 2, priority: 1, test: isShared },
    { name: 'application', minShareCount: 2 },
  ];
}

/** The same for declarations. Nest 12 is an ES module, so those that name its types are made for each format. */
export function groupsOfTypes() {
  const needsNest = nestFinder();
  /**
   * @param {string} id
   * @param {ChunkingContext} context
   */
  const nameCommon = (id, context) =>
    TESTING.test(id) || DASHBOARD.test(id) || needsNest(id, context) ? null : COMMON_TYPES;
  return [
    { name: nameCommon, debugName: 'common', priority: 1 },
    { name: 'library.d', minShareCount: 2 },
  ];
}

/** @param {string} id */
function isShared(id) {
  return !APPLICATION.test(id);
}

/** @returns {(id: string, context: ChunkingContext) => boolean} whether a module imports Nest, or one that does */
function nestFinder() {
  /** @type {Map<string, boolean>} */
  const known = new Map();
  /** @type {(id: string, context: ChunkingContext) => boolean} */
  const needsNest = (id, context) => {
    const before = known.get(id);
    if (before !== undefined) return before;
    const imported = context.getModuleInfo(id)?.importedIds ?? [];
    const found = NEST.test(id) || imported.some((each) => needsNest(each, context));
    known.set(id, found);
    return found;
  };
  return needsNest;
}
