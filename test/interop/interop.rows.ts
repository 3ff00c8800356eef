import { afterAll, afterEach, beforeAll, beforeEach, inject } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { JavaPeer } from './java.peer.js';
import { Observer } from './observer.js';
import { RowStage } from './row.stage.js';
import { writeRow } from './row.table.js';

/** For rows of thousands of holds. */
export const LONG = { timeout: scaled(60_000) };

/** What both sides still take back once the last call was answered: Java's unlock latches, and subscriptions. */
const TIDIED_WITHIN = 1000;

/**
 * A stage for each row of a file. A row is a test that is titled `<id> <scenario>`; after it nothing may be left in
 * Redis, and it is written down for the table. All rows of a file share a Java process, until one fails.
 */
export function interopRows(): () => RowStage {
  let java: JavaPeer | undefined;
  let observer: Observer | undefined;
  let stage: RowStage | undefined;
  let started = 0;

  beforeAll(async () => {
    observer = new Observer(inject('redisUrl'));
    await observer.start();
  });
  afterAll(async () => {
    await java?.close();
    observer?.close();
  });
  beforeEach(async () => {
    if (observer === undefined) throw new Error('there is no observer outside of a test');
    java ??= await JavaPeer.start(inject('redisUrl'));
    stage = new RowStage(java, observer);
    await observer.begin();
    started = performance.now();
  });
  afterEach(async ({ task }) => {
    if (stage === undefined || observer === undefined) return;
    const took = performance.now() - started;
    const hasPlayed = task.result?.state !== 'fail';
    // Before anything is closed: what is left until then is left by the locks themselves.
    const leftovers = hasPlayed ? await tidied(observer) : [];
    const ok = hasPlayed && leftovers.length === 0;
    const [id = '', scenario = ''] = split(task.name);
    const messages = await observer.messages();
    await writeRow(inject('rowsFile'), {
      id,
      scenario,
      ok,
      took,
      messages,
      leftovers,
      notes: stage.measured,
    });
    if (!ok) {
      // The next row starts on clean ground: no thread of Java still waits for something of this one.
      await java?.kill();
      java = undefined;
    }
    await stage.close();
    await observer.redis.flushall();
    if (leftovers.length > 0) throw new Error(`${id} left behind: ${leftovers.join(', ')}`);
  });

  return () => {
    if (stage === undefined) throw new Error('there is no stage outside of a test');
    return stage;
  };
}

/** The row's id, and what it is about. */
function split(title: string): string[] {
  const space = title.indexOf(' ');
  return [title.slice(0, space), title.slice(space + 1)];
}

/** @returns what is still there after the time in which everything should be gone */
async function tidied(observer: Observer): Promise<string[]> {
  let left: string[] = [];
  const gone = async () => (left = await observer.leftovers()).length === 0;
  await until('nothing is left', gone, TIDIED_WITHIN).catch(() => undefined);
  return left;
}
