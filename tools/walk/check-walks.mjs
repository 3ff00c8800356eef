/**
 * Walks through the library as docs/contributing/ does: counts the files and calls of one uncontended using(), of one wake-up and of one tick.
 * Fails when using() is over its budget, or when its page does not name a file that it passes. "--list" prints the files.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT, runNode } from '../build/node.runner.mjs';
import { startRedis } from '../redis/redis.runner.mjs';
import { CallCounter, callsOf } from './call.counter.mjs';

/** One uncontended using(). */
const BUDGET = { files: 40, calls: 300 };
const PAGE = 'docs/contributing/walk-of-one-lock.md';

/** So many calls before the one that is counted: what is made once has been made by then. */
const WARM = 300;
const ROUNDS = 10;

/** @typedef {import('./call.counter.mjs').CalledFile} CalledFile */

if (!(await runNode('tools/build/build.mjs', ['lib']))) process.exit(1);
// It loads the library, which has to be built before.
const { openApp } = await import('./walked.app.mjs');

/** @param {() => Promise<unknown>} work */
async function count(work) {
  const counter = new CallCounter();
  await counter.start();
  await work();
  return counter.stop();
}

/** @param {string} url */
async function walkOfOneLock(url) {
  const { app, locks } = await openApp(url);
  const call = () => locks.getLock('orders').using(async () => undefined);
  for (let warm = 0; warm < WARM; warm += 1) await call();
  /** @type {CalledFile[][]} */
  const walks = [];
  for (let round = 0; round < ROUNDS; round += 1) walks.push(await count(call));
  await app.close();
  // A timer that runs meanwhile adds its own calls: the walk of the lock alone is the shortest.
  return walks.reduce((least, walk) => (callsOf(walk) < callsOf(least) ? walk : least));
}

/** From the release of another process to the handle of a caller that sleeps. @param {string} url */
async function walkOfOneWakeUp(url) {
  const { app, locks } = await openApp(url);
  const holder = fork(new URL('other.holder.mjs', import.meta.url), [url]);
  await once(holder, 'message');
  /** @param {'lock' | 'unlock' | 'close'} request */
  const ask = async (request) => {
    const answer = once(holder, 'message');
    holder.send(request);
    await answer;
  };
  /** @type {CalledFile[]} */
  let walk = [];
  for (let round = 0; round < 10; round += 1) {
    await ask('lock');
    const waiting = locks.getLock('orders').lock();
    // Asleep: its second request is answered.
    await delay(100);
    walk = await count(async () => {
      await ask('unlock');
      await waiting;
    });
    await (await waiting).unlock();
  }
  await ask('close');
  await app.close();
  return walk;
}

/** From one run to the end of the next one. @param {string} url */
async function walkOfOneTick(url) {
  let ran = () => undefined;
  /** @type {() => Promise<void>} */
  const nextRun = () => new Promise((resolve) => (ran = /** @type {() => undefined} */ (resolve)));
  const { app } = await openApp(url, () => ran());
  for (let warm = 0; warm < 3; warm += 1) await nextRun();
  await delay(200);
  const walk = await count(async () => {
    await nextRun();
    await delay(200);
  });
  await app.close();
  return walk;
}

/**
 * @param {string} name
 * @param {readonly CalledFile[]} walk
 */
function report(name, walk) {
  let functions = 0;
  for (const file of walk) functions += file.functions.length;
  console.log(`${name}: ${walk.length} files, ${functions} functions, ${callsOf(walk)} calls`);
  if (!process.argv.includes('--list')) return;
  for (const file of walk) {
    const names = file.functions.map(({ name: called, calls }) => `${called}×${calls}`).join(' ');
    console.log(`  ${callsOf([file])} ${file.file}: ${names}`);
  }
}

const redis = await startRedis();
const lock = await walkOfOneLock(redis.url);
report('one lock', lock);
report('one wake-up', await walkOfOneWakeUp(redis.url));
report('one tick', await walkOfOneTick(redis.url));
await redis.stop();

const page = await readFile(join(ROOT, PAGE), 'utf8');
const problems = lock
  .filter(({ file }) => !page.includes(`\`${file}\``))
  .map(({ file }) => `${PAGE} does not name ${file}`);
if (lock.length > BUDGET.files) problems.push(`one lock passes ${lock.length} files of ${BUDGET.files}`);
if (callsOf(lock) > BUDGET.calls) problems.push(`one lock makes ${callsOf(lock)} calls of ${BUDGET.calls}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
