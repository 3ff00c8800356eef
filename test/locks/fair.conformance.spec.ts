import { describeLock } from './conformance.suite.js';
import { RedisFleet } from './lock.fleet.js';

describeLock('fair', {
  open: (options) => RedisFleet.open(options, undefined, 'fair'),
  lock: (service, name) => service.getFairLock(name),
  reentrant: true,
  fifo: true,
});
