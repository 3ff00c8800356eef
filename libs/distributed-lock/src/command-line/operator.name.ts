import { userInfo } from 'node:os';
import { machine } from '../timing/machine.js';

/** Names the operator of a command in records: `ada@web-1 (command line)`. */
export function operatorName(): string {
  // Its name ends with the process id, which says nothing of a command that has ended.
  return `${userName()}@${machine.name.replace(/:\d+$/, '')} (command line)`;
}

/** A container may have a user that its system does not name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.getuid === undefined ? 'unknown' : `uid ${process.getuid()}`;
  }
}
