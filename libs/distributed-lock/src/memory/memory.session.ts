import type { ServerPort, ServerSession } from '../connections/server.session.js';
import type { MemoryStore } from './memory.store.js';

/** Reads a memory store as the servers of Redis are read. */
export function memorySession(store: MemoryStore): ServerSession {
  const answered = async <T>(answer: () => T): Promise<T> => {
    await Promise.resolve();
    if (store.connection.isOpen) return answer();
    throw store.connection.failure;
  };
  const port: ServerPort = {
    address: 'memory',
    ask: (...words) => answered(() => store.scripts.command(words)),
    scan: (begins) =>
      answered(() => ({ cursor: '0', keys: store.keyNames().filter((key) => key.startsWith(begins)) })),
  };
  return {
    source: 'memory',
    address: port.address,
    client: 'none',
    keyPrefix: '',
    isCluster: false,
    servers: [port],
    serverOf: () => port,
    close: () => Promise.resolve(),
  };
}
