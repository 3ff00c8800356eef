import { runCommand } from './command.runner.mjs';
import { waitUntilReady } from './redis.probe.mjs';

/** @typedef {Extract<import('./redis.types.js').RedisServer, { kind: 'docker' }>} DockerServer */
/** @typedef {import('./redis.types.js').RunningRedis} RunningRedis */
/** @typedef {import('./redis.types.js').StartOptions} StartOptions */

const READY_WITHIN = 30_000;

/**
 * Starts a Redis in a container, with the host's port mapped to the same port inside.
 * @param {DockerServer} server
 * @param {number} port
 * @param {StartOptions} options
 * @returns {Promise<RunningRedis>}
 */
export async function startContainer({ command, image }, port, { args = [] }) {
  const own = [
    'redis-server',
    '--port',
    `${port}`,
    '--protected-mode',
    'no',
    '--save',
    '',
    '--appendonly',
    'no',
    ...args,
  ];
  const publish = `127.0.0.1:${port}:${port}`;
  const run = await runCommand(command, ['run', '--detach', '--rm', '--publish', publish, image, ...own], {
    timeout: 300_000,
  });
  const id = run.output.trim().split('\n').at(-1) ?? '';
  if (!run.ok) throw new Error(`${command} run ${image} failed: ${id}`);
  /** @param {...string} words */
  const docker = (...words) => runCommand(command, [...words, id]);
  // The container outlives us where we are killed; an ordinary end takes it along.
  const exited = runCommand(command, ['wait', id], { timeout: 0 }).then(() => {});
  if (!(await waitUntilReady(port, READY_WITHIN))) {
    const { output } = await docker('logs');
    await docker('rm', '--force');
    throw new Error(`${image} did not start on port ${port}:\n${output.split('\n').slice(-10).join('\n')}`);
  }
  const { output: pid } = await docker('inspect', '--format', '{{.State.Pid}}');
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pid: Number(pid.trim()) || 0,
    exited,
    async stop() {
      await docker('rm', '--force');
      await exited;
    },
    async kill(signal = 'SIGKILL') {
      await docker('kill', '--signal', signal);
      if (signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT') await exited;
    },
    async pause() {
      await docker('pause');
    },
    async resume() {
      await docker('unpause');
    },
  };
}
