import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';

/** What the environment decides. */
@Injectable()
export class AppSettings {
  readonly port = Number(process.env['PORT'] || 3000);
  /** The address that it listens at: in a container 0.0.0.0. */
  readonly host = process.env['HOST'] || '127.0.0.1';
  readonly redisUrl = process.env['REDIS_URL'] || 'redis://127.0.0.1:6379';
  /** Put in front of every key of ours, the locks' included. */
  readonly keyPrefix = process.env['KEY_PREFIX'] ?? 'bank:';
  /** Who we are in the billing journal. */
  readonly instance = process.env['INSTANCE'] || `${hostname()}:${process.pid}`;
  /** The lease of a lock in ms: what a killed instance costs the others. */
  readonly lockWatchdogTimeout = Number(process.env['LOCK_WATCHDOG_TIMEOUT'] || 30_000);
}
