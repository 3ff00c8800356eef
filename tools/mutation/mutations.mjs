/**
 * A defect that a named test has to find.
 * @typedef {object} Mutation
 * @property {string} name what is taken away
 * @property {string} file where, from the root
 * @property {string} from text that stands there exactly once
 * @property {string} to what it becomes
 * @property {string} [project] of vitest.config.ts; `integration` by default
 * @property {string} spec the test's file
 * @property {string} test its full name: its groups' and its own, with spaces between them
 * @property {number} [steps] how many steps a model test makes, for those that look at many
 */

/** @type {readonly Mutation[]} */
export const MUTATIONS = [
  {
    name: 'no owner check on release',
    file: 'lua/reentrant/release.lua',
    from: `local held = tonumber(redis.call('HGET', lock, holder))\n`,
    to: `local held = tonumber(redis.call('HGET', lock, holder)) or 1\n`,
    spec: 'test/protocol/reentrant.repeat.spec.ts',
    test: 'a release whose reply was lost finds nothing at its repeat, and leaves the next holder alone',
  },
  {
    name: 'no second attempt after subscribing',
    file: 'libs/distributed-lock/src/locks/contender.ts',
    from: `void this.#subscription.answered.then(() => this.#signal.wake());`,
    to: ``,
    spec: 'test/faults/late.answers.spec.ts',
    test: 'a release between the first attempt and the subscription wakes the waiter at once',
  },
  {
    name: 'local deadline from the reply instead of the sending',
    file: 'libs/distributed-lock/src/locks/timely.answer.ts',
    from: `return { reply: first, sent: asked, first };`,
    to: `return { reply: first, sent: instant(), first };`,
    spec: 'test/faults/late.answers.spec.ts',
    test: 'a slow reply does not lengthen the belief in a lease, which counts from the sending',
  },
  {
    name: 'no tick mark',
    file: 'lua/tick/claim.lua',
    from: `  redis.call('HSET', record, 'mark', text(tick))\n`,
    to: ``,
    spec: 'test/protocol/tick.repeat.spec.ts',
    test: 'a claim whose reply was lost is taken when it comes again after its run has ended',
  },
  {
    name: 'local queue not FIFO',
    file: 'libs/distributed-lock/src/waiting/waiter.queue.ts',
    from: `    return this.#first;\n`,
    to: `    return this.#last;\n`,
    spec: 'test/locks/reentrant.conformance.spec.ts',
    test: 'a re-entrant lock waiters in order of one service are granted in their order, whoever held the lock',
  },
  {
    name: 'a waiter that leaves keeps its wait in the times behind it',
    file: 'lua/parts/leave-queue.lua',
    from: `    moveTimes(fair, holder, false, -math.abs(wait))\n`,
    to: `    moveTimes(fair, holder, false, 0)\n`,
    spec: 'test/models/fair.model.spec.ts',
    test: 'whatever five holders of two languages do to a fair lock the store is as the model says after each step',
    steps: 5000,
  },
  {
    name: 'a dead head of ours stands in the way for its whole wait',
    file: 'lua/parts/prune-queue.lua',
    from: `    elseif wait and alive <= fair.now then\n`,
    to: `    elseif wait and alive < 0 then\n`,
    spec: 'test/models/fair.model.spec.ts',
    test: 'whatever five holders of two languages do to a fair lock the store is as the model says after each step',
    steps: 5000,
  },
  {
    name: 'a final release tells nobody that waits',
    file: 'lua/fair/release.lua',
    from: `  if news or redis.call('EXISTS', fair.lock) == 0 then\n`,
    to: `  if news then\n`,
    spec: 'test/models/fair.model.spec.ts',
    test: 'whatever five holders of two languages do to a fair lock the store is as the model says after each step',
    steps: 5000,
  },
  {
    name: 'a waiter near its time does not get its wait again',
    file: 'lua/fair/acquire.lua',
    from: `    moveTimes(fair, holder, true, fair.now + declared - time)\n`,
    to: `    moveTimes(fair, holder, true, 0)\n`,
    spec: 'test/models/fair.crowd.spec.ts',
    test: 'people who wait for a fair lock as the library does have it in the order in which they came, at once, without asking much, and leave nothing',
    steps: 30_000,
  },
  {
    name: 'no hold keys',
    file: 'lua/read/acquire.lua',
    from: `      redis.call('SET', key, 1, 'PX', lease)\n`,
    to: ``,
    spec: 'test/protocol/read.spec.ts',
    test: 'over RESP2 a read acquire takes a free lock',
  },
  {
    name: 'no message at a downgrade',
    file: 'lua/write/release.lua',
    from: `return {1, tell(publish, channel, '1')}`,
    to: `return {1, left == 0 and tell(publish, channel, '1') or 0}`,
    spec: 'test/protocol/write.spec.ts',
    test: 'over RESP2 a write release leaves the lock to its read holds, and wakes the readers (D7)',
  },
  {
    name: 'a read release ignores the holds of others',
    file: 'lua/read/release.lua',
    from: `local left = longestRead(lock)\n`,
    to: `local left = count > 0 and longestRead(lock) or 0\n`,
    spec: 'test/protocol/read.spec.ts',
    test: 'over RESP2 a read release leaves the lock to others, for as long as the longest of them',
  },
  {
    name: 'a partial write release shortens a read hold',
    file: 'lua/write/release.lua',
    from: `math.max(lease, longestRead(lock))`,
    to: `lease + 0 * longestRead(lock)`,
    spec: 'test/protocol/write.spec.ts',
    test: 'over RESP2 a write release restores no lease below its longest read hold (D17)',
  },
  {
    name: 'no hold key for a read hold: both read',
    file: 'lua/read/acquire.lua',
    from: `      redis.call('SET', key, 1, 'PX', lease)\n`,
    to: ``,
    project: 'interop',
    spec: 'test/interop/r.rows.spec.ts',
    test: 'R1 J and N both read, and unlock in either order: the lock stays until the last one',
  },
  {
    name: 'no hold key for a read hold: a writer waits',
    file: 'lua/read/acquire.lua',
    from: `      redis.call('SET', key, 1, 'PX', lease)\n`,
    to: ``,
    project: 'interop',
    spec: 'test/interop/r.rows.spec.ts',
    test: 'R2 J reads, N reads, J unlocks, a writer of J waits: granted after the unlock of N only',
  },
];
