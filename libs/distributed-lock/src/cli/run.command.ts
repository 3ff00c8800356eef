import { constants } from 'node:os';
import { printable } from '../errors/printable.text.js';
import type { CommandContext } from '../command-line/command.context.js';
import { EXIT } from '../command-line/exit.codes.js';
import { openLocks } from '../command-line/open.locks.js';
import { ProcessTree } from './process.tree.js';

/** The signals by which a process is requested to do something; each is forwarded to the command. */
const FORWARDED = (['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const).filter(
  (signal) => signal in constants.signals,
);

/** `run <name> -- <command> …`: holds the lock while the command runs, and exits with the command's code. */
export async function runUnderLock({ line, session, terminal, wheel }: CommandContext): Promise<number> {
  const stopped = new AbortController();
  let stoppedBy: NodeJS.Signals = 'SIGTERM';
  let child: ProcessTree | undefined;
  const forward = (signal: NodeJS.Signals) => {
    if (child !== undefined) child.forward(signal);
    else {
      stoppedBy = signal;
      stopped.abort();
    }
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  // The service has connections of its own.
  await session.close();
  // Listed as an instance, so that the holder has a name.
  const service = await openLocks(line, session, 'run');
  try {
    const lock = service.lockOf(line.name, line.kind);
    const waiting = lock.tryLock({ waitTime: line.wait, leaseTime: line.lease, signal: stopped.signal });
    const handle = await waiting.catch((error: unknown) => {
      if (stopped.signal.aborted) return undefined;
      throw error;
    });
    if (handle === undefined) return EXIT.signalled + constants.signals[stoppedBy];
    if (handle === null) {
      report(
        { outcome: 'refused' },
        `another holder has the lock "${line.name}". Raise --wait, or try again.`,
      );
      return EXIT.refused;
    }
    try {
      child = new ProcessTree(line.words, { LOCK_NAME: line.name, LOCK_TOKEN: `${handle.token ?? ''}` });
      let ending: Promise<void> | undefined;
      const { signal } = handle;
      const end = () => {
        terminal.note(`nestjs-distributed-lock: ${String(signal.reason)} The command is terminated.`);
        ending = child?.end(wheel, line.grace);
      };
      // A short lease may be over before the command has started: the listener would then never be called.
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
      const code = await child.ended;
      // The release aborts it, too.
      signal.removeEventListener('abort', end);
      await ending;
      const outcome = ending === undefined ? 'done' : 'lost';
      report({ outcome, code, holder: handle.holder });
      return ending === undefined ? code : EXIT.lost;
    } finally {
      // The end of the command is what counts: a lock that is not released ends with its lease.
      await handle.unlock().catch((error: unknown) => terminal.note(String(error)));
    }
  } finally {
    for (const signal of FORWARDED) process.off(signal, forward);
    await service.shutDown();
  }

  /** The standard output is the command's. */
  function report(result: object, text?: string): void {
    if (line.isJson) terminal.note(printable(JSON.stringify({ name: line.name, ...result })));
    else if (text !== undefined) terminal.note(`nestjs-distributed-lock: ${text}`);
  }
}
