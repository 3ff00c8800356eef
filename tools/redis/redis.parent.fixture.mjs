/** A process that starts a Redis, tells its parent where, and ends by itself. */
import { startRedis } from './redis.runner.mjs';

const { port } = await startRedis();
process.send?.(port);
