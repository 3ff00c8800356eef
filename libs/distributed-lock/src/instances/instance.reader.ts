import type { InstanceLock, LockInstance } from '../contracts/fleet.contract.js';
import type { StoredInstance } from './instance.scripts.js';

/** Reads what an instance has reported; undefined for what is unreadable. Another version of this library may have written it. */
export function readInstance({ client, seen, info, jobs }: StoredInstance): LockInstance | undefined {
  const said = json(info);
  if (typeof said !== 'object' || said === null) return undefined;
  const { app, name, version, age, held, waiting, locks, elections }: Partial<Record<string, unknown>> = {
    ...said,
  };
  const place = /^(.*):(\d+)$/.exec(textOf(name));
  return {
    id: client,
    app: textOf(app),
    host: place?.[1] ?? textOf(name),
    pid: Number(place?.[2] ?? 0),
    version: textOf(version),
    started: seen - numberOf(age),
    seen,
    held: numberOf(held),
    waiting: numberOf(waiting),
    jobs: readPairs(json(jobs)).map(([job, isOn]) => ({ job, isOn })),
    locks: readLocks(locks),
    elections: readPairs(elections).map(([key, isLeader]) => ({ key, isLeader })),
  };
}

/** Names, each with a yes or no. */
function readPairs(rows: unknown): [string, boolean][] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown): [string, boolean][] => {
    const [name, answer]: unknown[] = Array.isArray(row) ? row : [];
    return typeof name === 'string' ? [[name, answer === 1]] : [];
  });
}

function readLocks(rows: unknown): InstanceLock[] {
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row: unknown): InstanceLock[] => {
    const [name, permits, waiting]: unknown[] = Array.isArray(row) ? row : [];
    return typeof name === 'string' ? [{ name, permits: numberOf(permits), waiting: numberOf(waiting) }] : [];
  });
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
