import type { ReplicaAcknowledgement } from '../contracts/module.options.js';
import type { LockSettings } from '../contracts/settings.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { parseDuration } from '../timing/duration.parser.js';

/** How long replicas may take, in ms, where commands may take long enough. */
const TIMEOUT = 300;

/**
 * The number of waits that have to fit into the deadline of one round trip: the `WAIT` that is under way when a call comes, its own one, and
 * one more for a script that a server has to load first.
 */
const WAITS = 3;

/** @throws LockConfigurationError `INVALID_OPTION` */
export function readReplication(
  replication: ReplicaAcknowledgement | undefined,
  commandTimeout: number,
): LockSettings['replication'] {
  if (replication === undefined) return undefined;
  const given: unknown = replication;
  if (typeof given !== 'object' || given === null)
    throw invalid(`replication must be an object like { acks: 1 }, not ${JSON.stringify(given)}.`);
  const { acks, timeout: wanted } = replication;
  if (acks !== 'majority' && !(Number.isSafeInteger(acks) && acks >= 1))
    throw invalid(
      `replication.acks must be a whole number of at least 1, or "majority", not ${String(acks)}.`,
    );
  const longest = Math.floor(commandTimeout / WAITS);
  const timeout = parseDuration(wanted ?? Math.min(TIMEOUT, longest), {
    option: 'replication.timeout',
    min: 10,
  });
  if (timeout > longest)
    throw invalid(
      `replication.timeout (${timeout} ms) must not be longer than a third of commandTimeout, which is ${longest} ms: lower it, or raise commandTimeout to ${timeout * WAITS} ms.`,
    );
  return { acks, timeout };
}

function invalid(message: string): LockConfigurationError {
  return new LockConfigurationError('INVALID_OPTION', message);
}
