import type { INestApplication } from '@nestjs/common';
import { LockService } from 'nestjs-distributed-lock';
import { LockTestingControl } from 'nestjs-distributed-lock/testing';
import { request } from '../doors/door.stage.js';
import { Guarded, work } from './guarded.parts.js';

/** The lease that each option asks for, in ms. */
export const LEASE = 500;

const leaseTime = LEASE;

/** Prepares the call that asks for the lease: of the lock `x`, or of the only permit of the semaphore `p`. */
type LeaseDoor = (app: INestApplication) => Promise<() => Promise<unknown>>;

const lockOf = (app: INestApplication) => app.get(LockService).getLock('x');
const permitsOf = (app: INestApplication) => app.get(LockService).getPermitExpirableSemaphore('p');
/** Goes on until another process has got what is held. */
const untilOver = () => work.ends();

/** Doors through which the lock is held. */
export const LOCK_LEASES: Readonly<Record<string, LeaseDoor>> = {
  'Lockable.lock(options).leaseTime': async (app) => () => lockOf(app).lock({ leaseTime }),
  'Lockable.tryLock(options).leaseTime': async (app) => () => lockOf(app).tryLock({ leaseTime }),
  'Lockable.using(options).leaseTime': async (app) => () => lockOf(app).using(untilOver, { leaseTime }),
  'LockService.using(options).leaseTime': async (app) => () =>
    app.get(LockService).using('x', untilOver, { leaseTime }),
  'DistributedLock(options).leaseTime': async (app) => () => app.get(Guarded).run(),
  'UseDistributedLock(options).leaseTime': async (app) => () => request(app, '/used'),
  'new DistributedLockInterceptor(options).leaseTime': async (app) => () => request(app, '/intercepted'),
  'LockHandle.extend(leaseTime)': async (app) => {
    const handle = await lockOf(app).lock({ leaseTime: LEASE / 2 });
    return () => handle.extend(LEASE);
  },
};

/** Doors through which the permit is held. */
export const PERMIT_LEASES: Readonly<Record<string, LeaseDoor>> = {
  'PermitExpirableSemaphore.acquire(options).leaseTime': async (app) => () =>
    permitsOf(app).acquire({ leaseTime }),
  'PermitExpirableSemaphore.tryAcquire(options).leaseTime': async (app) => () =>
    permitsOf(app).tryAcquire({ leaseTime }),
  'PermitExpirableSemaphore.using(options).leaseTime': async (app) => () =>
    permitsOf(app).using(untilOver, { leaseTime }),
  'PermitExpirableSemaphore.updateLeaseTime(leaseTime)': async (app) => {
    const { holder } = await permitsOf(app).acquire({ leaseTime: '10s' });
    return () => permitsOf(app).updateLeaseTime(holder, LEASE);
  },
};

/** Doors of the control of a testing module. */
export const CONTROL_LEASES: Readonly<Record<string, LeaseDoor>> = {
  'LockTestingControl.holdBy(options).leaseTime': async (app) => () =>
    app.get(LockTestingControl).holdBy('guest', 'x', { leaseTime }),
};
