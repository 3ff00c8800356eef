import { deepEqual, equal } from 'node:assert/strict';
import {
  lockChannel,
  prefixName,
  readWriteChannel,
  semaphoreChannel,
} from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { until } from '../support/until.js';
import type { NodeKind } from '../workers/interop/interop.protocol.js';
import type { Namespace } from './cluster.observer.js';
import type { ClusterStage } from './cluster.stage.js';
import { expectPrompt } from './row.notes.js';
import { JavaTaker, NodeTaker, type Taker } from './takers.js';
import { timed, type Timed } from './timed.js';

/** The rows L1, L2, F1, R3 and P1 again, with channels of one namespace; the other one stays empty. */
export class ClusterPlays {
  constructor(
    private readonly stage: ClusterStage,
    private readonly node: LockService,
    private readonly namespace: Namespace,
    /** In front of names, which lie in slots of all masters. */
    private readonly prefix: string,
  ) {}

  /** The other side, whichever it is, hears of a release. */
  async handsOver(holds: 'J' | 'N'): Promise<void> {
    const name = `${this.prefix}:l:${holds}`;
    const [j, n] = [this.#java('reentrant', name), this.#taker('reentrant', name)];
    const [holder, waiter] = holds === 'J' ? [j, n] : [n, j];
    await holder.take();
    const waiting = waiter.take();
    await this.#asleep(lockChannel(name));
    const released = await holder.give();
    expectPrompt(this.stage, `${waiter.side} behind ${holds}`, released, await waiting);
    await waiter.give();
  }

  async queues(): Promise<void> {
    const name = `${this.prefix}:f`;
    const queue = prefixName('redisson_lock_queue', name);
    const holder = this.#java('fair', name);
    await holder.take();
    const line: Taker[] = [1, 2].flatMap(() => [this.#java('fair', name), this.#taker('fair', name)]);
    const turns: Promise<{ granted: Timed<unknown>; released: Timed<unknown> }>[] = [];
    for (const taker of line) {
      turns.push(this.#turn(taker));
      await until(`${turns.length} stand in the queue`, async () => {
        return (await this.stage.observer.redis.llen(queue)) === turns.length;
      });
      await this.stage.passed(10);
    }
    await until('all four listen', async () => {
      return (await this.stage.observer.channels(this.namespace)).length === turns.length;
    });
    await this.#onlyHere();
    let before = await holder.give();
    for (const [index, { granted, released }] of (await Promise.all(turns)).entries()) {
      expectPrompt(this.stage, `${line[index]?.side} in place ${index + 1}`, before, granted);
      before = released;
    }
  }

  async readersWait(writes: 'J' | 'N'): Promise<void> {
    const name = `${this.prefix}:r:${writes}`;
    const writer = writes === 'J' ? this.#java('write', name) : this.#taker('write', name);
    await writer.take();
    const readers = Array.from({ length: 5 }, () => [
      this.#java('read', name),
      this.#taker('read', name),
    ]).flat();
    const waits = readers.map((reader) => reader.take());
    await this.#asleep(readWriteChannel(name), 2);
    const released = await writer.give();
    for (const [index, granted] of (await Promise.all(waits)).entries())
      expectPrompt(this.stage, `a reader of ${readers[index]?.side} behind ${writes}`, released, granted);
    await Promise.all(readers.map((reader) => reader.give()));
  }

  async permits(): Promise<void> {
    const name = `${this.prefix}:p`;
    const n = this.node.getSemaphore(name);
    const j = this.stage.owner(this.namespace).semaphore(name);
    equal(await j.trySetPermits(3), true);
    await j.acquire(2);
    await n.acquire();
    for (const releases of ['J', 'N']) {
      equal(await n.tryAcquire(), false);
      const byJava = this.stage.owner(this.namespace).semaphore(name).acquire();
      const byNode = timed(() => n.acquire());
      await this.#asleep(semaphoreChannel(name), 2);
      const once = await timed<unknown>(() => (releases === 'J' ? j.release() : n.release()));
      expectPrompt(this.stage, `the first one after ${releases}`, once, await Promise.race([byJava, byNode]));
      // Whoever came too late for the first one sleeps again.
      await this.stage.passed(50);
      const twice = await timed<unknown>(() => (releases === 'J' ? n.release() : j.release()));
      const last = [await byJava, await byNode].toSorted((one, other) => other.at - one.at)[0];
      if (last !== undefined) expectPrompt(this.stage, `the second one after ${releases}`, twice, last);
      equal(await n.availablePermits(), 0);
    }
    await this.stage.observer.redis.del(name);
  }

  #java(kind: NodeKind, name: string): JavaTaker {
    return new JavaTaker(this.stage.java, kind, name, this.namespace);
  }

  #taker(kind: NodeKind, name: string): NodeTaker {
    return new NodeTaker(this.node, kind, name);
  }

  async #turn(taker: Taker): Promise<{ granted: Timed<unknown>; released: Timed<unknown> }> {
    const granted = await taker.take();
    await this.stage.passed(50);
    return { granted, released: await taker.give() };
  }

  /** Whoever waits listens in this namespace, and nobody does in the other one. */
  async #asleep(channel: string, count = 1): Promise<void> {
    await this.stage.sleepers(this.namespace, channel, count);
    await this.#onlyHere();
  }

  async #onlyHere(): Promise<void> {
    const other = this.namespace === 'sharded' ? 'classic' : 'sharded';
    deepEqual(await this.stage.observer.channels(other), []);
  }
}
