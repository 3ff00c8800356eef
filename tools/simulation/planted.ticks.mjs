/**
 * Defects of ticks: like those of planted.defects.mjs. Most are in the scripts, which the store in memory runs as JavaScript.
 * @type {readonly { name: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED_TICKS = [
  {
    name: 'a tick that is granted again while it is the newest one',
    defects: [
      { from: 'isTrue(mark) && (lessOrEqual(tick, mark) ||', to: 'isTrue(mark) && (less(tick, mark) ||' },
    ],
  },
  {
    name: 'a tick that is granted before its instant',
    defects: [
      { from: 'if (less(at, tick)) return call(answerJob, job, 5);', to: '' },
      {
        from: 'const tick = instants.latestAt(at);\n\t\t\tif',
        to: 'const tick = instants.latestAt(at + 40);\n\t\t\tif',
      },
    ],
  },
  {
    name: 'a gap that is not recorded',
    defects: [
      {
        from: 'if (isTrue(mark) && isTrue(previous) && less(mark, previous)) call(noteTick,',
        to: 'if (false) call(noteTick,',
      },
    ],
  },
  {
    name: 'a queued tick that a newer one replaces without a record',
    defects: [
      {
        from: 'call(noteTick, job, get(job, "queued"), "overlapped", "a newer tick came before the lock was free");',
        to: '',
      },
    ],
  },
  {
    name: 'a tick of a paused job that is granted',
    defects: [
      {
        from: 'if (isTrue(get(job, "paused"))) { let hasGap',
        to: 'if (false) { let hasGap',
      },
    ],
  },
  {
    name: 'a tick that is granted while its lock is held',
    defects: [
      {
        from: 'if (!isTrue(get(job, "held"))) return call(grantRun, job, tick, 1);',
        to: 'return call(grantRun, job, tick, 1);',
      },
    ],
  },
  {
    name: 'an instance that does not wait for the end of a lease',
    defects: [{ from: 'if (wait > 0) this.#in(wait + 1', to: 'if (wait > 1e6) this.#in(wait + 1' }],
  },
  {
    name: 'an interval that is granted at half of its period',
    defects: [{ from: 'following: Math.ceil(this.gap)', to: 'following: Math.ceil(this.gap / 2)' }],
  },
  {
    name: 'a run that fails and is recorded as completed',
    defects: [
      {
        from: 'outcome: "failed",\n\t\t\t\treason: errorText(error)',
        to: 'outcome: "completed",\n\t\t\t\treason: errorText(error)',
      },
    ],
  },
  {
    name: 'a tick that a shutdown gives back, and no instance takes',
    defects: [{ from: 'else if (text === "look") this.claimSoon();', to: '' }],
  },
  {
    name: 'a claim without an answer that is not settled',
    defects: [{ from: 'this.#settle(target, claim, attempt);', to: '' }],
  },
  {
    name: 'a request that waits for a message that cannot come',
    defects: [{ from: 'now() < until && (subscription.isActive || !', to: 'now() < until && (true || !' }],
  },
  {
    name: 'a queued interval that starts right after a retry',
    defects: [
      { from: '&& less(get(job, "queued"), get(job, "mark"))) call(dropQueued, job);', to: ');' },
      { from: 'call(dropQueued, job); } return [answer];', to: '} return [answer];' },
    ],
  },
  {
    name: 'an interval whose period counts from the retry of a run that was requested by hand',
    defects: [{ from: '&& !(isTrue(get(job, "offer")) && isTrue(get(get(job, "offer"), "by")))', to: '' }],
  },
  {
    name: 'a maxHold that is not applied',
    defects: [{ from: 'if (maxHold !== Infinity) this.#timers.push(', to: 'if (false) this.#timers.push(' }],
  },
];
