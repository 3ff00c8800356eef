import { Injectable, NotFoundException } from '@nestjs/common';
import { Redis } from 'ioredis';
import { commit } from '../store/transaction.commit.js';

/** A new balance, and what led to it. */
export interface Movement {
  readonly account: string;
  /** The customer's own reference: one is booked once. */
  readonly reference: string;
  /** Cents; negative for money that leaves. */
  readonly amount: number;
  /** Cents, after the movement. */
  readonly balance: number;
}

const ACCOUNTS = 'accounts';

export function balanceKey(account: string): string {
  return `balance:${account}`;
}

/** Accounts in Redis: a balance each, and the movements that led to it. Knows nothing of locks. */
@Injectable()
export class AccountRepository {
  constructor(private readonly redis: Redis) {}

  /** @returns false when there is an account of that name */
  async open(account: string, balance: number): Promise<boolean> {
    const opened = await this.redis.setnx(balanceKey(account), balance);
    await this.redis.sadd(ACCOUNTS, account);
    return opened === 1;
  }

  async all(): Promise<string[]> {
    return (await this.redis.smembers(ACCOUNTS)).toSorted();
  }

  async balance(account: string): Promise<number> {
    const balance = await this.redis.get(balanceKey(account));
    if (balance === null) throw new NotFoundException(`There is no account "${account}"`);
    return Number(balance);
  }

  async isBooked(account: string, reference: string): Promise<boolean> {
    return (await this.redis.hexists(`movements:${account}`, reference)) === 1;
  }

  /** Writes all of them, or none. */
  async book(...movements: Movement[]): Promise<void> {
    const transaction = this.redis.multi();
    for (const { account, reference, amount, balance } of movements) {
      transaction.set(balanceKey(account), balance).hset(`movements:${account}`, reference, amount);
    }
    await commit(transaction);
  }
}
