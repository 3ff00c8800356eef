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
    defects: [{ from: 'const cap = this.#subscription.isActive ? ', to: 'const cap = true ? ' }],
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
        from: 'if (payload !== void 0 && !this.source.wakes(payload)) return;',
        to: 'if (payload !== void 0) return;',
      },
    ],
  },
];
