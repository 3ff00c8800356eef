import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** One process of the built application, and the ticks that it ran. */
export class Instance {
  /** The nominal instants, in ms. @type {number[]} */
  ticks = [];
  /** @type {string[]} */
  log = [];

  /**
   * @param {string} name
   * @param {string} folder the application's
   * @param {Record<string, string>} env
   */
  constructor(name, folder, env) {
    this.name = name;
    this.child = spawn(process.execPath, ['dist/main'], {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.exited = new Promise((resolve) => this.child.once('close', resolve));
    for (const stream of [this.child.stdout, this.child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.log.push(line);
        const tick = /^tick (\d+)$/.exec(line)?.[1];
        if (tick) this.ticks.push(Number(tick));
      });
    }
  }

  /** Whether it has said that it listens. */
  get isUp() {
    return this.log.some((line) => line.includes('successfully started'));
  }

  async stop() {
    this.child.kill('SIGTERM');
    await this.exited;
  }
}
