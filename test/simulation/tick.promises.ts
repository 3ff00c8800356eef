/** What a run may wait for. */
export type WaitKind = 'retry' | 'queue' | 'request';

/** For how long a run may wait while its lock is free and an instance could run it, in ms. */
export function boundsOf(lease: number): Readonly<Record<WaitKind, number>> {
  return {
    // docs/ticks.md: "within a second after the lease of the crashed run ends".
    retry: 1000,
    // docs/ticks.md: "not longer than the current lease".
    queue: lease,
    // docs/ticks.md: "within a second".
    request: 1000,
  };
}

/** How much longer where no message arrives, in ms: docs/ticks.md: "every 3 s". */
export const DEAF = 3000;

/** What docs/protocol.md and docs/ticks.md name of a record. */
export const FIELDS = new Set(
  [
    'v',
    'mark',
    'next',
    'success',
    'app',
    'schedule',
    'schedule_since',
    'schedule_from',
    'schedule_before',
    'since_before',
    'token',
    'holder',
    'run',
    'queued',
    'handed',
    'request',
    'served',
    'served_before',
    'paused',
  ].concat(['completed', 'failed', 'crashed', 'abandoned', 'overlapped', 'missed']),
);
