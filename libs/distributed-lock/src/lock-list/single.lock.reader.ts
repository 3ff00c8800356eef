import { RedisFailure } from '../redis/redis.failure.js';
import type { ServerPort, ServerSession } from '../connections/server.session.js';
import {
  latchChannel,
  lockChannel,
  prefixName,
  readersChannel,
  readWriteChannel,
  semaphoreChannel,
  suffixName,
} from '../scripts/wire.names.js';
import type { HolderView, LockView, ViewKind } from './lock.view.js';

/** A holder on the wire; Redisson's ends with the number of a thread. */
const HOLDER = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:\d+$/;

/** A place in a queue of processes: a holder id, or at a semaphore a client with the id of a permit or of a call. What is no place there is a listener. */
const PLACE = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}:(?:\d+|[\da-f]{32})$/;

/** The number of waiters of a queue that are shown. */
const SHOWN = 100;

/** The characters of the longest number of permits. A string that is longer is none, and may be large. */
const LONGEST_COUNT = 16;

/** Reads the lock at a key, without changing it. @param name for the view @throws RedisFailure */
export async function readLock(session: ServerSession, key: string, name: string): Promise<LockView> {
  const server = session.serverOf(key);
  const type = String(await server.ask('TYPE', key));
  const base = { name, key, holders: [], queue: [], waiting: 0, places: [], listeners: undefined };
  if (type === 'string') return { ...base, ...(await readCount(session, key)) };
  if (type !== 'hash' && type !== 'none') return { ...base, kind: 'something else', ttl: -1 };
  if (type === 'hash' && !isFieldOfLock(await server.ask('HRANDFIELD', key)))
    return { ...base, kind: 'something else', ttl: Number(await server.ask('PTTL', key)) };
  const queueKey = prefixName('redisson_lock_queue', key);
  const [fields, ttl, queue, waiting, token, record, processes] = await Promise.all([
    server.ask('HGETALL', key),
    server.ask('PTTL', key),
    server.ask('LRANGE', queueKey, '0', `${SHOWN - 1}`),
    server.ask('LLEN', queueKey),
    server.ask('EXISTS', prefixName('redisson_lock_token', key)),
    server.ask('EXISTS', suffixName(key, 'tick')),
    readProcesses(session, key, [lockChannel(key), readWriteChannel(key)], readersChannel(key)),
  ]);
  const { mode, holders } = readHolders(fields);
  const waiters = Number(waiting);
  // A fair lock without waiters looks like any other one.
  const plain: ViewKind =
    waiters > 0 ? 'fair lock' : token === 1 ? 'fenced lock' : record === 1 ? 'lock of a job' : 'lock';
  const kind = mode === undefined ? plain : mode === 'read' ? 'read lock' : 'write lock';
  const isHeld = holders.length > 0;
  return {
    ...base,
    kind: type === 'none' && waiters === 0 ? 'free' : isHeld || type === 'none' ? kind : 'something else',
    holders,
    ttl: Number(ttl),
    queue: Array.isArray(queue) ? queue.map(String) : [],
    waiting: waiters,
    ...processes,
  };
}

/** Whether a field may be one of a lock: a hash with others is none of ours, and may be large. No field where it is gone by now. */
function isFieldOfLock(field: unknown): boolean {
  return typeof field !== 'string' || field === 'mode' || HOLDER.test(holderOf(field));
}

/** The holder of a field: its write holds have one beside its read holds. */
function holderOf(field: string): string {
  return field.replace(/:write$/, '');
}

async function readCount(
  session: ServerSession,
  key: string,
): Promise<Pick<LockView, 'kind' | 'ttl'> & Partial<LockView>> {
  const server = session.serverOf(key);
  const [length, ttl] = await Promise.all([lengthOf(server, key), server.ask('PTTL', key)]);
  const value = length > LONGEST_COUNT ? undefined : await server.ask('GET', key);
  if (!/^-?\d{1,15}$/.test(String(value))) return { kind: 'something else', ttl: Number(ttl) };
  const channels = [semaphoreChannel(key), latchChannel(key)];
  const [leases, processes] = await Promise.all([
    server.ask('EXISTS', suffixName(key, 'timeout')),
    readProcesses(session, key, channels),
  ]);
  return {
    kind: leases === 1 ? 'semaphore' : 'semaphore or latch',
    left: Number(value),
    ttl: Number(ttl),
    ...processes,
    // The id of a permit that is to come, or of a call, says nothing.
    places: processes.places.map((place) => place.replace(/:.*/, '')),
  };
}

/** The length of a string; 0 where it cannot be read: it was no permission of a user once, and the store of tests has no such command. */
async function lengthOf(server: ServerPort, key: string): Promise<number> {
  try {
    return Number(await server.ask('STRLEN', key));
  } catch (error) {
    const { kind, isTransient, isRedirection } = RedisFailure.from(error);
    if (kind === 'refused' && !isTransient && !isRedirection) return 0;
    throw error;
  }
}

function readHolders(reply: unknown): { mode: string | undefined; holders: HolderView[] } {
  let mode: string | undefined;
  const holders: HolderView[] = [];
  for (const [field, value] of pairs(reply)) {
    const holder = holderOf(field);
    if (field === 'mode') mode = value;
    else if (HOLDER.test(holder)) holders.push({ holder, count: Number(value) });
  }
  return { mode, holders };
}

function pairs(reply: unknown): [string, string][] {
  if (!Array.isArray(reply)) return [];
  return reply.flatMap((field: unknown, index): [string, string][] =>
    index % 2 === 0 ? [[String(field), String(reply[index + 1])]] : [],
  );
}

/**
 * The processes that wait: those with a place in the queue of a lock or a semaphore, and the connections that listen to the `channels`
 * beside the listeners of that queue.
 * @param readers the channel of processes that wait to read, and may be listeners of the queue as well
 */
async function readProcesses(
  session: ServerSession,
  key: string,
  channels: readonly string[],
  readers?: string,
): Promise<Pick<LockView, 'places' | 'listeners'>> {
  const server = session.serverOf(key);
  try {
    const [counts, members] = await Promise.all([
      server.ask(
        'PUBSUB',
        session.isCluster ? 'SHARDNUMSUB' : 'NUMSUB',
        ...channels,
        ...(readers ? [readers] : []),
      ),
      server.ask('ZRANGE', suffixName(key, 'waiting'), '0', '-1'),
    ]);
    const listening = pairs(counts).map(([, count]) => Number(count));
    const reading = listening[channels.length] ?? 0;
    const all = listening.slice(0, channels.length).reduce((sum, count) => sum + count, 0);
    const queue = Array.isArray(members) ? members.map(String) : [];
    const places = queue.filter((member) => PLACE.test(member));
    const others = Math.max(all - (queue.length - places.length), reading);
    return { places: places.slice(0, SHOWN), listeners: places.length + others };
  } catch (error) {
    // The number of listeners is useful, and not worth a permission.
    if (error instanceof RedisFailure && error.kind === 'refused')
      return { places: [], listeners: undefined };
    throw error;
  }
}
