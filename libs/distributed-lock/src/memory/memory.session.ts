import type { ServerPort, ServerSession } from '../connections/server.session.js';
import type { MemoryStore } from './memory.store.js';

/** Reads a memory store as the servers of Redis are read. */
export function memorySession(store: MemoryStore): ServerSession {
  const port: ServerPort = {
    address: 'memory',
    ask: (...words) => Promise.resolve().then(() => store.scripts.command(words)),
    scan: (begins) =>
      Promise.resolve({ cursor: '0', keys: store.keyNames().filter((key) => key.startsWith(begins)) }),
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
