import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FaultStage } from '../support/faults/fault.stage.js';
import { Random } from '../support/random.js';
import { operationsOf } from '../support/faults/script.calls.js';
import { StoreLog } from '../support/store.log.js';

/** The watchdog's lease, in ms: a renewal comes after 90 to 100 of them, and the holds below last about that long. */
const T = 300;

let stage: FaultStage;
let log: StoreLog;

beforeEach(async () => {
  stage = FaultStage.shared();
  log = new StoreLog(stage.admin, stage.port, stage.services.prefix);
});
afterEach(async () => {
  try {
    await stage.expectNothingLeft();
  } finally {
    await stage.close();
  }
});

test('no renewal is sent after an unlock', async () => {
  const random = new Random();
  const service = await stage.open({ lockWatchdogTimeout: T, handOver: { max: 2 } });
  await log.start();
  const end = performance.now() + 2500;
  const user = async (name: string) => {
    while (performance.now() < end) await service.getLock(name).using(() => sleep(80 + random.below(30)));
  };
  const names = Array.from({ length: 60 }, (_, index) => `lock-${index}`);
  // Two users of each lock hand it from one to the other, under the same holder id or the next one.
  await Promise.all(names.flatMap((name) => [user(name), user(name)]));
  await log.stop();

  const gone = new Set<string>();
  const seen = { renewals: 0, releases: 0, late: 0 };
  for (const { words, isInner } of log.commands) {
    for (const { purpose, key, holder } of isInner ? [] : operationsOf({ name: 'EVALSHA', words })) {
      if (purpose === 'release' || purpose === 'transfer') {
        seen.releases += 1;
        // A transfer names the giver first.
        gone.add(`${key} ${holder}`);
      } else if (purpose === 'renew') {
        seen.renewals += 1;
        if (gone.has(`${key} ${holder}`)) seen.late += 1;
      }
    }
  }
  console.log(`FAULT_SEED=${random.seed}`, seen);
  expect(seen.renewals).toBeGreaterThan(100);
  expect(seen.releases).toBeGreaterThan(100);
  expect(seen.late).toBe(0);
});
