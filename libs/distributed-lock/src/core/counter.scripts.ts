import { CallScripts } from '../scripts/call.scripts.js';
import { LatchScripts } from '../scripts/latch.scripts.js';
import type { ScriptRunner } from '../script-runner/script.runner.js';
import { SemaphoreScripts } from '../scripts/semaphore.scripts.js';

/** The scripts of semaphores and latches. */
export interface CounterScripts {
  readonly semaphore: SemaphoreScripts;
  readonly latch: LatchScripts;
  readonly calls: CallScripts;
}

export function counterScripts(runner: ScriptRunner): CounterScripts {
  return {
    semaphore: new SemaphoreScripts(runner),
    latch: new LatchScripts(runner),
    calls: new CallScripts(runner),
  };
}
