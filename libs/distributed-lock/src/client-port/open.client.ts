import type { ClientPort, NodePort } from './client.port.js';
import type { ConnectionTrouble } from './connection.trouble.js';
import type { WarningListener } from './connection.warning.js';

/** The purpose of a client: two for each server. */
export type Purpose = 'commands' | 'subscriber';

/** A client of the library, which is not connected yet, and its failures. */
export interface OpenClient<C extends ClientPort = NodePort> {
  readonly client: C;
  readonly trouble: ConnectionTrouble;
}

/** What locks demand of a connection: that it leads to a master, and is as the options say. */
export interface ConnectionWatch {
  /** Called for a connection that is used all the same. */
  readonly warn: WarningListener;
}
