/**
 * Defects of the connections, which only simulated sockets under the Redis clients can find: like those of planted.defects.mjs.
 * @type {readonly { name: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED_SOCKETS = [
  {
    name: "a reply after a reconnect that is taken for an earlier command's",
    defects: [
      { from: 'maxRetriesPerRequest: 0,', to: 'maxRetriesPerRequest: null,' },
      { from: 'self.resetCommandQueue();', to: '' },
    ],
  },
  {
    name: 'a subscription that is reported as made again, and was not',
    defects: [
      { from: 'const failures = await this.#subscribeAll(channels);', to: 'const failures = new Map();' },
    ],
  },
  {
    name: 'a command without a reply that counts as not sent',
    defects: [
      {
        from: 'return new RedisFailure("ambiguous", text, options);',
        to: 'return new RedisFailure("unsent", text, options);',
      },
    ],
  },
  {
    name: 'a connection that is given up and whose last bytes still arrive',
    defects: [{ from: 'stream.resetAndDestroy();', to: '' }],
  },
  {
    name: 'a silent connection that is not given up',
    defects: [{ from: 'if (stalled) this.stalled();', to: '' }],
  },
  {
    name: 'a channel that counts as subscribed while its client connects',
    defects: [
      {
        from: 'for (const channel of this.#wantedChannels) this.#listener?.disconnected(channel);',
        to: '',
      },
      { from: 'lifecycle.onReady(() => void this.resubscribe());', to: '' },
    ],
  },
];
