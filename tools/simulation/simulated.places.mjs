const ON_ONE = ['plain', 'fair', 'fenced', 'spin', 'single', 'rw'];
const ON_NODES = ['plain', 'fair', 'fenced', 'rw'];

/**
 * Where fleets are simulated: the options of `npm run simulate`, the name of a file with what happened there, and the first parts of the
 * names of locks; and how many runs each commit has of its own, which take less than ten seconds of CPU.
 * @type {readonly { name: string, options: readonly string[], families: readonly string[], runs: number }[]}
 */
export const PLACES = [
  { name: 'one-port', options: ['--topology', 'one'], families: ON_ONE, runs: 11 },
  { name: 'one-socket', options: ['--topology', 'one', '--layer', 'socket'], families: ON_ONE, runs: 11 },
  { name: 'quorum-port', options: ['--topology', 'quorum'], families: ['red'], runs: 4 },
  { name: 'sentinel-port', options: ['--topology', 'sentinel'], families: ON_NODES, runs: 7 },
  { name: 'cluster-port', options: ['--topology', 'cluster'], families: ON_NODES, runs: 6 },
];
