/** The globals that Redis gives to a script. */
export const REDIS_GLOBALS = new Set(
  (
    'redis cjson cmsgpack struct bit math string table ' +
    'assert error ipairs next pairs pcall select tonumber tostring type unpack xpcall'
  ).split(' '),
);

/** Commands that touch the whole keyspace or start other code. */
export const FORBIDDEN_COMMANDS = new Set([
  'KEYS',
  'SCAN',
  'FLUSHALL',
  'FLUSHDB',
  'EVAL',
  'EVALSHA',
  'SCRIPT',
  'SELECT',
]);

/** Commands whose second word is not a key. */
export const KEYLESS_COMMANDS = new Set(['TIME', 'PUBSUB', 'INFO', 'ECHO', 'PING', 'ROLE', 'COMMAND']);

/** Commands with a subcommand in front of the key. */
export const SUBCOMMAND_COMMANDS = new Set(['OBJECT', 'MEMORY', 'XGROUP', 'XINFO']);
