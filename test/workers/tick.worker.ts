import { once } from 'node:events';
import 'reflect-metadata';
import type { WorkerMessage } from './worker.protocol.js';

// What takes long to load comes first, so that an application which is told its settings later starts at once then.
await Promise.all([import('@nestjs/core'), import('@nestjs/schedule'), import('nestjs-distributed-lock')]);
if (process.env['TICK_WORKER'] === undefined) {
  process.send?.({ kind: 'loaded' } satisfies WorkerMessage);
  const [environment] = await once(process, 'message');
  Object.assign(process.env, environment);
}
await import('./tick.app.js');
