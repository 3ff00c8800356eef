import { readFileSync } from 'node:fs';
import { Logger } from '@nestjs/common';
import { DistributedLockError, LockConfigurationError, LockNotAcquiredError } from '../errors/lock.errors.js';
import { RedisFailure } from '../redis/redis.failure.js';
import { openSession } from '../connections/server.session.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { readLine, UsageError, type CommandLine } from '../command-line/command.line.js';
import type { CommandContext } from '../command-line/command.context.js';
import { board } from './board.command.js';
import { runDoctor } from './doctor.command.js';
import { EXIT } from '../command-line/exit.codes.js';
import { listInstances } from './instances.command.js';
import { showJob } from './job.command.js';
import { listJobs } from './jobs.command.js';
import { list } from './ls.command.js';
import { runUnderLock } from './run.command.js';
import { show } from './show.command.js';
import { forget, runNow, steer } from './steer.command.js';
import { Terminal } from '../command-line/terminal.js';
import { top } from './top.command.js';
import { unlock } from './unlock.command.js';
import { USAGE } from '../command-line/usage.text.js';

type OpenedCommand = Exclude<CommandLine['command'], 'help' | 'version' | 'doctor'>;

const COMMANDS: Readonly<Record<OpenedCommand, (context: CommandContext) => Promise<number>>> = {
  ls: list,
  locks: list,
  show,
  unlock,
  jobs: listJobs,
  job: showJob,
  runs: showJob,
  pause: steer,
  resume: steer,
  'run-now': runNow,
  forget,
  instances: listInstances,
  top,
  board,
  run: runUnderLock,
};

/** @returns the exit code; failures are reported and not thrown */
export async function runCommandLine(
  args: readonly string[],
  env: Readonly<NodeJS.ProcessEnv>,
  terminal = new Terminal(),
): Promise<number> {
  try {
    const line = readLine(args, env);
    if (line.command === 'help') for (const text of USAGE.trimEnd().split('\n')) terminal.line(text);
    else if (line.command === 'version') terminal.line(readVersion());
    else return await runCommand(line, line.command, terminal);
    return EXIT.done;
  } catch (error) {
    return report(error, terminal);
  }
}

async function runCommand(
  line: CommandLine,
  command: OpenedCommand | 'doctor',
  terminal: Terminal,
): Promise<number> {
  // Results go to the standard output, and nothing else may.
  const note = (message: unknown) => terminal.note(String(message));
  Logger.overrideLogger({ log: () => undefined, warn: note, error: note });
  const wheel = new TimerWheel();
  if (command === 'doctor') return await runDoctor({ line, wheel, terminal });
  const session = await openSession(line.redis, wheel, line.timeout);
  try {
    return await COMMANDS[command]({ line, wheel, terminal, session });
  } finally {
    await session.close();
  }
}

/** One line: the failure, and the remedy. */
function report(error: unknown, terminal: Terminal): number {
  const say = (text: string) => terminal.note(`nestjs-distributed-lock: ${text}`);
  if (error instanceof UsageError) {
    say(`${error.message} See --help.`);
    return EXIT.usage;
  }
  if (error instanceof RedisFailure) {
    const why = error.message.replace(/\.$/, '');
    const remedy =
      error.kind === 'refused'
        ? 'The user needs the permissions of docs/security.md; `doctor` lists the missing ones.'
        : 'Check that Redis is up and reachable.';
    say(`Redis ${error.kind === 'refused' ? 'refused' : 'is unavailable'}: ${why}. ${remedy}`);
    return EXIT.unavailable;
  }
  say(error instanceof Error ? error.message : String(error));
  if (error instanceof LockConfigurationError)
    return error.code === 'UNKNOWN_JOB' ? EXIT.unknown : EXIT.usage;
  if (error instanceof LockNotAcquiredError) return EXIT.refused;
  return error instanceof DistributedLockError ? EXIT.unavailable : EXIT.unwell;
}

function readVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  const version =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest && manifest.version;
  return String(version);
}
