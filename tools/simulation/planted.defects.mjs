/**
 * Defects that are put into the built simulation, one at a time, to see whether it finds them. Each text stands there once.
 * @type {readonly { name: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED = [
  {
    name: 'a lease that is counted from its reply',
    defects: [
      {
        from: 'this.#deadline = Math.floor(sent.at) + ttl - this.#margin;',
        to: 'this.#deadline = Math.floor(now()) + ttl - this.#margin;',
      },
      {
        from: 'const deadline = Math.floor(sent.at) + left - this.#margin;',
        to: 'const deadline = Math.floor(now()) + left - this.#margin;',
      },
      { from: 'const end = sentAt + ttl;', to: 'const end = now() + ttl;' },
    ],
  },
  {
    name: 'a hold that does not look at its deadline',
    defects: [{ from: 'if (this.#ended || at < this.nextDeadline) return;', to: 'return;' }],
  },
  {
    name: 'an attempt that is given up and not undone',
    defects: [{ from: 'if (this.#ambiguousFailure === void 0 && !this.#marked) return;', to: 'return;' }],
  },
  {
    name: 'a waiter that sleeps on without its subscription',
    defects: [{ from: 'const cap = isActive ? ', to: 'const cap = true ? ' }],
  },
  {
    name: 'a release that is not repeated',
    defects: [
      {
        from: 'const done = context.backgroundRelease.release({',
        to: 'const done = Promise.resolve("unanswered"); ({',
      },
    ],
  },
  {
    name: 'a message that does not wake its waiter',
    defects: [
      {
        from: 'if (payload === void 0 || wakes(payload)) sleeper.onMessage(payload);',
        to: 'if (payload === void 0) sleeper.onMessage(payload);',
      },
    ],
  },
  {
    name: 'a release that does not check its owner',
    // Of a lone call, and of one of many operations.
    defects: ['"0"', '0'].map((none) => {
      const isFree = `equal(count, ${none}) && (equal(waiting, lock) || equal(first(G["redis.pcall"]("EXISTS", waiting)), 0))`;
      return { from: `${isFree} && equal(first(G["redis.pcall"]("HGET", lock, holder)), "1")`, to: isFree };
    }),
  },
  {
    name: 'a lock that is stored without its lease',
    defects: [
      {
        from: 'G["redis.call"]("HSET", lock, holder, "1"); G["redis.call"]("PEXPIRE", lock, lease); return [1];',
        to: 'G["redis.call"]("HSET", lock, holder, "1"); return [1];',
      },
    ],
  },
  {
    name: 'a release that publishes nothing',
    defects: [
      { from: 'let reached = first(G["redis.pcall"](publish, channel, "0"));', to: 'let reached = 0;' },
    ],
  },
  {
    name: 'a re-entry that shortens the lease',
    defects: [
      {
        from: 'held = count; } if (less(first(G["redis.call"]("PTTL", lock)), lease)) G["redis.call"]("PEXPIRE", lock, lease);',
        to: 'held = count; } G["redis.call"]("PEXPIRE", lock, lease);',
      },
    ],
  },
  {
    name: 'a token that does not rise where the clock stands still',
    defects: [{ from: 'if (greaterOrEqual(last, clock)) G', to: 'if (last > clock) G' }],
  },
  {
    name: 'a fair lock that is taken out of turn',
    defects: [{ from: '&& (!isTrue(head) || equal(head, holder))', to: '' }],
  },
  {
    name: 'a dead waiter that keeps its place in the queue',
    defects: [{ from: 'lessOrEqual(alive, get(fair, "now"))', to: 'false' }],
  },
  {
    name: 'a fair waiter that gives up and keeps its place, also after the next heartbeat',
    defects: [
      { from: 'mustNotify = first(call(leaveQueue, fair, holder));', to: 'mustNotify = false;' },
      {
        from: 'const { client, last } = this.context.ids;',
        to: 'const { client } = this.context.ids, last = 0;',
      },
    ],
  },
  {
    name: 'a heartbeat that does not name the waiters of its process',
    defects: [{ from: 'live: this.owner.live', to: 'live: []' }],
  },
  {
    name: 'a reader that does not look for a writer',
    defects: [
      { from: 'if (equal(mode, "write") && !equal(writer, holder)) return', to: 'if (false) return' },
    ],
  },
  {
    name: 'a writer that does not look for readers',
    defects: [
      {
        from: 'if (isTrue(mode)) { if (greater(sleep, 0)',
        to: 'if (mode === "write") { if (greater(sleep, 0)',
      },
    ],
  },
  {
    name: 'a scope that reads again while a lost read of it may still be released',
    defects: [{ from: 'if (!this.has(holder)) return;', to: 'return;' }],
  },
  {
    name: 'a reader whose release ends the reads of others',
    defects: [{ from: 'if (equal(left, 0) && !isTrue(writer)) {', to: 'if (!isTrue(writer)) {' }],
  },
  {
    name: 'a channel that counts as subscribed while its connection is away',
    defects: [{ from: 'channel.isActive = false;', to: '' }],
  },
  {
    name: 'a renewal that comes after the end of its lease',
    defects: [{ from: 'from + leaseTime / 3 - shift', to: 'from + leaseTime * 1.2 - shift' }],
  },
  {
    name: 'a grant without a waiter any more, and that is kept',
    defects: [
      {
        from: 'if (waiter === void 0) this.giveBack(result.holder, this.leaseOf(result).longestTtl);',
        to: 'if (waiter === void 0) return;',
      },
      {
        from: 'if (waiter.isDone) this.giveBack(result.holder, this.leaseOf(result).longestTtl);',
        to: 'if (waiter.isDone) return;',
      },
    ],
  },
  {
    name: 'a hold that is lost and wakes no waiter of its process',
    defects: [
      {
        from: 'this.releaseWriteSide(hold.lease); if (this.hasWaiters) this.wakeLoop(this);',
        to: 'this.releaseWriteSide(hold.lease);',
      },
    ],
  },
  {
    name: 'a message during a request that is forgotten',
    defects: [
      {
        from: 'sleep(delay) { return this.#wakeSignal.sleep(delay);',
        to: 'sleep(delay) { this.#wakeSignal.clear(); return this.#wakeSignal.sleep(delay);',
      },
    ],
  },
  {
    name: 'a release after which the waiters of its process are forgotten',
    defects: [
      {
        from: 'if (this.first !== void 0) this.wakeLoop(this);',
        to: '',
      },
    ],
  },
];
