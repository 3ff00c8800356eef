import { Cluster, Redis } from 'ioredis';
import { createClient } from 'redis';

const CLUSTER = 'redis-cluster:';

/** The addresses of a cluster's nodes; undefined for one server. @param {string} url */
export function nodesOf(url) {
  return url.startsWith(CLUSTER) ? url.slice(CLUSTER.length).split(',') : undefined;
}

/** A client of one server, or of a cluster. @param {string} url @param {boolean} enableAutoPipelining */
export function connect(url, enableAutoPipelining) {
  const nodes = nodesOf(url);
  return nodes === undefined
    ? new Redis(url, { enableAutoPipelining })
    : new Cluster(nodes, { enableAutoPipelining });
}

/** @typedef {Awaited<ReturnType<typeof connectNodeRedis>>} OfNodeRedis */

/** A client of node-redis for one server, with the calls of ioredis that the limits need. @param {string} url */
export async function connectNodeRedis(url) {
  const client = createClient({ url });
  await client.connect();
  return {
    /** @param {string} sha1 @param {number} keys @param {...(string | number)} words */
    evalsha: (sha1, keys, ...words) =>
      client.evalSha(sha1, {
        keys: words.slice(0, keys).map(String),
        arguments: words.slice(keys).map(String),
      }),
    /** @param {'LOAD'} _load @param {string} text */
    script: (_load, text) => client.scriptLoad(text),
    quit: () => client.close(),
  };
}

/**
 * Has what one turn of the event loop sends share a write to each server.
 * @param {Redis | Cluster} client
 * @returns {() => void} to be called before something is sent
 */
export function corker(client) {
  let isCorked = false;
  return () => {
    if (isCorked) return;
    isCorked = true;
    const streams = (client instanceof Redis ? [client] : client.nodes('master')).map(({ stream }) => stream);
    for (const stream of streams) stream.cork();
    process.nextTick(() => {
      isCorked = false;
      for (const stream of streams) stream.uncork();
    });
  };
}

/** Has all servers know a script. @param {Redis | Cluster | OfNodeRedis} client @param {string} script @returns {Promise<string>} its SHA-1 */
export async function load(client, script) {
  if (!(client instanceof Cluster)) return String(await client.script('LOAD', script));
  await client.ping();
  const all = await Promise.all(client.nodes('master').map((node) => node.script('LOAD', script)));
  return String(all[0]);
}
