import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { Observer } from './observer.js';

/** A read/write lock as it is in Redis, from neither side. */
export class ReadWriteView {
  constructor(
    private readonly observer: Observer,
    readonly name: string,
  ) {}

  /** The hash: the mode, and counts by holder; none when the lock is free. */
  fields(): Promise<Record<string, string>> {
    return this.observer.redis.hgetall(this.name);
  }

  /** What is left of the hash, in ms; -2 when there is none. */
  ttl(): Promise<number> {
    return this.observer.redis.pttl(this.name);
  }

  /** What is left of the n-th read hold of a holder, in ms; -2 when there is none. */
  hold(holder: string, n = 1): Promise<number> {
    return this.observer.redis.pttl(suffixName(this.name, `${holder}:rwlock_timeout:${n}`));
  }
}
