import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const DEMO = fileURLToPath(new URL('../../sample-app/demo/main.mjs', import.meta.url));

export interface VerdictLine {
  readonly ok: boolean;
  readonly value: string;
  readonly detail: string;
}

/** One run of the demo as a user starts it, on what was built before. */
export class DemoProcess {
  output = '';
  readonly #child;
  readonly #ended: Promise<number | null>;

  constructor(redisUrl: string, args: readonly string[]) {
    this.#child = spawn(process.execPath, [DEMO, '--no-build', ...args], {
      env: { ...process.env, REDIS_URL: redisUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.on('data', (data: Buffer) => (this.output += data.toString()));
    }
    this.#ended = new Promise((resolve) => this.#child.once('close', resolve));
  }

  /** Waits for its end. @throws with all that it said when it did not exit with that code */
  async exit(code: number): Promise<void> {
    const actual = await this.#ended;
    if (actual !== code) throw new Error(`the demo exited with ${actual}, not ${code}:\n${this.output}`);
  }

  interrupt(): void {
    this.#child.kill('SIGINT');
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** The lines of the verdict, by label. */
  get verdict(): Record<string, VerdictLine> {
    const [, verdict = ''] = this.output.split('VERDICT\n');
    const lines = verdict.matchAll(/^ {2}(ok |OFF) (.+?) {2,}(\S+)(?: {2}(.*))?$/gm);
    return Object.fromEntries(
      [...lines].map(([, mark, label = '', value = '', detail = '']) => [
        label,
        { ok: mark === 'ok ', value, detail },
      ]),
    );
  }

  /** The instances that it named which are still there. */
  get survivors(): number[] {
    const pids = [...this.output.matchAll(/process (\d+)/g)].map(([, pid]) => Number(pid));
    return [...new Set(pids)].filter(isAlive);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
