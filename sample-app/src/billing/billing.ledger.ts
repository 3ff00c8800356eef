import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { balanceKey } from '../accounts/account.repository.js';
import { commit } from '../store/transaction.commit.js';

/** One execution of the job, for the journal. */
export interface BillingRun {
  readonly id: string;
  /** The billed instant, epoch ms. */
  readonly tick: number;
  readonly instance: string;
}

export interface Fee {
  readonly account: string;
  /** Cents. */
  readonly fee: number;
  /** Cents, after the fee. */
  readonly balance: number;
}

const JOURNAL = 'billing:journal';
/** About a day. */
const JOURNAL_LENGTH = 400_000;

/**
 * The fees that were charged, per account and tick, and a journal of who charged them: the auditors' own evidence,
 * independent of the locks and their records.
 */
@Injectable()
export class BillingLedger {
  constructor(private readonly redis: Redis) {}

  async isCharged(account: string, tick: number): Promise<boolean> {
    return (await this.redis.hexists(`fees:${account}`, String(tick))) === 1;
  }

  /** Fee, balance and journal in one transaction: a run that dies leaves no half of it. */
  async charge(run: BillingRun, { account, fee, balance }: Fee): Promise<void> {
    await commit(
      this.redis
        .multi()
        .hset(`fees:${account}`, String(run.tick), fee)
        .set(balanceKey(account), balance)
        .xadd(JOURNAL, 'MAXLEN', '~', JOURNAL_LENGTH, '*', ...entry(run, 'charged'), 'account', account),
    );
  }

  async note(run: BillingRun, event: 'started' | 'finished'): Promise<void> {
    await this.redis.xadd(JOURNAL, 'MAXLEN', '~', JOURNAL_LENGTH, '*', ...entry(run, event));
  }
}

function entry({ id, tick, instance }: BillingRun, event: 'started' | 'charged' | 'finished'): string[] {
  return ['run', id, 'tick', String(tick), 'instance', instance, 'event', event];
}
