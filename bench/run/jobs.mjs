/** What processes of contestants do. Instants are in ms of the machine's monotonic clock, which all processes share. */
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {import('../bench.types.js').Contestant} Contestant */
/** @typedef {import('../bench.types.js').Figures} Figures */
/** @typedef {import('../bench.types.js').Manner} Manner */

const instant = () => Number(process.hrtime.bigint()) / 1e6;

/** The lock that this process holds for others to wait for, and how to release it. @type {(() => Promise<unknown>) | undefined} */
let drop;

/** Waiters that were started. @type {{ readonly grants: number[], readonly order: number[], readonly ends: readonly Promise<void>[] } | undefined} */
let waiters;

/** What is kept. @type {unknown[]} */
let kept = [];

/**
 * Callers that lock and unlock, one after the other, without anybody in their way.
 * @param {Contestant} contestant
 * @param {{ prefix: string, callers: number, each: number, manner: Manner, distinct?: number }} options `distinct`: go through so many locks instead of one each
 * @returns {Promise<Figures>}
 */
export async function pairs(contestant, { prefix, callers, each, manner, distinct = callers }) {
  const take = contestant.tryAcquire ?? contestant.acquire;
  const pair = async (/** @type {string} */ name) => {
    const held = await take(name);
    if (held === null || held === undefined) throw new Error(`${name} was refused`);
    await contestant.release(held);
  };
  const section = async (/** @type {string} */ name) => {
    await contestant.using?.(name, () => undefined);
  };
  const once = manner === 'section' ? section : pair;
  /** @type {number[]} */
  const latencies = [];
  const caller = async (/** @type {number} */ index) => {
    for (let turn = 0; turn < each; turn += 1) {
      const name = `${prefix}:${(index + turn * callers) % Math.max(distinct, callers)}`;
      const start = performance.now();
      await once(name);
      latencies.push(performance.now() - start);
    }
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  const count = callers * each;
  return { count, perSecond: (count * 1000) / ms, cpu: (user + system) / count, ...quantiles(latencies) };
}

/** Takes a lock, so that others wait for it. @param {Contestant} contestant @param {{ name: string }} options @returns {Promise<Figures>} */
export async function hold(contestant, { name }) {
  const held = await contestant.acquire(name);
  drop = () => contestant.release(held);
  return {};
}

/** Releases it. @returns {Promise<Figures>} when it was told to */
export async function release() {
  const at = instant();
  await drop?.();
  return { at };
}

/**
 * Has work done under a lock.
 * @param {Contestant} contestant
 * @param {Manner} manner
 * @param {string} name
 * @param {() => Promise<void> | void} work
 */
async function under(contestant, manner, name, work) {
  if (manner === 'section') {
    await contestant.using?.(name, work);
    return;
  }
  const held = await contestant.acquire(name);
  const done = work();
  if (done !== undefined) await done;
  await contestant.release(held);
}

/**
 * Starts waiters, each of which releases at once what it gets.
 * @param {Contestant} contestant
 * @param {{ name: string, count: number, manner: Manner }} options
 * @returns {Promise<Figures>}
 */
export async function wait(contestant, { name, count, manner }) {
  /** @type {number[]} */
  const grants = [];
  /** @type {number[]} */
  const order = [];
  const one = (/** @type {number} */ index) =>
    under(contestant, manner, name, () => {
      grants.push(instant());
      order.push(index);
    });
  waiters = { grants, order, ends: Array.from({ length: count }, (_, index) => one(index)) };
  await sleep(0);
  return {};
}

/** @returns {Promise<Figures>} when each of them got it, in the order in which they did; `inversions`: pairs of neighbours out of their order */
export async function drained() {
  const { grants = [], order = [], ends = [] } = waiters ?? {};
  await Promise.all(ends);
  const inversions = order.filter((index, place) => index < (order[place - 1] ?? -1)).length;
  return { grants, inversions };
}

/**
 * Callers that take one lock again and again for some time.
 * @param {Contestant} contestant
 * @param {{ name: string, callers: number, ms: number, settle?: number, work?: number, manner?: Manner }} options `settle`: for how long before
 *   they do the same, not counted; `work`: how long each holds it, in ms
 * @returns {Promise<Figures>}
 */
export async function loop(contestant, { name, callers, ms, settle = 0, work = 0, manner = 'pair' }) {
  /** @type {number[]} */
  const grants = [];
  /** @type {number[]} */
  const releases = [];
  /** @type {number[]} */
  const waits = [];
  const begin = instant() + settle;
  const end = begin + ms;
  const counts = (/** @type {number} */ granted) => granted >= begin && granted < end;
  const sleepUntilRelease = async (/** @type {number} */ granted) => {
    await sleep(work);
    if (counts(granted)) releases.push(instant());
  };
  const caller = async () => {
    for (let asked = instant(); asked < end; asked = instant()) {
      await under(contestant, manner, name, () => {
        const granted = instant();
        if (granted >= begin) waits.push(granted - asked);
        if (counts(granted)) grants.push(granted);
        return work > 0 ? sleepUntilRelease(granted) : undefined;
      });
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const { p50, p99, most } = quantiles(waits);
  return {
    count: grants.length,
    grants: work > 0 ? grants : [],
    releases,
    waitP50: p50,
    waitP99: p99,
    waitMost: most,
  };
}

/** The instances of the application in this process, where there are several. @type {Contestant[]} */
let crew = [];

/**
 * Has the process have that many instances of the application.
 * @param {Contestant} contestant
 * @param {{ instances: number }} options
 * @returns {Promise<Figures>}
 */
export async function join(contestant, { instances }) {
  if (crew.length === 0) crew.push(contestant);
  while (crew.length < instances) {
    const next = await contestant.another?.();
    if (next === undefined) throw new Error('has one instance in a process');
    crew.push(next);
  }
  return {};
}

/**
 * As `loop`, by callers of each instance.
 * @param {Contestant} _
 * @param {{ name: string, callers: number, ms: number, settle: number, work: number }} options
 * @returns {Promise<Figures>} `counts` of each instance, and the longest wait of each
 */
export async function fleet(_, options) {
  const all = await Promise.all(crew.map((contestant) => loop(contestant, options)));
  const samples = (/** @type {string} */ key) =>
    all.flatMap((figures) => /** @type {readonly number[]} */ (figures[key]));
  return {
    counts: all.map(({ count }) => Number(count)),
    waits: all.map(({ waitMost }) => Number(waitMost)),
    grants: samples('grants'),
    releases: samples('releases'),
  };
}

/**
 * A caller of each instance comes now and then, at random times, and takes one of several locks.
 * @param {Contestant} _
 * @param {{ name: string, locks: number, pause: number, ms: number, work: number }} options `pause`: between two calls of one, in ms, on average;
 *   `work`: how long each holds it, in ms
 * @returns {Promise<Figures>} the waits
 */
export async function visit(_, { name, locks, pause, ms, work }) {
  const end = instant() + ms;
  /** @type {number[]} */
  const waits = [];
  const caller = async (/** @type {Contestant} */ contestant) => {
    const nextIn = () => -Math.log(1 - Math.random()) * pause;
    for (let left = nextIn(); instant() + left < end; left = nextIn()) {
      await sleep(left);
      const asked = instant();
      const held = await contestant.acquire(`${name}:${Math.floor(Math.random() * locks)}`);
      waits.push(instant() - asked);
      await sleep(work);
      await contestant.release(held);
    }
  };
  await Promise.all(crew.map(caller));
  return { waits };
}

/** Takes that many locks and keeps them. @param {Contestant} contestant @param {{ prefix: string, count: number }} options @returns {Promise<Figures>} */
export async function keep(contestant, { prefix, count }) {
  for (let from = 0; from < count; from += 100) {
    const names = Array.from(
      { length: Math.min(100, count - from) },
      (_, index) => `${prefix}:${from + index}`,
    );
    kept.push(...(await Promise.all(names.map((name) => contestant.acquire(name)))));
  }
  return {};
}

/** Gives back what was kept. @param {Contestant} contestant @returns {Promise<Figures>} */
export async function free(contestant) {
  for (let from = 0; from < kept.length; from += 100)
    await Promise.all(kept.slice(from, from + 100).map((held) => contestant.release(held)));
  const count = kept.length;
  kept = [];
  return { count };
}

/** What its schedule has done since the last look. @param {Contestant} contestant @returns {Promise<Figures>} */
export async function look(contestant) {
  return contestant.look?.() ?? {};
}

/** Lets time pass. @param {Contestant} _ @param {{ ms: number }} options @returns {Promise<Figures>} `cpu` of the process meanwhile, in ms */
export async function rest(_, { ms }) {
  const before = process.cpuUsage();
  await sleep(ms);
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000 };
}

/** @returns {Promise<Figures>} the heap in use, in bytes, garbage collected */
export async function heap() {
  for (let time = 0; time < 4; time += 1) {
    globalThis.gc?.();
    await sleep(20);
  }
  return { bytes: process.memoryUsage().heapUsed };
}

/** @param {number[]} samples */
function quantiles(samples) {
  const sorted = Float64Array.from(samples).toSorted();
  const at = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), most: sorted.at(-1) ?? NaN };
}
