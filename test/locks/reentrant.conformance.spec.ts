import { describeLock } from './conformance.suite.js';
import { RedisFleet } from './lock.fleet.js';

describeLock('re-entrant', {
  open: (options) => RedisFleet.open(options),
  lock: (service, name) => service.getLock(name),
  reentrant: true,
  fifo: true,
});
