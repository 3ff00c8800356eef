import { describeLock } from './conformance.suite.js';
import { RedisFleet } from './lock.fleet.js';

describeLock('spin', {
  open: (options) => RedisFleet.open(options, undefined, 'spin'),
  lock: (service, name) => service.getSpinLock(name),
  reentrant: true,
  fifo: true,
});
