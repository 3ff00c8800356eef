import type { ChainableCommander } from 'ioredis';

/** Runs a transaction; a command that Redis refused inside it is an error, which `exec()` alone would swallow. */
export async function commit(transaction: ChainableCommander): Promise<void> {
  for (const [error] of (await transaction.exec()) ?? []) if (error) throw error;
}
