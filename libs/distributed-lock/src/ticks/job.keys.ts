import { prefixName, suffixName } from '../scripts/wire.names.js';

/** The keys of a job: its lock, its record, its rows; and the channel on which its instances are told to look. */
export interface JobKeys {
  readonly lock: string;
  readonly record: string;
  readonly runs: string;
  /** Not the lock's: an ordinary end of a run must not wake every instance. */
  readonly channel: string;
}

/** @param lock the key of the job's lock, in whose slot the others are */
export function jobKeys(lock: string): JobKeys {
  return {
    lock,
    record: suffixName(lock, 'tick'),
    runs: suffixName(lock, 'runs'),
    channel: prefixName('lock_job__channel', lock),
  };
}
