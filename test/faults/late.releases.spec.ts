import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FaultStage } from '../support/faults/fault.stage.js';
import { SCRIPT_TEXTS, SlowAnswers } from '../support/faults/slow.answers.js';
import { scaled } from '../support/slowness.js';
import { SLOW_CALLS, type SlowCall } from './slow.calls.js';

/** How long a caller waits for an answer, in ms. */
const TIMEOUT = scaled(500);

/** In ms: too long for a caller, and too short for a connection that counts as dead. */
const DELAY = TIMEOUT * 1.2;

/** How long after the call, in ms: what is repeated although it was answered is sent several times by then. */
const AFTERWARDS = TIMEOUT * 6;

/** What became of a call. */
interface Played {
  /** Its result, or the code of its error. */
  readonly gave: unknown;
  readonly sent: Readonly<Record<string, number>>;
  /** Connections that were given up. */
  readonly cuts: number;
}

let stage: FaultStage;

beforeAll(async () => {
  stage = await FaultStage.own();
  await Promise.all(SCRIPT_TEXTS.map((text) => stage.admin.script('LOAD', text)));
});
afterAll(() => stage.close());

async function play(name: string, { prepare }: SlowCall): Promise<Played> {
  const wire = await stage.proxy();
  const [service, other] = await Promise.all([stage.open({ commandTimeout: TIMEOUT }, wire), stage.open()]);
  const call = await prepare({ service, other, name });
  const slow = new SlowAnswers(wire, DELAY);
  const gave: unknown = await call().catch((error: unknown) => Object(error).code ?? error);
  await sleep(AFTERWARDS);
  const { cuts } = wire;
  wire.judge(() => 'pass');
  // A process that waits for a fair lock says all the time that it is alive.
  const { 'fair/heartbeat': _heartbeats, ...sent } = slow.operations;
  return { gave, sent, cuts };
}

describe('a Redis that answers later than commandTimeout', () => {
  const played = new Map<string, Played>();

  beforeAll(async () => {
    await Promise.all(
      Object.entries(SLOW_CALLS).map(async ([name, call], index) =>
        played.set(name, await play(`x${index}`, call)),
      ),
    );
  }, scaled(60_000));

  test.each(Object.entries(SLOW_CALLS))('gets nothing again: %s', (name, { gives, sends }) => {
    expect(played.get(name)).toEqual({ gave: gives, sent: sends, cuts: 0 });
  });

  test('takes no lock from its holder: a late renewal counts', { timeout: scaled(30_000) }, async () => {
    const wire = await stage.proxy();
    const lease = TIMEOUT * 5;
    const service = await stage.open({ commandTimeout: TIMEOUT, lockWatchdogTimeout: lease }, wire);
    const handle = await service.getLock('held').lock();
    const slow = new SlowAnswers(wire, DELAY);
    await sleep(lease * 2.5);
    expect([handle.isHeld, handle.signal.aborted]).toEqual([true, false]);
    // One in each third of the lease, as if the answers came in time.
    expect(slow.operations['renewal/renew']).toBeLessThan(10);
    wire.judge(() => 'pass');
    expect(await handle.unlock()).toBe('released');
  });
});
