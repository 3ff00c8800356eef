/**
 * @typedef {object} Mutation
 * @property {string} what is taken away
 * @property {string} file the source that is changed
 * @property {string} from a text that stands in it once
 * @property {string} to
 * @property {string} spec where the test stands
 * @property {string} test its name, or the end of it
 */

/** Each breaks one promise, and each is noticed by the named test. @type {readonly Mutation[]} */
export const MUTATIONS = [
  {
    what: 'no owner check on release',
    file: 'lua/reentrant/release.lua',
    from: '  if held == nil then\n    return {0}\n  end\n  if count > 0 then',
    to: '  if held and count > 0 then',
    spec: 'test/locks/reentrant.conformance.spec.ts',
    test: 'does not reach the holder that comes next',
  },
  {
    what: 'no second attempt after subscribing',
    file: 'libs/distributed-lock/src/locks/contender.ts',
    from: '      void this.#subscription.answered.then(() => this.#signal.wake());\n',
    to: '',
    spec: 'test/faults/late.answers.spec.ts',
    test: 'a release between the first attempt and the subscription wakes the waiter at once',
  },
  {
    what: 'local deadline from the reply instead of the sending',
    file: 'libs/distributed-lock/src/locks/timely.answer.ts',
    from: '  const asked = instant();\n  const first = await ask();\n',
    to: '  const first = await ask();\n  const asked = instant();\n',
    spec: 'test/faults/late.answers.spec.ts',
    test: 'does not lengthen the belief in a lease, which counts from the sending',
  },
  {
    what: 'no tick mark',
    file: 'lua/tick/claim.lua',
    from: '  if mark and (tick <= mark or',
    to: '  if mark and (false or',
    spec: 'test/ticks/fleet.spec.ts',
    test: 'three instances run a 5 ms job once per tick',
  },
  {
    what: 'local queue not FIFO',
    file: 'libs/distributed-lock/src/waiting/waiter.queue.ts',
    from: '    const first = this.#first;\n    if (first !== undefined) this.remove(first);\n    return first;',
    to: '    const last = this.#last;\n    if (last !== undefined) this.remove(last);\n    return last;',
    spec: 'test/locks/reentrant.conformance.spec.ts',
    test: 'of one service are granted in their order, whoever held the lock',
  },
];
