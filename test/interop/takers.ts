import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import type { LockHandle } from '../../libs/distributed-lock/src/contracts/lock.contract.js';
import type { NodeKind } from '../workers/interop/interop.protocol.js';
import { lockOf } from '../workers/interop/lock.kinds.js';
import type { JavaLock } from './java.lock.js';
import type { JavaPeer } from './java.peer.js';
import { timed, type Timed } from './timed.js';

/** Somebody who takes one lock and gives it back, on either side; a holder of its own. Times are in ms. */
export interface Taker {
  readonly side: 'J' | 'N';
  /** @param wait without one there is no bound. @returns whether it was granted */
  take(wait?: number): Promise<Timed<boolean>>;
  give(): Promise<Timed<unknown>>;
}

/** A Java thread. */
export class JavaTaker implements Taker {
  readonly side = 'J';
  readonly lock: JavaLock;

  /** @param client of the Java process, where it has several */
  constructor(java: JavaPeer, kind: NodeKind, name: string, client?: string) {
    this.lock = java.owner(client).lock(kind, name);
  }

  async take(wait?: number): Promise<Timed<boolean>> {
    if (wait !== undefined) return await this.lock.tryLock(wait);
    return { ...(await this.lock.lock()), value: true };
  }

  give(): Promise<Timed<unknown>> {
    return this.lock.unlock();
  }
}

/** A caller of Node, in no scope: each grant has a holder id of its own. */
export class NodeTaker implements Taker {
  readonly side = 'N';
  #handle: LockHandle | undefined;

  constructor(
    private readonly locks: LockService,
    private readonly kind: NodeKind,
    private readonly name: string,
  ) {}

  get handle(): LockHandle {
    if (this.#handle === undefined) throw new Error(`"${this.name}" was never taken`);
    return this.#handle;
  }

  take(waitTime: number = Infinity): Promise<Timed<boolean>> {
    return timed(async () => {
      const handle = await lockOf(this.locks, this.kind, this.name).tryLock({ waitTime });
      if (handle !== null) this.#handle = handle;
      return handle !== null;
    });
  }

  give(): Promise<Timed<unknown>> {
    return timed(() => this.handle.unlock());
  }
}
