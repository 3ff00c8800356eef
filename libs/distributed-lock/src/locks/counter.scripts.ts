import { CallScripts } from '../scripts/call.scripts.js';
import { LatchScripts } from '../scripts/latch.scripts.js';
import type { ScriptCaller } from '../scripts/script.caller.js';
import { SemaphoreScripts } from '../scripts/semaphore.scripts.js';

/** What can be done in Redis with what only counts. */
export interface CounterScripts {
  readonly semaphore: SemaphoreScripts;
  readonly latch: LatchScripts;
  readonly calls: CallScripts;
}

export function counterScripts(caller: ScriptCaller): CounterScripts {
  return {
    semaphore: new SemaphoreScripts(caller),
    latch: new LatchScripts(caller),
    calls: new CallScripts(caller),
  };
}
