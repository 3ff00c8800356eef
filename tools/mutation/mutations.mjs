/**
 * A defect that a named test has to find.
 * @typedef {object} Mutation
 * @property {string} name what is taken away
 * @property {string} file where, from the root
 * @property {string} from text that stands there exactly once
 * @property {string} to what it becomes
 * @property {string} spec the test's file
 * @property {string} test its full name: its groups' and its own, with spaces between them
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
    from: `  shift(): Waiter<G> | undefined {\n    const first = this.#first;`,
    to: `  shift(): Waiter<G> | undefined {\n    const first = this.#last;`,
    spec: 'test/locks/reentrant.conformance.spec.ts',
    test: 'a re-entrant lock waiters in order of one service are granted in their order, whoever held the lock',
  },
];
