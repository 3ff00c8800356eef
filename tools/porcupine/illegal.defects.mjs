import { PLANTED } from '../simulation/planted.defects.mjs';
import { PLANTED_TOPOLOGIES } from '../simulation/planted.topologies.mjs';

/**
 * Planted defects that let two callers in: no order of what these did is one of a lock. `soon`: in nearly each run.
 * @type {ReadonlyMap<string, 'soon' | 'late'>}
 */
const SHOWN = new Map([
  ['a hold that does not look at its deadline', 'soon'],
  ['a release that does not check its owner', 'late'],
  ['a reader that does not look for a writer', 'late'],
  ['a writer that does not look for readers', 'soon'],
  ['a reader whose release ends the reads of others', 'late'],
  ['a quorum of two of five', 'soon'],
  ['a server that counts as soon as it has started', 'late'],
]);

const ALL = [...PLANTED.map((planted) => ({ ...planted, topology: 'one' })), ...PLANTED_TOPOLOGIES];

/** @type {readonly { name: string, defects: readonly { from: string, to: string }[], options: readonly string[], shows: 'soon' | 'late' }[]} */
export const ILLEGAL_DEFECTS = ALL.flatMap(({ name, defects, topology }) => {
  const shows = SHOWN.get(name);
  return shows === undefined ? [] : [{ name, defects, shows, options: ['--topology', topology] }];
});
