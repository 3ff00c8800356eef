import { CronSequence, type CronTimeLike } from './cron.sequence.js';

/** Schedules that are remembered; those that are set anew, again and again, must not fill the memory. */
const REMEMBERED = 256;

/**
 * The sequences of one module instance, one for all jobs of the same schedule. A search of cron takes a quarter of a millisecond, and
 * the jobs of a full minute would each make it in the moment in which all of them are to start.
 */
export class SequenceRegistry {
  readonly #sequences = new Map<string, CronSequence>();

  of(cronTime: CronTimeLike): CronSequence {
    const { source, timeZone, utcOffset } = cronTime;
    // The date of a one-shot is its own only instant.
    if (typeof source !== 'string') return new CronSequence(cronTime);
    const schedule = [source, timeZone, utcOffset].join('\n');
    let sequence = this.#sequences.get(schedule);
    if (sequence === undefined) {
      if (this.#sequences.size >= REMEMBERED) this.#sequences.clear();
      sequence = new CronSequence(cronTime);
      this.#sequences.set(schedule, sequence);
    }
    return sequence;
  }
}
