import { Controller, Get, NotFoundException } from '@nestjs/common';
import { type Statistics, StatisticsJob } from './statistics.job.js';

@Controller('statistics')
export class StatisticsController {
  constructor(private readonly statistics: StatisticsJob) {}

  @Get()
  async read(): Promise<Statistics> {
    const latest = await this.statistics.latest();
    if (!latest) throw new NotFoundException('Nothing was added up yet');
    return latest;
  }
}
