/**
 * The rules of ticks, which docs/ticks.md promises.
 *
 * - `once`: a tick runs once; under `retry` again after a crash, as a later attempt, and never after its end was recorded.
 * - `one at a time`: a run begins when the one before it has ended, or its signal was aborted.
 * - `begun`: a run begins under its lock.
 * - `in time`: no run is granted before its instant by the store's clock.
 * - `paused`: no tick of a paused job is granted.
 * - `period`: an interval starts once per period, a `@Timeout` once within `minInterval`.
 * - `maxHold`: the signal of a run aborts after `maxHold`.
 * - `runNow`: it says soon whether the run has started.
 * - `accounted`: each tick is run, or its record says why.
 * - `record`: a row has a reason, and says what has happened; without faults nothing is missed and no run dies.
 * - `recorded`: each run has a row, with its outcome.
 * - `waits`: what waits is run in time.
 * - `left`: in the end nothing waits in a record, and it has no field that the docs do not name.
 */
export type TickRule =
  | 'once'
  | 'one at a time'
  | 'begun'
  | 'in time'
  | 'paused'
  | 'period'
  | 'maxHold'
  | 'runNow'
  | 'accounted'
  | 'record'
  | 'recorded'
  | 'waits'
  | 'left';
