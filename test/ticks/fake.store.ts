import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '../../tools/redis/redis.runner.mjs';
import { findFakeClock, type FakeClock } from './fake.clock.js';
import { TickFleet } from './tick.fleet.js';

const fake = await findFakeClock();
/** Whether there is libfaketime. */
export const HAS_FAKE_CLOCK = typeof fake !== 'string';
if (typeof fake === 'string') console.warn(`SKIPPED, no libfaketime: ${fake}`);

/** Starts take turns: the environment of this process is what a server inherits. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Gives a fleet on a Redis whose clock is off.
 * @param offset in seconds
 * @param use `set` gives the clock another offset
 */
export async function onFakeStore(
  offset: number,
  use: (fleet: TickFleet, set: (offset: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'clock-'));
  const file = join(folder, 'offset');
  // Whoever reads an empty file dies of it: it is never seen half written.
  const set = async (seconds: number) => {
    await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    await rename(`${file}.new`, file);
  };
  await set(offset);
  const started = turn.then(() => startWith(fake, file));
  turn = started.catch(() => undefined);
  const redis = await started;
  const fleet = new TickFleet(redis.url);
  try {
    const off = ((await fleet.storeNow()) - Date.now()) / 1000 - offset;
    if (Math.abs(off) > 5) throw new Error(`the clock of Redis is ${off} s from what it was set to`);
    await use(fleet, set);
  } finally {
    await fleet.end();
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function startWith(clock: FakeClock | string, file: string): ReturnType<typeof startRedis> {
  if (typeof clock === 'string') throw new Error(clock);
  const env = clock.envFor(file);
  Object.assign(process.env, env);
  try {
    return await startRedis();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
}
