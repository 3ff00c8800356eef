/**
 * Defects that show on several servers: like those of planted.defects.mjs, with the topology that finds them.
 * @type {readonly { name: string, topology: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED_TOPOLOGIES = [
  {
    name: 'a quorum of two of five',
    topology: 'quorum',
    defects: [{ from: 'return Math.floor(servers / 2) + 1;', to: 'return Math.floor(servers / 2);' }],
  },
  {
    name: 'a server that counts as soon as it has started',
    topology: 'quorum',
    defects: [
      { from: 'sent + Math.max(0, this.restartDelay - answer.age)', to: 'sent + 0 * this.restartDelay' },
    ],
  },
  {
    name: 'a round that fails and keeps what it got',
    topology: 'quorum',
    defects: [
      {
        from: 'this.#handle.giveBack().then(() => this.conclude(refusal))',
        to: 'Promise.resolve().then(() => this.conclude(refusal))',
      },
    ],
  },
  {
    name: 'a hold that is never completed',
    topology: 'quorum',
    defects: [{ from: 'if (this.leaseTime === void 0) upkeep.add(this);', to: '' }],
  },
  {
    name: 'a hold that is completed no sooner than it is renewed',
    topology: 'quorum',
    defects: [{ from: 'const FIRST_PAUSE = 200;', to: 'const FIRST_PAUSE = Infinity;' }],
  },
  {
    name: 'a hold that is lost and stays on the servers that are left',
    topology: 'quorum',
    defects: [
      {
        from: 'for (const member of this.#handle.members) member.unlock().catch(() => void 0);',
        to: '',
      },
    ],
  },
  {
    name: 'a grant that waits for no replica',
    topology: 'sentinel',
    defects: [
      {
        from: 'const { timeout } = this.acks.option;',
        to: 'const { timeout } = this.acks.option; if (timeout) return;',
      },
    ],
  },
  {
    name: 'a renewal that does not notice a loss',
    topology: 'sentinel',
    defects: [{ from: 'lease.lose();\n\t\t\tthis.#holder?.gone();', to: 'lease.confirm(sent, 3000);' }],
  },
  {
    name: 'a waiter whose slot has moved is not subscribed again',
    topology: 'cluster',
    defects: [{ from: 'connection.subscribeMoved(channels);', to: 'channels.length;' }],
  },
  {
    name: 'a script is sent to a slot on its way without ASKING',
    topology: 'cluster',
    defects: [{ from: 'const isAsking = failure.code === "ASK";', to: 'const isAsking = false;' }],
  },
];
