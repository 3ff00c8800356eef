/** What compiled scripts may use of Lua's library and of Redis': `lua-runtime/lua.library.ts` has each of them. */
export const LIBRARY = new Set(
  (
    'error pcall tonumber tostring type unpack cjson.decode cjson.encode math.abs math.ceil math.floor math.max math.min ' +
    'redis.call redis.error_reply redis.pcall redis.status_reply string.byte string.char string.format string.sub ' +
    'table.concat table.insert table.remove'
  ).split(' '),
);

/** Those that take a pattern; it has to be a literal, since it is compiled, too. */
export const PATTERN_FUNCTIONS = new Set(['string.find', 'string.gsub', 'string.match']);

/** The commands of the memory store: `testing/` has each of them. */
export const COMMANDS = new Set(
  (
    'DECR DECRBY DEL EXISTS GET HDEL HEXISTS HGET HGETALL HINCRBY HKEYS HLEN HMGET HRANDFIELD HSET HSETNX INCR INCRBY ' +
    'LINDEX LLEN LPOS LPUSH LRANGE LREM LTRIM PEXPIRE PEXPIREAT PTTL PUBLISH PUBSUB RPUSH SET SPUBLISH TIME TYPE ' +
    'ZADD ZCARD ZRANGE ZRANGEBYSCORE ZREM ZREMRANGEBYSCORE ZSCORE'
  ).split(' '),
);

/** What `string.format` may be asked for. */
export const FORMAT = /^(?:[^%]|%%|%d|%s|%\.0f|%02x)*$/;
