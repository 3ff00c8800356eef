import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { errorText } from '../errors/error.text.js';
import { now } from '../timing/monotonic.clock.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import { EXIT } from '../command-line/exit.codes.js';

/** The interval of the checks whether all processes have ended, in ms. */
const CHECK_INTERVAL = 50;

/**
 * A command and the processes that it starts. Without a terminal it gets a process group of its own, so that a signal also reaches the
 * processes behind a shell or npm; with one it stays in the terminal's group, to all of which Ctrl-C goes.
 */
export class ProcessTree {
  /** Its exit code; 128 and the number of the signal that ended it; 126 or 127 where it could not be started. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess | undefined;
  readonly #isGroup = process.platform !== 'win32' && !process.stdin.isTTY;

  constructor([command = '', ...args]: readonly string[], env: Readonly<Record<string, string>>) {
    const options = { stdio: 'inherit', detached: this.#isGroup, env: { ...process.env, ...env } } as const;
    try {
      const child = spawn(command, args, options);
      this.#child = child;
      this.ended = endOf(child);
    } catch (error) {
      // Some errors are thrown, such as that of an empty command.
      this.ended = Promise.resolve(unstarted(error));
    }
  }

  /** Forwards a signal, where the terminal has not done it. */
  forward(signal: NodeJS.Signals): void {
    if (this.#isGroup || (signal !== 'SIGINT' && signal !== 'SIGQUIT')) this.#send(signal);
  }

  /** Requests all processes to end, and kills those that have not ended within `grace` ms. Resolves when none is left. */
  async end(wheel: TimerWheel, grace: number): Promise<void> {
    const until = now() + grace;
    this.#send('SIGTERM');
    while (this.#isAlive && now() < until) await wheel.pause(Math.min(CHECK_INTERVAL, until - now()));
    this.#send('SIGKILL');
    await this.ended;
  }

  /** A group is also alive while only a process is left that the command has started. */
  get #isAlive(): boolean {
    return this.#send(0);
  }

  /** @returns whether there was a process to send it to */
  #send(signal: NodeJS.Signals | 0): boolean {
    const { pid, exitCode, signalCode } = this.#child ?? {};
    if (pid === undefined || (!this.#isGroup && (exitCode ?? signalCode) !== null)) return false;
    try {
      return process.kill(this.#isGroup ? -pid : pid, signal);
    } catch {
      return false;
    }
  }
}

function endOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      // The child may be there all the same: a signal that could not be sent is an error, too.
      if (child.pid === undefined) resolve(unstarted(error));
    });
    child.once('exit', (code, signal) => {
      resolve(code ?? EXIT.signalled + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** Says why a command could not be started. @returns the exit code */
function unstarted(error: unknown): number {
  process.stderr.write(`nestjs-distributed-lock: ${errorText(error)}\n`);
  const isUnfound = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isUnfound ? EXIT.unfound : EXIT.unrunnable;
}
