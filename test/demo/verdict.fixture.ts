import type { TickRecord } from 'nestjs-distributed-lock';
import type { AccountFacts, Facts, JournalEntry } from '../../sample-app/demo/demo.types.js';

export const PERIOD = 2_000;
const FIRST = Date.UTC(2030, 0, 1, 12);
export const LEASE = 2_000;
export const ACCOUNTS = ['alice', 'bob', 'carol'];

/** The n-th tick of the window. */
export const at = (n: number): number => FIRST + n * PERIOD;

export function row(
  n: number,
  outcome: TickRecord['outcome'],
  changes: Partial<TickRecord> = {},
): TickRecord {
  const ran = outcome === 'completed' || outcome === 'crashed';
  return {
    tick: at(n),
    outcome,
    attempt: ran ? 1 : 0,
    app: 'demo',
    instance: 'host:1:id',
    start: at(n) + 5,
    ...(outcome === 'completed' ? { end: at(n) + 600 } : {}),
    ...(ran ? {} : { reason: 'because' }),
    ...changes,
  };
}

/** A run in the journal that charged that many accounts; it finished when it charged all. */
export function run(n: number, instance: string, charged = ACCOUNTS.length): JournalEntry[] {
  const base = { at: at(n) + 6, run: `run-${n}-${instance}`, tick: at(n), instance, account: '' };
  return [
    { ...base, event: 'started' },
    ...ACCOUNTS.slice(0, charged).map((id): JournalEntry => ({ ...base, event: 'charged', account: id })),
    ...(charged === ACCOUNTS.length ? [{ ...base, event: 'finished' } as const] : []),
  ];
}

export function account(id: string, changes: Partial<AccountFacts> = {}): AccountFacts {
  return { id, opened: 1000, confirmed: -120, unanswered: -30, fees: 25, found: 825, ...changes };
}

/** Six ticks: three good ones around a crash in the second, whose lease covers the third. */
export function good(): Facts {
  return {
    library: true,
    window: { first: at(0), last: at(5), period: PERIOD },
    lease: LEASE,
    records: [
      row(0, 'completed'),
      row(1, 'crashed'),
      row(2, 'overlapped'),
      row(3, 'completed'),
      row(4, 'completed'),
      row(5, 'completed'),
    ],
    journal: [
      ...run(0, 'instance-1'),
      ...run(1, 'instance-2', 1),
      ...run(3, 'instance-3'),
      ...run(4, 'instance-1'),
      ...run(5, 'instance-3'),
    ],
    kills: [{ tick: at(1), run: 'run-1-instance-2', instance: 'instance-2', pid: 2, at: at(1) + 90 }],
    accounts: ACCOUNTS.map((id) => account(id)),
    problems: [],
  };
}
