/**
 * Defects of what is made of locks, and of counters: like those of planted.defects.mjs.
 * @type {readonly { name: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED_KINDS = [
  {
    name: 'a multi lock that fails and keeps what it got',
    defects: [
      {
        from: 'await release(held); if (now() >= end) throw this.#timeUp(',
        to: 'if (now() >= end) throw this.#timeUp(',
      },
    ],
  },
  {
    name: 'a multi lock that is held while one of its locks is lost',
    defects: [
      {
        from: 'return this.#count(({ isHeld }) => isHeld) >= this.#needed;',
        to: 'return this.#count(({ isHeld }) => isHeld) > 0;',
      },
    ],
  },
  {
    name: 'a multi lock that does not wait while Redis refuses',
    defects: [
      {
        from: 'error.cause instanceof RedisFailure && error.cause.isTransient;',
        to: 'error.code === "UNAVAILABLE";',
      },
    ],
  },
  {
    name: 'a shutdown that does not release what is still held',
    defects: [
      {
        from: 'hold.lose(LOSSES.shutDown); if (release === void 0)',
        to: 'hold.lose(LOSSES.shutDown); if (Number(lease) !== 0) continue; if (release === void 0)',
      },
    ],
  },
  {
    name: 'a leader that does not look at its lease',
    defects: [{ from: 'return this.handle.isHeld && !this.handle.isAborted;', to: 'return true;' }],
  },
  {
    name: 'a candidate that has led and does not campaign again',
    defects: [
      { from: 'if (!this.#hasLeft) await this.#rest.sleep(this.#pause());', to: 'await this.#left;' },
    ],
  },
  {
    name: 'a permit that is granted though none is left',
    defects: [
      {
        from: 'if (equal(available, void 0) || less(available, 1)) {',
        to: 'if (equal(available, void 0)) {',
      },
    ],
  },
  {
    name: 'a permit whose lease is over, and that is not given back',
    defects: [{ from: 'available = first(G["redis.call"]("INCRBY", lock, count));', to: '' }],
  },
  {
    name: 'a request for permits that is given up and not undone',
    defects: [
      {
        from: 'const failure = this.#ambiguousFailure; if (failure === void 0 && !this.#isPlaced) return;',
        to: 'return;',
      },
    ],
  },
  {
    name: 'a repeated release that gives permits back twice',
    defects: [
      {
        from: 'if (isTrue(done)) return [table([ 1, first(G["tonumber"](done)), 0',
        to: 'if (false) return [table([ 1, done, 0',
      },
    ],
  },
  {
    name: 'a number of permits that is set without those that are taken',
    defects: [
      {
        from: 'subtract(subtract(total, available), taken)',
        to: 'subtract(total, available)',
      },
    ],
  },
  {
    name: 'a drain that leaves a number below 0',
    defects: [
      {
        from: 'if (!equal(available, 0)) { G["redis.call"]("DECRBY", lock,',
        to: 'if (greater(available, 0)) { G["redis.call"]("DECRBY", lock,',
      },
    ],
  },
  {
    name: 'a latch that opens and publishes nothing',
    defects: [{ from: 'if (equal(left, 0)) call(publishMessage, publish, channel, "0");', to: '' }],
  },
  {
    name: 'a repeated call that counts a latch down twice',
    defects: [{ from: 'if (isTrue(done)) return [table([1, ...G["tonumber"](done)])];', to: '' }],
  },
  {
    name: 'a call without an answer that is not repeated',
    defects: [
      {
        from: 'return await this.#retryInBackground(call, what, () => promisedLate(sendCall), { failure, late });',
        to: 'throw unavailable(this.target.name, failure);',
      },
    ],
  },
];
