import type { Socket } from 'node:net';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import type { SimulatedProcess } from '../simulated.process.js';
import { SimulatedSocket } from './simulated.socket.js';
import type { Purpose, SocketLink } from './socket.link.js';

/** A connector for the clients of one instance: it gives them simulated sockets. */
export function connectorOn(
  link: SocketLink,
  process: SimulatedProcess,
): NonNullable<RedisOptions['Connector']> {
  return class SimulatedConnector extends AbstractConnector {
    readonly #purpose: Purpose;

    constructor(options: unknown) {
      const { disconnectTimeout, connectionName }: RedisOptions = Object(options);
      super(disconnectTimeout ?? 0);
      this.#purpose = connectionName?.endsWith(':subscriber') === true ? 'subscriber' : 'commands';
    }

    connect(): Promise<Socket> {
      this.connecting = true;
      const socket = new SimulatedSocket(process);
      this.stream = socket;
      link.dial(socket, this.#purpose);
      return Promise.resolve(socket);
    }
  };
}
