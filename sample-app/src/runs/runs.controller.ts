import { Controller, Get } from '@nestjs/common';
import { LockService, type TickRecord } from 'nestjs-distributed-lock';
import { BILLING } from '../billing/billing.job.js';
import { STATISTICS } from '../statistics/statistics.job.js';

/** What the fleet's jobs did: the newest 50 rows of each, whichever instance is asked. */
@Controller('runs')
export class RunsController {
  constructor(private readonly locks: LockService) {}

  @Get()
  async runs(): Promise<Record<string, TickRecord[]>> {
    const jobs = [BILLING, STATISTICS];
    const records = await Promise.all(jobs.map(async (job) => [job, await this.locks.getRuns(job)] as const));
    return Object.fromEntries(records);
  }
}
