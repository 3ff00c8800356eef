// A library of CommonJS: it has the format that require() finds.
const { DistributedLock, LockNotAcquiredError } = require('nestjs-distributed-lock');

class Library {
  async guarded() {
    return 'ran';
  }
}
const method = Object.getOwnPropertyDescriptor(Library.prototype, 'guarded') ?? {};
Object.defineProperty(
  Library.prototype,
  'guarded',
  DistributedLock('bundle')(Library.prototype, 'guarded', method) ?? method,
);

module.exports = { Library, LockNotAcquiredError };
