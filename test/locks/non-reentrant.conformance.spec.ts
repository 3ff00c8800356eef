import { describeLock } from './conformance.suite.js';
import { RedisFleet } from './lock.fleet.js';

describeLock('non-reentrant', {
  open: (options) => RedisFleet.open(options, undefined, 'nonReentrant'),
  lock: (service, name) => service.getNonReentrantLock(name),
  reentrant: false,
  fifo: true,
});
