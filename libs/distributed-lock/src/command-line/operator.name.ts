import { hostname, userInfo } from 'node:os';

/** Names the operator of a command in records: `ada@web-1 (command line)`. */
export function operatorName(): string {
  return `${userName()}@${hostname()} (command line)`;
}

/** A container may have a user that its system does not name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return process.getuid === undefined ? 'unknown' : `uid ${process.getuid()}`;
  }
}
