import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FaultStage } from '../support/faults/fault.stage.js';
import { SCRIPT_TEXTS } from '../support/all.scripts.js';
import { SlowAnswers } from '../support/faults/slow.answers.js';
import type { TcpProxy } from '../support/faults/tcp.proxy.js';
import { scaled } from '../support/slowness.js';
import { SLOW_CALLS, type SlowCall } from './slow.calls.js';

/** How long a caller waits for an answer, in ms. */
const TIMEOUT = scaled(750);

/** In ms: too long for a caller, and too short for a connection that counts as dead. */
const DELAY = TIMEOUT * 1.2;

/** The watchdog's timeout, in ms: no hold that is looked at is renewed meanwhile. */
const LEASE = TIMEOUT * 100;

/** How long after the call, in ms: what is repeated although it was answered is sent several times by then. */
const AFTERWARDS = TIMEOUT * 6;

/** What became of a call. */
interface Played {
  /** Its result, or the code of its error. */
  readonly gave: unknown;
  readonly sent: Readonly<Record<string, number>>;
  /** Connections that were made in place of those that were given up. */
  readonly reconnects: number;
}

let stage: FaultStage;

beforeAll(async () => {
  stage = await FaultStage.own();
  await Promise.all(SCRIPT_TEXTS.map((text) => stage.admin.script('LOAD', text)));
});
afterAll(() => stage.close());

/** A call that is ready to be made, with the way of its service to Redis. */
interface Prepared {
  readonly name: string;
  readonly wire: TcpProxy;
  readonly call: () => Promise<unknown>;
}

async function prepare(name: string, scene: string, { prepare: make }: SlowCall): Promise<Prepared> {
  const wire = await stage.proxy();
  const options = { commandTimeout: TIMEOUT, lockWatchdogTimeout: LEASE };
  const [service, other] = await Promise.all([stage.open(options, wire), stage.open()]);
  return { name, wire, call: await make({ service, other, name: scene }) };
}

async function play({ wire, call }: Prepared): Promise<Played> {
  const before = wire.accepted;
  const slow = new SlowAnswers(wire, DELAY);
  const gave: unknown = await call().catch((error: unknown) => Object(error).code ?? error);
  await sleep(AFTERWARDS);
  wire.judge(() => 'pass');
  // A process that waits for a fair lock says all the time that it is alive.
  const { 'fair/heartbeat': _heartbeats, ...sent } = slow.operations;
  return { gave, sent, reconnects: wire.accepted - before };
}

describe('a Redis that answers later than commandTimeout', () => {
  const played = new Map<string, Played>();

  beforeAll(async () => {
    const calls = Object.entries(SLOW_CALLS);
    // First all of them: an event loop that still opens services may delay an answer until its connection counts as dead.
    const prepared = await Promise.all(calls.map(([name, call], index) => prepare(name, `x${index}`, call)));
    await Promise.all(prepared.map(async (one) => played.set(one.name, await play(one))));
  }, scaled(60_000));

  test.each(Object.entries(SLOW_CALLS))('gets nothing again: %s', (name, { gives, sends }) => {
    expect(played.get(name)).toEqual({ gave: gives, sent: sends, reconnects: 0 });
  });

  test('takes no lock from its holder: a late renewal counts', { timeout: scaled(30_000) }, async () => {
    const wire = await stage.proxy();
    const lease = TIMEOUT * 4;
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
