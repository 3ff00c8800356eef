import { IoredisTrouble } from '../../libs/distributed-lock/src/ioredis-client/ioredis.trouble.js';
import { sendScript } from '../../libs/distributed-lock/src/ioredis-client/script.sender.js';
import { ClientLifecycle } from '../../libs/distributed-lock/src/redis/client.lifecycle.js';
import { CommandConnection } from '../../libs/distributed-lock/src/connections/command.connection.js';
import { PubSubMode } from '../../libs/distributed-lock/src/redis/pub-sub.mode.js';
import { ScriptRunner } from '../../libs/distributed-lock/src/script-runner/script.runner.js';
import { TimerWheel } from '../../libs/distributed-lock/src/timing/timer.wheel.js';
import { FakeClient } from './fake.client.js';

/** How long a caller waits for one round trip, in ms. */
const TIMEOUT = 1000;

/** What sends scripts, for unit tests, on a client that is connected and answers when it is told to. */
export function fakeRunner(): { client: FakeClient; wheel: TimerWheel; runner: ScriptRunner } {
  const wheel = new TimerWheel();
  const client = new FakeClient();
  const connection = new CommandConnection({
    lifecycle: new ClientLifecycle({ client, trouble: new IoredisTrouble() }, wheel, 3000),
    mode: new PubSubMode(false, 'auto'),
    wheel,
    sendScript,
    stallTimeout: 3000,
    restart: () => undefined,
  });
  client.ready();
  return { client, wheel, runner: new ScriptRunner(connection, wheel, TIMEOUT) };
}
