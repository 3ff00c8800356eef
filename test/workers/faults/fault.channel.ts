import type { FaultMessage, FaultSettings } from './fault.protocol.js';

export const settings: FaultSettings = JSON.parse(process.env['FAULT_WORKER'] ?? '{}');

export function tell(message: FaultMessage): void {
  process.send?.(message);
}

process.on('unhandledRejection', (error) =>
  tell({ kind: 'trouble', text: `unhandled rejection: ${String(error)}` }),
);
process.on('uncaughtException', (error) =>
  tell({ kind: 'trouble', text: `uncaught exception: ${String(error)}` }),
);
process.once('disconnect', () => process.exit());
