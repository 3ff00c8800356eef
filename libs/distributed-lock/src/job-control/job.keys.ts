import { prefixName, suffixName } from '../scripts/wire.names.js';

/** The keys of a job: its lock, its record, the records of its runs; and the channel that notifies its instances to check the record. */
export interface JobKeys {
  readonly lock: string;
  readonly record: string;
  readonly runs: string;
  /** Not the channel of the lock: an ordinary end of a run must not wake every instance. */
  readonly channel: string;
}

/** @param lock the key of the job's lock, in whose slot the other keys are */
export function jobKeys(lock: string): JobKeys {
  return {
    lock,
    record: suffixName(lock, 'tick'),
    runs: suffixName(lock, 'runs'),
    channel: prefixName('lock_job__channel', lock),
  };
}
