import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';

/** Node on a script, with all that it says. */
export class ObservedProcess {
  output = '';
  readonly #child: ChildProcessByStdio<null, Readable, Readable>;
  readonly #ended: Promise<number | null>;

  /** @param env beside that of this process */
  constructor(args: readonly string[], env: Readonly<Record<string, string>>, cwd?: string) {
    this.#child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream.on('data', (data: Buffer) => (this.output += data.toString()));
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  /** Waits for its end. @throws with all that it said when it did not exit with that code */
  async exit(code: number): Promise<void> {
    const actual = await this.#ended;
    if (actual !== code) throw new Error(`it exited with ${actual}, not ${code}:\n${this.output}`);
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }
}
