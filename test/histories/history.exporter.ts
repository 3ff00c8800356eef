import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { BelievedGrant, HoldRecord } from './hold.record.js';
import { linesOf, type Operation } from './operation.js';

/**
 * The operations of holds: an acquisition lasts from its call to the first instant at which its holder believed in it, a release from
 * the last such instant to its answer. An acquisition that was not granted is no operation: no caller relied on it.
 */
export function operationsOf(records: readonly HoldRecord[]): Operation[] {
  const operations = records.flatMap((record) => {
    const grants = [record, ...(record.reentries ?? []).map((inner) => within(record, inner))];
    return record.keys.flatMap((key) => grants.flatMap((grant) => pairOf(record, key, grant)));
  });
  return operations.toSorted((one, other) => one.call - other.call);
}

/** Writes one history to a file, and makes its folder. */
export async function writeHistory(path: string, records: readonly HoldRecord[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, linesOf(operationsOf(records)));
}

/** A lease that ends takes the re-entries with it. */
function within(outer: HoldRecord, inner: BelievedGrant): BelievedGrant {
  return { ...inner, until: Math.min(inner.until, outer.until) };
}

function pairOf(record: HoldRecord, key: string, grant: BelievedGrant): Operation[] {
  const { client, kind, owner, side, room, places, lostFrom = Infinity } = record;
  const whose = { client, kind, key, owner, side, room, places };
  const call = Math.floor(grant.call);
  const acquire: Operation = {
    ...whose,
    op: 'acquire',
    call,
    return: Math.max(call, Math.ceil(grant.held)),
    token: grant.token,
  };
  const last = Math.floor(Math.min(grant.until, lostFrom));
  if (last === Infinity) return [acquire];
  const release: Operation = {
    ...whose,
    op: 'release',
    call: last,
    return: Math.max(last, Math.ceil(grant.answered)),
  };
  return [acquire, release];
}
