import type { LoggerService } from '@nestjs/common';
import type { WorkerMessage, WorkerSettings } from './worker.protocol.js';

export const settings: WorkerSettings = JSON.parse(process.env['TICK_WORKER'] ?? '{}');

export function tell(message: WorkerMessage): void {
  process.send?.(message);
}

/** Nest's log, line by line to the test. */
export class ChannelLogger implements LoggerService {
  readonly log = line('log');
  readonly error = line('error');
  readonly warn = line('warn');
  readonly debug = line('debug');
  readonly verbose = line('verbose');
  readonly fatal = line('fatal');
}

function line(level: string): (message: unknown, ...rest: unknown[]) => void {
  return (message, ...rest) => {
    const context = rest.at(-1);
    const text = message instanceof Error ? String(message.stack) : String(message);
    tell({ kind: 'log', level, context: typeof context === 'string' ? context : undefined, text });
  };
}
