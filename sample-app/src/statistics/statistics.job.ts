import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Redis } from 'ioredis';
import { DistributedLock } from 'nestjs-distributed-lock';
import { AccountRepository } from '../accounts/account.repository.js';

export const STATISTICS = 'statistics';
const KEY = 'statistics';

export interface Statistics {
  readonly accounts: number;
  /** Cents in all accounts, as they were read one by one. */
  readonly total: number;
  /** Epoch ms. */
  readonly at: number;
}

/** Adds up what the bank holds, every five seconds: one instance of the fleet does. */
@Injectable()
export class StatisticsJob {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly redis: Redis,
  ) {}

  @Interval(5_000)
  @DistributedLock(STATISTICS)
  async addUp(): Promise<void> {
    const accounts = await this.accounts.all();
    const balances = await Promise.all(accounts.map((account) => this.accounts.balance(account)));
    const total = balances.reduce((sum, balance) => sum + balance, 0);
    const statistics: Statistics = { accounts: accounts.length, total, at: Date.now() };
    await this.redis.hset(KEY, { ...statistics });
  }

  async latest(): Promise<Statistics | null> {
    const { accounts, total, at } = await this.redis.hgetall(KEY);
    return at === undefined ? null : { accounts: Number(accounts), total: Number(total), at: Number(at) };
  }
}
