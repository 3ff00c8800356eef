import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { currentLock, DistributedLock, LockService } from 'nestjs-distributed-lock';
import { accountLock } from '../accounts/account.lock.js';
import { AccountRepository } from '../accounts/account.repository.js';
import { AppSettings } from '../settings/app.settings.js';
import { BillingLedger, type BillingRun } from './billing.ledger.js';
import { FeeTariff } from './fee.tariff.js';

export const BILLING = 'billing';
const PERIOD = 2_000;

/** Charges every account its fee, every two seconds: each tick by one instance of the fleet. */
@Injectable()
export class BillingJob {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly ledger: BillingLedger,
    private readonly tariff: FeeTariff,
    private readonly locks: LockService,
    private readonly settings: AppSettings,
  ) {}

  @Cron('*/2 * * * * *')
  @DistributedLock(BILLING)
  async bill(): Promise<void> {
    const { tick, signal } = currentLock() ?? {};
    const run = { id: randomUUID(), tick: tick ?? latestInstant(), instance: this.settings.instance };
    await this.ledger.note(run, 'started');
    for (const account of await this.accounts.all()) await this.charge(run, account, signal);
    await this.ledger.note(run, 'finished');
  }

  /**
   * The tick's lock keeps other runs out; withdrawals are kept out by the account's own.
   * An account that has paid for this tick is passed by.
   * @param signal aborts when the run has lost its lease: it stops before it writes what another may write too
   */
  private async charge(run: BillingRun, account: string, signal: AbortSignal | undefined): Promise<void> {
    const work = async (): Promise<void> => {
      if (await this.ledger.isCharged(account, run.tick)) return;
      const balance = await this.accounts.balance(account);
      const fee = await this.tariff.currentFee();
      signal?.throwIfAborted();
      await this.ledger.charge(run, { account, fee, balance: balance - fee });
    };
    await this.locks.getLock(accountLock(account)).using(work, { signal });
  }
}

/** The instant that a call outside the schedule bills: the last one by our own clock. */
function latestInstant(): number {
  return Math.floor(Date.now() / PERIOD) * PERIOD;
}
