import { Controller, Get, Header } from '@nestjs/common';
import { DistributedLock } from 'nestjs-distributed-lock';
import { setTimeout as sleep } from 'node:timers/promises';

@Controller()
export class ReportController {
  @Get()
  @Header('Content-Type', 'text/html')
  index(): string {
    return `<!doctype html><title>Playground</title>
      <p><a href="/locks">Jobs and locks</a>: of two instances, one runs each tick.</p>
      <p><a href="/report" target="_blank">Make a report</a>: takes 5 s. Click twice: the second answer is 423 Locked.</p>`;
  }

  /** A second request while the first one runs is refused, on every instance. */
  @Get('report')
  @DistributedLock('report')
  async report(): Promise<string> {
    await sleep(5_000);
    return `The report of ${new Date().toISOString()}`;
  }
}
