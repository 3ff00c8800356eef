import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { BillingJob } from './billing.job.js';
import { BillingLedger } from './billing.ledger.js';
import { FeeTariff } from './fee.tariff.js';

@Module({ imports: [AccountsModule], providers: [BillingJob, BillingLedger, FeeTariff] })
export class BillingModule {}
