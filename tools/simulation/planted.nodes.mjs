import { PLANTED_KINDS } from './planted.kinds.mjs';
import { PLANTED_TICKS } from './planted.ticks.mjs';

/** Defects that show on one server as well, by the topology that is to find them too. */
const AS_ON_ONE = {
  sentinel: [
    'a candidate that has led and does not campaign again',
    'a request for permits that is given up and not undone',
    'a repeated call that counts a latch down twice',
    'a tick that is granted again while it is the newest one',
    'a gap that is not recorded',
  ],
  cluster: [
    'a multi lock that fails and keeps what it got',
    'a multi lock that does not wait while Redis refuses',
    'a permit that is granted though none is left',
    'a repeated release that gives permits back twice',
    'a latch that opens and publishes nothing',
    'an interval that is granted at half of its period',
  ],
};

/**
 * Defects of what is made of locks, of counters and of ticks, on servers with replicas: like those of planted.topologies.mjs.
 * @type {readonly { name: string, topology: string, defects: readonly { from: string, to: string }[] }[]}
 */
export const PLANTED_NODES = [
  {
    name: 'permits that wait for no replica',
    topology: 'sentinel',
    defects: [{ from: 'perCall: PERMITS_PER_CALL, grants', to: 'perCall: PERMITS_PER_CALL' }],
  },
  {
    name: 'a claim that waits for no replica',
    topology: 'sentinel',
    defects: [
      {
        from: 'return await this.runner.run(this.#request(script, keys, args, { publishes: true, grants }));',
        to: 'return await this.runner.run(this.#request(script, keys, args, { publishes: true }));',
      },
    ],
  },
  ...Object.entries(AS_ON_ONE).flatMap(([topology, names]) =>
    [...PLANTED_KINDS, ...PLANTED_TICKS]
      .filter(({ name }) => names.includes(name))
      .map(({ name, defects }) => ({ name: `${name}, on ${topology}`, topology, defects })),
  ),
];
