import { parseArgs } from 'node:util';

/** @typedef {import('./demo.types.js').DemoOptions} DemoOptions */

export const USAGE = `npm run demo -- [options]
  --seconds N      how long the schedule is watched (10 to 3600; 30)
  --instances N    how many instances share it (2 to 20; 3)
  --board          leaves the instances running, with the dashboard, until Ctrl+C
  --unsafe         the same application without the library
  --port-base N    ports of the instances, from N on (free ones)
  --no-build       run what was built before`;

/**
 * @param {readonly string[]} args
 * @returns {DemoOptions | 'help'}
 * @throws {Error} a sentence, for an option that cannot be
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '30' },
      instances: { type: 'string', default: '3' },
      board: { type: 'boolean', default: false },
      unsafe: { type: 'boolean', default: false },
      'port-base': { type: 'string' },
      'no-build': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  const portBase = values['port-base'];
  if (values.board && values.unsafe)
    throw new Error('--board shows the library: it cannot be used with --unsafe');
  return {
    seconds: whole('seconds', values.seconds, 10, 3600),
    instances: whole('instances', values.instances, 2, 20),
    unsafe: values.unsafe,
    board: values.board,
    portBase: portBase === undefined ? undefined : whole('port-base', portBase, 1024, 65_000),
    build: !values['no-build'],
  };
}

/**
 * @param {string} name
 * @param {string} text
 * @param {number} least
 * @param {number} most
 */
function whole(name, text, least, most) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`--${name} must be a whole number from ${least} to ${most}, not "${text}"`);
}
