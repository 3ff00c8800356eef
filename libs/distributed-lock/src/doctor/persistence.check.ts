import { RedisFailure } from '../redis/redis.failure.js';
import type { ServerPort } from '../connections/server.session.js';
import type { ServerFacts } from '../startup/server.facts.js';
import type { Finding } from '../startup/server.findings.js';

const REMEDY =
  'Set appendonly yes, or accept that a restart releases all locks and forgets the ticks of jobs.';

/** What the server keeps over a restart. */
export async function checkPersistence(
  server: ServerPort,
  { isAppending, unwritten }: ServerFacts,
): Promise<Finding> {
  const check = 'persistence';
  if (unwritten !== undefined)
    return {
      check,
      status: 'fail',
      text: `${unwritten} could not be written: the server may refuse all writes (MISCONF)`,
      remedy: 'Check the disk and the log of the server.',
    };
  if (isAppending === undefined)
    return {
      check,
      status: 'warn',
      text: 'the server does not report whether it writes to disk',
      remedy: 'Check the settings of your provider.',
    };
  if (isAppending) return { check, status: 'ok', text: 'append-only file' };
  const points = await snapshotsOf(server);
  const text =
    points === undefined
      ? 'no append-only file: a restart goes back to a snapshot, if there is one'
      : points === ''
        ? 'nothing is written to disk: a restart forgets held locks'
        : 'snapshots only: a restart goes back to the last one, and forgets later locks';
  return { check, status: 'warn', text, remedy: REMEDY };
}

/** The times of snapshots; undefined where the user may not read them, as with managed servers. */
async function snapshotsOf(server: ServerPort): Promise<string | undefined> {
  try {
    const reply = await server.ask('CONFIG', 'GET', 'save');
    return Array.isArray(reply) && typeof reply[1] === 'string' ? reply[1] : undefined;
  } catch (error) {
    if (error instanceof RedisFailure && error.kind === 'refused') return undefined;
    throw error;
  }
}
