import type { INestApplication } from '@nestjs/common';
import { LockService } from 'nestjs-distributed-lock';
import { LockTestingControl } from 'nestjs-distributed-lock/testing';
import { request } from '../doors/door.stage.js';
import { Guarded } from './guarded.parts.js';

/** The wait that each option asks for, in ms. */
export const WAIT = 300;

const waitTime = WAIT;
const ran = () => 'ran';

/** A call that waits for what another process holds. The lock `x`, every permit of the semaphores `s` and `p`, and the latch `l` are taken. */
type WaitDoor = (app: INestApplication) => Promise<unknown>;

const locks = (app: INestApplication) => app.get(LockService);

/** By HTTP: the status. */
async function statusOf(app: INestApplication, path: string): Promise<number> {
  return (await request(app, path)).status;
}

/** Doors of an application whose module has no `waitTime`. */
export const CALL_WAITS: Readonly<Record<string, WaitDoor>> = {
  'Lockable.lock(options).waitTime': (app) => locks(app).getLock('x').lock({ waitTime }),
  'Lockable.tryLock(options).waitTime': (app) => locks(app).getLock('x').tryLock({ waitTime }),
  'Lockable.using(options).waitTime': (app) => locks(app).getLock('x').using(ran, { waitTime }),
  'LockService.using(options).waitTime': (app) => locks(app).using('x', ran, { waitTime }),
  'DistributedLock(options).waitTime': (app) => app.get(Guarded).run(),
  'UseDistributedLock(options).waitTime': (app) => statusOf(app, '/used'),
  'new DistributedLockInterceptor(options).waitTime': (app) => statusOf(app, '/intercepted'),
  'Semaphore.acquire(options).waitTime': (app) => locks(app).getSemaphore('s').acquire(1, { waitTime }),
  'Semaphore.tryAcquire(options).waitTime': (app) => locks(app).getSemaphore('s').tryAcquire(1, { waitTime }),
  'Semaphore.using(options).waitTime': (app) => locks(app).getSemaphore('s').using(ran, { waitTime }),
  'PermitExpirableSemaphore.acquire(options).waitTime': (app) =>
    locks(app).getPermitExpirableSemaphore('p').acquire({ waitTime }),
  'PermitExpirableSemaphore.tryAcquire(options).waitTime': (app) =>
    locks(app).getPermitExpirableSemaphore('p').tryAcquire({ waitTime }),
  'PermitExpirableSemaphore.using(options).waitTime': (app) =>
    locks(app).getPermitExpirableSemaphore('p').using(ran, { waitTime }),
  'CountDownLatch.await(options).waitTime': (app) => locks(app).getCountDownLatch('l').await({ waitTime }),
};

/** Doors of the control of a testing module. */
export const CONTROL_WAITS: Readonly<Record<string, WaitDoor>> = {
  'LockTestingControl.holdBy(options).waitTime': (app) =>
    app.get(LockTestingControl).holdBy('next', 'x', { waitTime }),
};

/** The options of a module's `waitTime`, each with a door whose call does not say. */
export const MODULE_WAITS: Readonly<Record<string, WaitDoor>> = {
  lock: (app) => locks(app).getLock('x').lock(),
  tryLock: (app) => locks(app).getLock('x').tryLock(),
  using: (app) => locks(app).getLock('x').using(ran),
  decorator: (app) => app.get(Guarded).run(),
  interceptor: (app) => statusOf(app, '/intercepted'),
};
