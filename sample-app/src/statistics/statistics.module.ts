import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { StatisticsController } from './statistics.controller.js';
import { StatisticsJob } from './statistics.job.js';

@Module({ imports: [AccountsModule], controllers: [StatisticsController], providers: [StatisticsJob] })
export class StatisticsModule {}
