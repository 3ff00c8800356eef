import type { ServerSession } from '../connections/server.session.js';
import type { TimerWheel } from '../timing/timer.wheel.js';
import type { CommandLine } from './command.line.js';
import type { Terminal } from './terminal.js';

/** The context of a command. The opener of the session closes it. */
export interface CommandContext {
  readonly line: CommandLine;
  readonly wheel: TimerWheel;
  readonly terminal: Terminal;
  readonly session: ServerSession;
}
