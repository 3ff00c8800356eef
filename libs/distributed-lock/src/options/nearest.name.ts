/** What other lock libraries, and users, call an option of ours. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  waitTime: ['timeout', 'acquireTimeout', 'maxWait', 'wait'],
  leaseTime: ['ttl', 'expire', 'expiration', 'expiresIn', 'lockTimeout', 'duration', 'lease'],
  lockWatchdogTimeout: ['watchdog', 'watchdogTimeout', 'automaticExtensionThreshold'],
  namePrefix: ['prefix', 'keyPrefix'],
  redis: ['url', 'connection', 'client', 'clients'],
};

/**
 * The known name that a reader of `name` most likely meant; undefined when none is near.
 * Letters may be wrong, doubled, missing, swapped, or of the other case, in up to a third of the name.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = plain(name);
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const names = [candidate, ...(ALIASES[candidate] ?? [])].map(plain);
    const distance = Math.min(...names.map((each) => distanceOf(wanted, each)));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** `wait_time` and `WAIT-TIME` are near to `waitTime`. A name may come from outside, and be of any length. */
function plain(name: string): string {
  return name
    .slice(0, 80)
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();
}

/** How many letters have to be put in, left out, replaced, or swapped with their neighbour. */
function distanceOf(a: string, b: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const replaced = at(last, j - 1) + (isSame ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(before, j - 2) + 1 : Infinity;
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, swapped));
    }
    [before, last] = [last, row];
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
