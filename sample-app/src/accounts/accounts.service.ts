import { Injectable, UnprocessableEntityException } from '@nestjs/common';
import { assertLocked, LockService } from 'nestjs-distributed-lock';
import { accountLock } from './account.lock.js';
import { AccountRepository } from './account.repository.js';
import type { MovementRequest, TransferRequest } from './account.requests.js';
import { RiskReview } from './risk.review.js';

/** What a customer gets for a movement. */
export interface Receipt {
  readonly reference: string;
  /** Cents, after the movement. */
  readonly balance: number;
  /** How long the booking took once it was its turn, in ms. */
  readonly took: number;
}

/**
 * Movements of money. Each reads a balance, asks another service, and writes what it makes of the balance that it read:
 * of two at once, one is lost. So each runs under its account's lock, and says so where it matters.
 */
@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly review: RiskReview,
    private readonly locks: LockService,
  ) {}

  /** The caller holds the account's lock. */
  withdraw(account: string, { amount, reference }: MovementRequest): Promise<Receipt> {
    return this.move(account, -amount, reference);
  }

  /** The caller holds the account's lock. */
  deposit(account: string, { amount, reference }: MovementRequest): Promise<Receipt> {
    return this.move(account, amount, reference);
  }

  /** Takes both accounts' locks itself: always in the same order, or two opposite transfers would wait for each other. */
  transfer(request: TransferRequest): Promise<Receipt> {
    const { from, to } = request;
    const [first, second] = from < to ? [from, to] : [to, from];
    const turn = { waitTime: '2s' } as const;
    return this.locks
      .getLock(accountLock(first))
      .using(
        () => this.locks.getLock(accountLock(second)).using(() => this.moveBetween(request), turn),
        turn,
      );
  }

  private async move(account: string, amount: number, reference: string): Promise<Receipt> {
    assertLocked(accountLock(account));
    const started = performance.now();
    const before = await this.accounts.balance(account);
    if (await this.accounts.isBooked(account, reference)) return receipt(reference, before, started);
    await this.review.approve();
    const balance = spend(account, before, amount);
    await this.accounts.book({ account, reference, amount, balance });
    return receipt(reference, balance, started);
  }

  private async moveBetween({ from, to, amount, reference }: TransferRequest): Promise<Receipt> {
    for (const account of [from, to]) assertLocked(accountLock(account));
    const started = performance.now();
    const [before, other] = await Promise.all([this.accounts.balance(from), this.accounts.balance(to)]);
    if (await this.accounts.isBooked(from, reference)) return receipt(reference, before, started);
    await this.review.approve();
    const balance = spend(from, before, -amount);
    await this.accounts.book(
      { account: from, reference, amount: -amount, balance },
      { account: to, reference, amount, balance: other + amount },
    );
    return receipt(reference, balance, started);
  }
}

function spend(account: string, before: number, amount: number): number {
  const balance = before + amount;
  if (balance < 0) throw new UnprocessableEntityException(`Account "${account}" has only ${before} cents`);
  return balance;
}

function receipt(reference: string, balance: number, started: number): Receipt {
  return { reference, balance, took: Math.round(performance.now() - started) };
}
