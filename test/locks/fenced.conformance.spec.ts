import { describeLock } from './conformance.suite.js';
import { RedisFleet } from './lock.fleet.js';

describeLock('fenced', {
  open: (options) => RedisFleet.open(options, undefined, 'fenced'),
  lock: (service, name) => service.getFencedLock(name),
  reentrant: true,
  fifo: true,
});
