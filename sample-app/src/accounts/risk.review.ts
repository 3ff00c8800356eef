import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';

const FASTEST = 5;
const SLOWEST = 25;

/** Stands for the service of another team that has to agree to every movement; it takes 5 to 25 ms. */
@Injectable()
export class RiskReview {
  async approve(): Promise<void> {
    await sleep(FASTEST + Math.random() * (SLOWEST - FASTEST));
  }
}
