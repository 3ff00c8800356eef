import { CallScripts } from '../scripts/call.scripts.js';
import { LatchScripts } from '../scripts/latch.scripts.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { SemaphoreQueueScripts } from '../scripts/semaphore-queue.scripts.js';
import { SemaphoreScripts } from '../scripts/semaphore.scripts.js';

/** The scripts of semaphores and latches. */
export interface CounterScripts {
  readonly semaphore: SemaphoreScripts;
  /** Undefined where processes that wait for permits have no queue. */
  readonly semaphoreQueue: SemaphoreQueueScripts | undefined;
  readonly latch: LatchScripts;
  readonly calls: CallScripts;
}

/** @param isCluster then there is no queue of processes: while a slot moves, a server refuses scripts of two keys */
export function counterScripts(runner: ScriptRunner, isCluster = false): CounterScripts {
  return {
    semaphore: new SemaphoreScripts(runner, !isCluster),
    semaphoreQueue: isCluster ? undefined : new SemaphoreQueueScripts(runner),
    latch: new LatchScripts(runner),
    calls: new CallScripts(runner),
  };
}
