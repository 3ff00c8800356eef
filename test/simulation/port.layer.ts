import { engineOn } from '../../libs/distributed-lock/src/startup/open.engine.js';
import { serviceOn } from '../../libs/distributed-lock/src/startup/open.service.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { FAULTS, PORT_FAULTS, type FaultKind } from './fault.plan.js';
import { SETTINGS } from './simulated.instance.js';
import { SimulatedBackend, STALL } from './simulated.backend.js';
import type { InstancePlace, Layer } from './simulated.layer.js';
import { SLOW_FOR } from './simulated.wire.js';

/** Everything above the ports `Commands` and `Subscriber`: a simulated backend takes the place of the two connections. */
export const portLayer: Layer = {
  stall: STALL,
  reconnect: 600,
  faults: [...FAULTS, ...PORT_FAULTS],
  boot({ world, server, process, network, notices }: InstancePlace) {
    const backend = new SimulatedBackend(world, server, process, network);
    const { commands, subscriber } = backend;
    const cutCommands = (why: string) => commands.connection.cut(why);
    const cutMessages = (why: string) => subscriber.connection.cut(why);
    return {
      service: serviceOn(engineOn(backend, SETTINGS, { wheel: new TimerWheel(), notices })),
      link: {
        // Without messages a waiter polls.
        get isConnected() {
          return commands.isReady && !commands.losesReplies;
        },
        cutCommands,
        cutMessages,
        loseReplies: () => {
          commands.losesReplies = true;
        },
        part: () => {
          cutCommands('the network is parted');
          cutMessages('the network is parted');
        },
        breakBy: (kind: FaultKind, size: number) => {
          switch (kind) {
            case 'part messages':
              subscriber.connection.part(size);
              break;
            case 'lose messages':
              subscriber.losesMessagesUntil = world.now + size;
              break;
            case 'delay messages':
              subscriber.lateBy = size;
              subscriber.lateUntil = world.now + SLOW_FOR;
              break;
            default:
              break;
          }
        },
        kill: () => {
          backend.close();
          return world.now;
        },
      },
    };
  },
};
