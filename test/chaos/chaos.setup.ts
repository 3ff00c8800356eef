import { buildJudge, SKIPPED } from '../../tools/porcupine/judge.builder.mjs';
import { Unavailable } from '../../tools/test/unavailable.mjs';

/** Builds Porcupine before the first run: its compiler would take the CPU from processes that are to be late for one reason only. */
export default async function setUp(): Promise<void> {
  try {
    await buildJudge();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    // A module proxy that does not answer is waited for once.
    process.env[SKIPPED] = error.message;
    console.warn(`Porcupine judges no history, SKIPPED: ${error.message}`);
  }
}
