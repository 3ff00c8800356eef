import { describeLock } from './conformance.suite.js';
import { RedisFleet } from './lock.fleet.js';

describeLock('write', {
  open: (options) => RedisFleet.open(options, undefined, 'write'),
  lock: (service, name) => service.getReadWriteLock(name).writeLock(),
  reentrant: true,
  fifo: true,
});
