import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { StoreLog, type LoggedCommand } from '../support/store.log.js';
import { KindStage } from './kind.stage.js';
import type { KindWorker } from './kind.worker.js';
import { machineTime } from './machine.clock.js';

const RUNS = 10;
const PROCESSES = 3;
const WAITERS = 20 * PROCESSES;
const APART = 5;
const options = { timeout: scaled(60_000) };

/** How many pairs stand the other way round in `order`; both are of the same members. */
function inversions(order: readonly string[], wanted: readonly string[]): number {
  const places = order.map((member) => wanted.indexOf(member));
  return places.reduce(
    (sum, place, index) => sum + places.slice(index + 1).filter((later) => later < place).length,
    0,
  );
}

function workerAt(workers: readonly KindWorker[], index: number): KindWorker {
  const worker = workers[index];
  if (worker === undefined) throw new Error(`there is no worker ${index}`);
  return worker;
}

/** The holders in the order in which their first attempts ran in Redis. */
function arrivals(log: readonly LoggedCommand[], holders: readonly string[]): string[] {
  const known = new Set(holders);
  const words = log.filter(({ isInner }) => !isInner).flatMap((command) => command.words);
  return [...new Set(words.filter((word) => known.has(word)))];
}

test(
  `${PROCESSES} processes with 20 waiters each, ${APART} ms apart, are granted in the order of their arrival`,
  options,
  () =>
    KindStage.play('own', async (stage) => {
      const { faults } = stage;
      const holder = await faults.open();
      const workers = await Promise.all(Array.from({ length: PROCESSES }, () => stage.fork()));
      const byNumber = (number: number) => workerAt(workers, number % PROCESSES);
      const numbers = Array.from({ length: WAITERS }, (_, number) => number);
      const seen: number[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        const name = `x${run}`;
        const id = (number: number) => run * WAITERS + number;
        const log = new StoreLog(faults.admin, faults.port, faults.services.prefix);
        await log.start();
        const held = await holder.getFairLock(name).lock();
        for (const number of numbers) {
          byNumber(number).take(id(number), 'fair', name, 0);
          await sleep(APART);
        }
        await stage.queued(name, WAITERS);
        const start = machineTime();
        await held.unlock();
        const ends = await Promise.all(numbers.map((number) => byNumber(number).told('ended', id(number))));
        expect(new Set(ends.map(({ how }) => how))).toEqual(new Set(['released']));
        const grants = await Promise.all(
          numbers.map((number) => byNumber(number).told('granted', id(number))),
        );
        await log.stop();

        const asStarted = grants.map((grant) => grant.holder);
        const asGranted = grants.toSorted((one, other) => one.at - other.at).map((grant) => grant.holder);
        const asArrived = arrivals(log.commands, asStarted);
        expect(asArrived).toHaveLength(WAITERS);
        const found = inversions(asGranted, asArrived);
        const took = ((Math.max(...ends.map(({ at }) => at)) - start) / 1000).toFixed(0);
        console.log(
          `run ${run + 1}: ${found} inversions; ${inversions(asArrived, asStarted)} on the way to Redis; ${WAITERS} holds in ${took} ms`,
        );
        seen.push(found);
      }
      expect(seen).toEqual(Array.from({ length: RUNS }, () => 0));
    }),
);

test('the next one is granted within 3.5 s when the process of the head is killed, or stops', options, () =>
  KindStage.play('shared', async (stage) => {
    const { faults } = stage;
    const holder = await faults.open();
    const survivor = await stage.fork();
    const doomed = await Promise.all([1, 2, 3, 4].map(() => stage.fork()));
    const stopped = workerAt(doomed, 3);

    // Each process is the head of two queues; in one of them with three waiters.
    const cases = doomed.flatMap((worker, index) =>
      [1, 3].map((heads) => ({ worker, heads, index, name: `k${index}-${heads}` })),
    );
    const held = await Promise.all(cases.map(({ name }) => holder.getFairLock(name).lock()));
    for (const { worker, heads, name } of cases) {
      for (let head = 1; head <= heads; head += 1) {
        worker.take(head * 100 + heads, 'fair', name, 0);
        await stage.queued(name, head);
      }
    }
    for (const [index, { heads, name }] of cases.entries()) {
      survivor.take(index, 'fair', name, 0);
      await stage.queued(name, heads + 1);
    }

    const ended = await Promise.all(
      doomed.map(async (worker, index) => {
        // At different moments within the period of the signs of life, the first of which has come by then.
        await sleep(1000 + index * 270);
        const over = machineTime();
        if (worker === stopped) worker.signal('SIGSTOP');
        else await worker.kill();
        const own = held.filter((_, which) => cases[which]?.index === index);
        expect(await Promise.all(own.map((handle) => handle.unlock()))).toEqual(['released', 'released']);
        return over;
      }),
    );
    const took = await Promise.all(
      cases.map(async ({ index, heads }, which) => {
        const granted = await survivor.told('granted', which);
        return { index, heads, ms: Math.round((granted.at - (ended[index] ?? 0)) / 1000) };
      }),
    );
    for (const { index, heads, ms } of took)
      console.log(
        `head ${doomed[index] === stopped ? 'stopped' : 'killed'}, ${heads} of its waiters in front: next one granted after ${ms} ms`,
      );
    expect(Math.max(...took.map(({ ms }) => ms))).toBeLessThanOrEqual(scaled(3500));

    // Who only stood still comes to the end of the queue, and harms nobody.
    for (const { index, heads } of cases.filter(({ worker }) => worker === stopped))
      for (let head = 1; head <= heads; head += 1)
        expect(doomed[index]?.hasBeenGranted(head * 100 + heads)).toBe(false);
    stopped.signal('SIGCONT');
    for (const id of [101, 103, 203, 303]) expect((await stopped.told('ended', id)).how).toBe('released');
  }),
);
