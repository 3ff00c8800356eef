import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

const FEE = 5;
const TAKES = 60;

/** Stands for a service that knows today's fee; it takes its time. */
@Injectable()
export class FeeTariff {
  /** @returns cents */
  async currentFee(): Promise<number> {
    await sleep(TAKES);
    return FEE;
  }
}
