import type { LockHandle } from 'nestjs-distributed-lock';
import { until } from '../../support/until.js';
import { isDeclared } from '../../support/declared.keys.js';
import { DegradedApp, logged, type Run } from './degraded.app.js';
import { DegradedStage } from './degraded.stage.js';
import type { RedisState } from './redis.states.js';
import { endingOf, RepeatedCalls, type Ending } from './repeated.calls.js';

/** Pauses between calls, in ms. */
const PAUSE = { tryLock: 100, handler: 20, free: 50 };
/** The state lasts for two ticks at least, in ms. */
const DURATION = 2200;
/** Calls that must have met it, whatever else the machine does. */
const ENOUGH = 12;
/** How long its return is looked at, in ms. */
const PATIENCE = 8000;

/** What an application saw while Redis was in a state, and after its return. Times in ms. */
export interface Episode {
  /** Of calls that were made and ended meanwhile. */
  readonly tryLock: readonly Ending[];
  readonly handler: readonly Ending[];
  readonly boundedLock: Ending;
  readonly unlock: Ending;
  /** How a `lock()` without a bound had ended by the return; undefined: it still waited. */
  readonly lock: Ending | undefined;
  /** All requests for what needs no lock, until the end. */
  readonly free: readonly Ending[];
  /** A guarded handler's answer meanwhile. */
  readonly answer: { readonly retryAfter: string | null; readonly body: unknown };
  /** Work that began meanwhile. */
  readonly runs: readonly Run[];
  /** All work that began without its lock. */
  readonly unlocked: readonly Run[];
  /** How long after the return each call had what it asked for. */
  readonly recovery: Readonly<Record<'tryLock' | 'lock' | 'handler' | 'cron', number>>;
  /** How long after the return the key of the unlocked hold was gone; negative: before. Infinity: it stayed. */
  readonly freed: number;
  /** What the library logged meanwhile about its locks. */
  readonly lines: readonly string[];
  /** Keys that nobody has any more, when all was over. */
  readonly leftovers: readonly string[];
}

/**
 * Lets an application meet a state of Redis, and Redis' return.
 * @param lease of the hold that is unlocked meanwhile, in ms
 */
export async function play(state: RedisState, lease: number): Promise<Episode> {
  const stage = await DegradedStage.open(state.args);
  try {
    const app = await DegradedApp.start(state.slug, state.source(stage));
    try {
      return await watch(state, stage, app, lease);
    } finally {
      await app.close();
    }
  } finally {
    await stage.close();
  }
}

async function watch(
  state: RedisState,
  stage: DegradedStage,
  app: DegradedApp,
  lease: number,
): Promise<Episode> {
  const { locks } = app;
  const lock = (name: string) => locks.getLock(`${name}:${state.slug}`);
  const mine = await lock('mine').lock({ leaseTime: lease });
  await app.ticked();

  await state.begin(stage);
  const begun = performance.now();
  const calls = {
    tryLock: new RepeatedCalls(() => take(() => lock('try').tryLock()), PAUSE.tryLock),
    handler: new RepeatedCalls(() => status(`${app.url}/guarded`), PAUSE.handler),
    free: new RepeatedCalls(() => status(`${app.url}/free`), PAUSE.free),
  };
  let lockEnding: Ending | undefined;
  const waiting = endingOf(() => take(() => lock('wait').lock())).then((ending) => (lockEnding = ending));
  const unlock = endingOf(() => mine.unlock());
  const [boundedLock, answer] = await Promise.all([
    endingOf(() => take(() => lock('bounded').lock({ waitTime: 700 }))),
    answerOf(`${app.url}/guarded`),
  ]);
  const isTold = () => logged.some((line) => line.includes(`"job:${state.slug}" could not be claimed`));
  const isSeen = () => calls.handler.endings.length >= ENOUGH && calls.tryLock.endings.length >= ENOUGH;
  await until(
    'the state has lasted, and everybody has met it',
    () => performance.now() - begun > DURATION && isTold() && isSeen(),
    8000,
  );
  const ending = performance.now();
  const lockBefore = lockEnding;
  const lines = logged.filter((line) => line.includes(`:${state.slug}"`));
  await state.end(stage);
  const back = performance.now();

  const recovered = {
    tryLock: () => calls.tryLock.firstLike('granted', back),
    handler: () => calls.handler.firstLike('200', back),
    lock: () => (lockEnding?.how === 'granted' ? Math.max(lockEnding.at + lockEnding.took, back) : Infinity),
    cron: () => app.runsOf('cron', back)[0]?.at ?? Infinity,
  };
  // What was refused for good asks again.
  if (lockBefore !== undefined)
    lockEnding = await endingOf(() => take(() => lock('wait').lock({ waitTime: PATIENCE })));
  const key = locks.settings.mapName(mine.name);
  let freed = Infinity;
  const isFreed = async () => {
    if (freed === Infinity && (await stage.admin.exists(key)) === 0) freed = performance.now() - back;
    return freed !== Infinity;
  };
  await until(
    'all goes on',
    async () => (await isFreed()) && Object.values(recovered).every((at) => at() !== Infinity),
    PATIENCE,
  ).catch(() => undefined);
  await Promise.all([...Object.values(calls).map((each) => each.stop()), waiting]);
  return {
    tryLock: calls.tryLock.between(begun, ending),
    handler: calls.handler.between(begun, ending),
    free: calls.free.endings,
    boundedLock,
    unlock: await unlock,
    lock: lockBefore,
    answer,
    runs: app.runs.filter(({ at }) => at >= begun && at < ending),
    unlocked: app.runs.filter(({ isLocked }) => !isLocked),
    recovery: {
      tryLock: recovered.tryLock() - back,
      handler: recovered.handler() - back,
      lock: recovered.lock() - back,
      cron: recovered.cron() - back,
    },
    freed,
    lines,
    leftovers: await leftovers(stage, key),
  };
}

/** Lets go again at once of what it gets. */
async function take(call: () => Promise<LockHandle | null>): Promise<string> {
  const handle = await call();
  if (handle === null) return 'refused';
  // A release without an answer goes on in the background; that is another cell's matter.
  await handle.unlock().catch(() => undefined);
  return 'granted';
}

async function status(url: string): Promise<number> {
  const response = await fetch(url);
  await response.arrayBuffer();
  return response.status;
}

async function answerOf(url: string): Promise<Episode['answer']> {
  const response = await fetch(url);
  return { retryAfter: response.headers.get('retry-after'), body: await response.json() };
}

/** Grants that came too late for their callers are taken back in the background. */
async function leftovers(stage: DegradedStage, mine: string): Promise<string[]> {
  let left: string[] = [];
  const look = async () => {
    const keys = await stage.admin.keys('*lock:*');
    left = keys.filter((key) => key !== mine && !isDeclared(key));
    return left.length === 0;
  };
  await until('nothing is left', look).catch(() => undefined);
  return left;
}
