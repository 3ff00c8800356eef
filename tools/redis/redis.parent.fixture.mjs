/** A process that starts a Redis, tells its parent where, and ends by itself once its parent lets go. */
import { startRedis } from './redis.runner.mjs';

const { port } = await startRedis();
process.send?.(port);
// A listener keeps the process alive for as long as the channel is open.
process.on('message', () => {});
