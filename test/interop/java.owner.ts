import type { JavaCalls } from './java.calls.js';
import { JavaLatch } from './java.latch.js';
import { JavaLock } from './java.lock.js';
import { JavaExpirable, JavaSemaphore } from './java.semaphore.js';
import type { Timed } from './timed.js';

/** A kind of lock, as the peer names it. */
export type JavaKind = 'reentrant' | 'fair' | 'read' | 'write' | 'fenced' | 'spin' | 'nonreentrant';

/** A member of a composite lock. */
export interface JavaMember {
  readonly kind: JavaKind;
  readonly name: string;
  /** @default the owner's client */
  readonly client?: string;
}

/** The process that an owner lives in. */
interface PeerCalls {
  call(owner: string, verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>>;
}

/** As the peer cuts them apart. */
const MEMBERS = '\u001F';

/** A Java thread as a user of one client: what it is told runs in order. */
export class JavaOwner implements JavaCalls {
  constructor(
    private readonly peer: PeerCalls,
    private readonly name: string,
    readonly client: string,
  ) {}

  lock(kind: JavaKind, name: string): JavaLock {
    return new JavaLock(this, `${kind}:${this.client}:${name}`);
  }

  multiLock(...members: readonly JavaMember[]): JavaLock {
    return new JavaLock(this, `multi:${this.#targets(members)}`);
  }

  redLock(...members: readonly JavaMember[]): JavaLock {
    return new JavaLock(this, `red:${this.#targets(members)}`);
  }

  semaphore(name: string): JavaSemaphore {
    return new JavaSemaphore(this, name);
  }

  expirable(name: string): JavaExpirable {
    return new JavaExpirable(this, name);
  }

  latch(name: string): JavaLatch {
    return new JavaLatch(this, name);
  }

  /** Interrupts the thread in what it waits for. */
  async interrupt(): Promise<void> {
    await this.call('interrupt');
  }

  call(verb: string, ...words: readonly (string | number)[]): Promise<Timed<string>> {
    return this.peer.call(this.name, verb, ...words);
  }

  #targets(members: readonly JavaMember[]): string {
    return members.map(({ kind, name, client = this.client }) => `${kind}:${client}:${name}`).join(MEMBERS);
  }
}
