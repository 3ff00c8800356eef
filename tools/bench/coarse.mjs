/**
 * Coarse figures for S1 to S3: this library against the raw script pair through the same ioredis, interleaved in one run.
 * S1: one caller, no contention. S2: 64 callers, a lock each. S3: 50 waiters in one process on one lock, a burst.
 * Usage: npm run bench:coarse [-- --rounds 5]
 */
import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { NestFactory } from '@nestjs/core';
import { Redis } from 'ioredis';
import { DistributedLockModule, LockService } from 'nestjs-distributed-lock';
import { provideRedis } from '../redis/redis.runner.mjs';

const ACQUIRE = `if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('HSET', KEYS[1], ARGV[1], 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[2]) return nil end return redis.call('PTTL', KEYS[1])`;
const RELEASE = `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
  redis.call('DEL', KEYS[1]) redis.call('PUBLISH', ARGV[2], '0') return 1`;

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);

const server = await provideRedis();
const client = new Redis(server.url);
await client.flushall();
const app = await NestFactory.createApplicationContext(DistributedLockModule.forRoot({ redis: server.url }), {
  logger: false,
});
const service = app.get(LockService);
const acquire = String(await client.script('LOAD', ACQUIRE));
const release = String(await client.script('LOAD', RELEASE));

/** @param {string} name @param {string} holder */
async function rawPair(name, holder) {
  await client.evalsha(acquire, 1, name, holder, '30000');
  await client.evalsha(release, 1, name, holder, `channel:${name}`);
}

/** @param {string} name */
async function libraryPair(name) {
  const handle = await service.getLock(name).tryLock();
  if (handle === null) throw new Error(`lock ${name} was refused`);
  await handle.unlock();
}

/** @param {number} callers @param {number} each @param {(caller: number) => Promise<unknown>} pair */
async function perSecond(callers, each, pair) {
  const start = performance.now();
  const caller = async (/** @type {number} */ index) => {
    for (let turn = 0; turn < each; turn += 1) await pair(index);
  };
  await Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  return (callers * each * 1000) / (performance.now() - start);
}

/** The raw pair behind a queue in the process: each waiter takes the lock in Redis when the one before it has released. */
async function rawBurst() {
  const start = performance.now();
  let tail = Promise.resolve();
  for (let waiter = 0; waiter < 50; waiter += 1) tail = tail.then(() => rawPair('raw:s3', `h:${waiter}`));
  await tail;
  return 50_000 / (performance.now() - start);
}

/** @param {number | undefined} leaseTime */
async function libraryBurst(leaseTime) {
  const lock = service.getLock('s3');
  const first = await lock.lock();
  const waiting = Array.from({ length: 50 }, () => lock.using(() => undefined, { leaseTime }));
  const start = performance.now();
  await first.unlock();
  await Promise.all(waiting);
  return 50_000 / (performance.now() - start);
}

const scenarios = {
  'S1 raw pair': () => perSecond(1, 3000, () => rawPair('raw:s1', 'h:1')),
  'S1 library': () => perSecond(1, 3000, () => libraryPair('s1')),
  'S2 raw pair': () => perSecond(64, 200, (caller) => rawPair(`raw:s2:${caller}`, 'h:1')),
  'S2 library': () => perSecond(64, 200, (caller) => libraryPair(`s2:${caller}`)),
  'S3 raw pair': rawBurst,
  'S3 library': () => libraryBurst(undefined),
  'S3 library, explicit leases': () => libraryBurst(30_000),
};

/** @type {Map<string, number[]>} */
const figures = new Map(Object.keys(scenarios).map((name) => [name, []]));
for (let round = 0; round <= rounds; round += 1) {
  for (const [name, run] of Object.entries(scenarios)) {
    const figure = await run();
    // The first round warms up.
    if (round > 0) figures.get(name)?.push(figure);
  }
}

/** @param {string} name */
function median(name) {
  const sorted = (figures.get(name) ?? []).toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

console.log(`medians of ${rounds} interleaved rounds, per second`);
for (const name of figures.keys()) {
  const ratio = median(name) / median(`${name.slice(0, 2)} raw pair`);
  console.log(
    `${name.padEnd(30)} ${Math.round(median(name)).toString().padStart(8)}   ${ratio.toFixed(2)} x the raw pair`,
  );
}

await app.close();
client.disconnect();
await server.stop();
