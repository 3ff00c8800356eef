import { readIoredis } from '../../../libs/distributed-lock/src/ioredis-client/ioredis.adapter.js';
import { makeEngine } from '../../../libs/distributed-lock/src/startup/open.engine.js';
import { serviceOn } from '../../../libs/distributed-lock/src/startup/open.service.js';
import { TimerWheel } from '../../../libs/distributed-lock/src/timing/timer.wheel.js';
import { FAULTS, SOCKET_FAULTS } from '../fault.plan.js';
import { SETTINGS } from '../simulated.instance.js';
import type { InstancePlace, Layer } from '../simulated.layer.js';
import type { SimulatedServer } from '../simulated.server.js';
import { ServerFront } from './server.front.js';
import { connectorOn } from './socket.connector.js';
import { SocketLink } from './socket.link.js';

/** One for each server, as long as its run takes. */
const FRONTS = new WeakMap<SimulatedServer, ServerFront>();

/** Everything above the sockets: the library's own connections, and ioredis below them, on simulated TCP connections to a server that speaks RESP. */
export const socketLayer: Layer = {
  stall: SETTINGS.commandTimeout * 1.5,
  reconnect: 600,
  faults: [...FAULTS, ...SOCKET_FAULTS],
  boot(place: InstancePlace) {
    const { world, server, process, notices } = place;
    const front = FRONTS.get(server) ?? new ServerFront(world, server);
    FRONTS.set(server, front);
    const link = new SocketLink(place, front);
    const template = readIoredis({
      host: 'redis.simulated',
      Connector: connectorOn(link, process),
      protocol: process.dice.chance(0.5) ? 3 : 2,
      ...(front.password !== undefined && { password: front.password }),
    });
    const open = makeEngine(SETTINGS, template, { wheel: new TimerWheel(), notices });
    link.watch(open.connections);
    void open.connections.ready().catch(() => undefined);
    return { service: serviceOn(open), link };
  },
};
