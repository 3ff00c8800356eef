import { fileURLToPath } from 'node:url';
import { ObservedProcess } from '../support/observed.process.js';

const DEMO = fileURLToPath(new URL('../../sample-app/demo/main.mjs', import.meta.url));

export interface VerdictLine {
  readonly ok: boolean;
  readonly value: string;
  readonly detail: string;
}

/** One run of the demo as a user starts it, on what was built before. */
export class DemoProcess extends ObservedProcess {
  constructor(redisUrl: string, args: readonly string[]) {
    super([DEMO, '--no-build', ...args], { REDIS_URL: redisUrl });
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
