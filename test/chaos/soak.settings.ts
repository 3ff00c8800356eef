import { parseArgs } from 'node:util';
import { SORTS } from './chaos.crew.js';
import type { LockSort, Topology } from './chaos.types.js';
import type { Profile } from './faults/fault.table.js';

const TOPOLOGIES: readonly Topology[] = ['standalone', 'sentinel', 'cluster'];
const PROFILES: readonly Profile[] = ['strict', 'lossy', 'mixed'];

/** What the soak is asked for. */
export interface SoakSettings {
  readonly minutes: number;
  readonly topology: Topology;
  readonly profile: Profile;
  readonly seed: number;
  /** Names of faults; all of the profile where there are none. */
  readonly faults: readonly string[];
  /** Each fault alone, one run after another. */
  readonly each: boolean;
  readonly workers: number;
  /** Of the locks; undefined: all but red ones. */
  readonly kinds: readonly LockSort[] | undefined;
  /** Locks of each kind. */
  readonly names: number;
  /** A folder in which the histories that Porcupine judges are kept; undefined: none. */
  readonly histories: string | undefined;
}

export const USAGE = `npm run soak -- [--minutes 10] [--topology ${TOPOLOGIES.join('|')}] [--profile ${PROFILES.join('|')}]
               [--seed N] [--faults 'reply lost,FLUSHALL'] [--workers 4] [--kinds 'reentrant,fair'] [--names 2]
               [--each] [--histories FOLDER]
  --each: every fault of the profile alone, 10 s each unless --minutes says otherwise`;

/** @throws with a sentence about what cannot be read */
export function readSettings(args: readonly string[]): SoakSettings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: 'string' },
      topology: { type: 'string', default: 'standalone' },
      profile: { type: 'string', default: 'mixed' },
      seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
      faults: { type: 'string', default: '' },
      workers: { type: 'string', default: '4' },
      kinds: { type: 'string', default: '' },
      names: { type: 'string', default: '2' },
      each: { type: 'boolean', default: false },
      histories: { type: 'string' },
    },
  });
  const kinds = listOf(values.kinds);
  return {
    minutes: positive('minutes', values.minutes ?? (values.each ? `${1 / 6}` : '10')),
    topology: oneOf('topology', TOPOLOGIES, values.topology),
    profile: oneOf('profile', PROFILES, values.profile),
    seed: Number(values.seed),
    faults: listOf(values.faults),
    each: values.each,
    workers: positive('workers', values.workers),
    kinds: kinds.length === 0 ? undefined : kinds.map((kind) => oneOf('kinds', SORTS, kind)),
    names: positive('names', values.names),
    histories: values.histories,
  };
}

function listOf(text: string): string[] {
  return text.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${option} ${text}: give a number above 0`);
  return value;
}

function oneOf<T extends string>(option: string, values: readonly T[], text: string): T {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`--${option} ${text}: give one of ${values.join(', ')}`);
  return found;
}
