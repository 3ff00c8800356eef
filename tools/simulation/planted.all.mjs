import { PLANTED } from './planted.defects.mjs';
import { PLANTED_KINDS } from './planted.kinds.mjs';
import { PLANTED_NODES } from './planted.nodes.mjs';
import { PLANTED_QUEUE } from './planted.queue.mjs';
import { PLANTED_SOCKETS } from './planted.sockets.mjs';
import { PLANTED_TICKS } from './planted.ticks.mjs';
import { PLANTED_TOPOLOGIES } from './planted.topologies.mjs';

/** All defects, and where in the simulation each of them shows. */
export const ALL_PLANTED = [
  ...PLANTED.map((planted) => ({ ...planted, where: ['--topology', 'one'] })),
  ...PLANTED_KINDS.map((planted) => ({ ...planted, where: ['--topology', 'one'] })),
  ...PLANTED_QUEUE.map((planted) => ({ ...planted, where: ['--topology', 'one'] })),
  ...PLANTED_TICKS.map((planted) => ({ ...planted, where: ['--topology', 'one'] })),
  ...PLANTED_SOCKETS.map((planted) => ({ ...planted, where: ['--layer', 'socket'] })),
  ...[...PLANTED_TOPOLOGIES, ...PLANTED_NODES].map((planted) => ({
    ...planted,
    where: ['--topology', planted.topology],
  })),
];
