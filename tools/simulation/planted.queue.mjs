/**
 * Defects of the queue of processes, as those of `planted.defects.mjs`. A single guard, check or message that is missing is made good by another
 * one: what has to be found is where two are missing, or where two processes get the lock.
 * @type {readonly { name: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED_QUEUE = [
  {
    name: 'a process that has taken the lock and keeps its place',
    defects: [
      {
        from: 'let hasCome = equal(first(G["redis.call"]("ZREM", get(queue, "waiting"), holder)), 1);',
        to: 'let hasCome = false;',
      },
    ],
  },
  {
    name: 'a short lease at a lock that is held',
    defects: [
      {
        from: 'if (isTrue(current)) { let [listeners, first, _, second]',
        to: 'if (false) { let [listeners, first, _, second]',
      },
    ],
  },
  {
    name: 'a process that has taken the lock to write and keeps its place',
    defects: [
      {
        from: 'let wasGiven = equal(first(G["redis.call"]("ZREM", get(queue, "waiting"), holder)), 1);',
        to: 'let wasGiven = false;',
      },
    ],
  },
  {
    name: 'a short lease to write while others read',
    defects: [
      {
        from: 'if (!isTrue(mode) || isTrue(isBack)) {',
        to: 'if (!isTrue(mode) || isTrue(isBack) || equal(mode, "read")) {',
      },
    ],
  },
  {
    name: 'a process that was notified and does not come, and no guard that finds out',
    defects: [
      { from: 'else onAbsent(this.#place);', to: '' },
      { from: 'this.#checkIn(CHECK.crowded); this.owner.passOn(false);', to: '' },
    ],
  },
  {
    name: 'permits that a place is given, and that stay available',
    defects: [
      {
        from: 'G["redis.call"]("DECRBY", get(queue, "lock"), or(first(call(wantedOf, place)), () => 1));',
        to: '',
      },
    ],
  },
  {
    name: 'a place that is taken before its channel is subscribed',
    defects: [
      { from: 'if (this.#subscription?.isActive !== true) return void 0;', to: '' },
      { from: 'this.#checkIn(CHECK.crowded); this.owner.passOn(false);', to: '' },
    ],
  },
];
