import * as scripts from '../../libs/distributed-lock/src/scripts/generated/lua.scripts.js';
import { amount, put, read, type Amount, type Counter, type Operation } from './counter.stage.js';
import { coarse, type ProtocolStage } from './protocol.stage.js';

type Value = number | string;

/** The score of a permit that never expires, as Java writes it. */
export const NEVER = '922337203685477';

const keys = ({ key, timeout }: Counter) => [key, timeout];
const queueKeys = ({ key, timeout, waiting }: Counter) => [key, timeout, waiting];

/** The client of calls that name none. */
const CLIENT = '6e38a1f0-0000-4000-8000-00000000000f';

export const acquire = (permit: string, lease: Value, waits = 0, client = CLIENT): Operation => ({
  script: scripts.permitAcquire,
  keys: queueKeys,
  args: ({ semaphoreChannel }) => [permit, client, lease, waits, semaphoreChannel],
});

export const release = (permit: string, client = CLIENT, lease = 0): Operation => ({
  script: scripts.permitRelease,
  shared: [lease],
  keys: queueKeys,
  args: ({ semaphoreChannel }) => [permit, client, semaphoreChannel],
});

export interface Wait {
  readonly lease?: number | string;
  readonly life?: number | string;
  readonly soon?: number | string;
  readonly ticket?: number | string;
  readonly listens?: boolean;
}

export const wait = (
  permit: string,
  client: string,
  { lease = 10_000, life = 60_000, soon = 0, ticket = 0, listens = false }: Wait = {},
): Operation => ({
  script: scripts.permitWait,
  shared: [lease, life, soon],
  keys: queueKeys,
  args: ({ semaphoreChannel }) => [permit, client, ticket, listens ? 1 : 0, semaphoreChannel],
});

export const pass = ({ absent = '', leaving = '', yields = false, lease = 0 } = {}): Operation => ({
  script: scripts.permitPass,
  keys: queueKeys,
  args: ({ semaphoreChannel }) => [absent, leaving, yields ? 1 : 0, lease, semaphoreChannel],
});

export const renew = (permit: string, lease: Value, manner = 'raise'): Operation => ({
  script: scripts.permitRenew,
  keys,
  args: ({ semaphoreChannel }) => [permit, lease, manner, semaphoreChannel],
});

export const inspect = (permit = ''): Operation => ({
  script: scripts.permitInspect,
  keys,
  args: ({ semaphoreChannel }) => [permit, semaphoreChannel],
});

export const resize = (total: Value): Operation => ({
  script: scripts.permitResize,
  keys,
  args: ({ semaphoreChannel }) => [total, semaphoreChannel],
});

/** A semaphore whose permits expire: what is available, and what is left of each taken permit in ms, rounded, or `never`. */
export interface Permits {
  readonly available: Amount;
  readonly taken: Readonly<Record<string, number | 'never'>>;
  /** The ttl of the taken permits' key. @default -1 */
  readonly ttl?: number;
}

export const permits = (
  available: number | 'none',
  taken: Permits['taken'] = {},
  ttl: number | undefined = undefined,
): Permits => ({
  available: available === 'none' ? 'none' : amount(available, ttl),
  taken,
  ...(ttl && { ttl }),
});

/** Puts a state; a permit with less than nothing left has expired already. */
export async function putPermits(stage: ProtocolStage, counter: Counter, state: Permits): Promise<void> {
  await put(stage, counter.key, state.available);
  await stage.redis.del(counter.timeout);
  const now = await stage.now();
  for (const [permit, left] of Object.entries(state.taken)) {
    const score = left === 'never' ? NEVER : `${now + left}`;
    await stage.redis.zadd(counter.timeout, score, Buffer.from(permit, 'hex'));
  }
  if (state.ttl !== undefined) await stage.redis.pexpire(counter.timeout, state.ttl);
}

/** Reads a state as {@link putPermits} takes it, with every time rounded as {@link coarse} does. */
export async function readPermits(stage: ProtocolStage, counter: Counter): Promise<Permits> {
  const now = await stage.now();
  const members = await stage.redis.zrangeBuffer(counter.timeout, 0, '-1', 'WITHSCORES');
  const pairs = members.flat();
  const taken: Record<string, number | 'never'> = {};
  for (let i = 0; i < pairs.length; i += 2) {
    const score = String(pairs[i + 1]);
    taken[String(pairs[i]?.toString('hex'))] =
      score === NEVER ? 'never' : Number(coarse(Number(score) - now));
  }
  const ttl = Number(coarse(await stage.redis.pttl(counter.timeout)));
  return { available: await read(stage, counter.key), taken, ...(ttl > 0 && { ttl }) };
}
