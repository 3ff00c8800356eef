import { Inject, Injectable, Logger } from '@nestjs/common';
import { Cron } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';

export const INSTANCE = Symbol('name of the instance');

/** Each instance has this job and its timer. Of all instances, one runs each tick. */
@Injectable()
export class InvoiceJob {
  readonly ran: string[] = [];
  readonly #logger = new Logger(InvoiceJob.name);

  constructor(@Inject(INSTANCE) private readonly instance: string) {}

  @Cron('*/2 * * * * *')
  @DistributedLock('invoices')
  async send(): Promise<void> {
    const tick = new Date(currentLock()?.tick ?? Date.now()).toISOString();
    this.ran.push(tick);
    this.#logger.log(`tick ${tick} runs on instance ${this.instance}`);
  }
}
