import type { Election } from '../../libs/distributed-lock/src/contracts/election.contract.js';
import { suffixName } from '../../libs/distributed-lock/src/scripts/wire.names.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { until } from '../support/until.js';

/** The key of every election here. */
export const KEY = 'x';

/** A candidate, and what it was told. */
export class Career {
  readonly election: Election;
  readonly tokens: bigint[] = [];
  readonly signals: AbortSignal[] = [];
  readonly reasons: Error[] = [];

  /** @param work what it does as a leader */
  constructor(locks: LockService, work: (career: Career) => unknown = () => undefined) {
    this.election = locks.elect(KEY, {
      onElected: (signal, token) => {
        this.tokens.push(token);
        this.signals.push(signal);
        return work(this);
      },
      onRevoked: (reason) => void this.reasons.push(reason),
    });
  }
}

/** Candidates on the Redis that all tests share. In the end nothing may be left of them but the token of the key, which is meant to stay. */
export class LeaderStage {
  readonly faults = FaultStage.shared();

  static async play(act: (stage: LeaderStage) => Promise<void>): Promise<void> {
    const stage = new LeaderStage();
    const { faults } = stage;
    try {
      await act(stage);
      await faults.admin.del(stage.tokenKey);
      await faults.expectNothingLeft();
    } finally {
      await faults.admin.del(stage.tokenKey);
      await faults.close();
    }
  }

  /** Resolves when one candidate has a place in the queue of the lock. */
  async waits(): Promise<void> {
    const queue = suffixName(this.faults.key(KEY), 'waiting');
    await until('one waits', async () => (await this.faults.admin.zcount(queue, 1, '+inf')) === 1);
  }

  get tokenKey(): string {
    return `redisson_lock_token:{${this.faults.key(KEY)}}`;
  }
}
