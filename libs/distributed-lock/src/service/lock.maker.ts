import type { GuardKind, LockNames } from '../contracts/guard.contract.js';
import type { FencedLock, Lock, Lockable } from '../contracts/lock.contract.js';
import type { PermitExpirableSemaphore } from '../contracts/semaphore.contract.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { ExpirableSemaphore } from '../locks/expirable.semaphore.js';
import { TokenLock, NamedLock, PlainLock } from '../locks/named.lock.js';
import type { LockEngine } from '../locks/lock.engine.js';
import type { LockKinds } from '../core/lock.kinds.js';
import type { LockTarget } from '../core/lock.target.js';
import { MultiLock } from '../groups/multi.lock.js';

/** Makes the lock objects of an application: they hold no state, and two of one name are the same lock. */
export class LockMaker {
  constructor(private readonly engine: LockEngine) {}

  /** @throws LockConfigurationError `INVALID_NAME`, `KIND_CONFLICT`; all of these do */
  target(kind: keyof LockKinds, name: string): LockTarget {
    const { engine } = this;
    return engine.names.target(engine.context.kinds[kind], name);
  }

  named(kind: keyof LockKinds, name: string): Lock {
    return new PlainLock(this.engine, this.target(kind, name));
  }

  fenced(name: string): FencedLock {
    return new TokenLock(this.engine, this.target('fenced', name));
  }

  permits(name: string): PermitExpirableSemaphore {
    return new ExpirableSemaphore(this.engine, this.target('permit', name));
  }

  /** @throws LockConfigurationError `INVALID_OPTION` for locks that are not this engine's, too */
  multi(members: readonly (string | Lock)[]): Lockable {
    const targets = members.map((member) =>
      typeof member === 'string' ? this.target('reentrant', member) : this.#targetOf(member),
    );
    return new MultiLock(this.engine, targets);
  }

  /** The lock of a guard: of that kind, or for several names a multi lock of them. */
  guard(names: LockNames, kind: GuardKind): Lockable {
    if (typeof names === 'string') return kind === 'fenced' ? this.fenced(names) : this.named(kind, names);
    return new MultiLock(
      this.engine,
      names.map((name) => this.target(kind, name)),
    );
  }

  #targetOf(member: Lock): LockTarget {
    if (member instanceof NamedLock && member.engine === this.engine) return member.target;
    throw new LockConfigurationError(
      'INVALID_OPTION',
      'A multi lock takes names, and locks of the same LockService.',
    );
  }
}
