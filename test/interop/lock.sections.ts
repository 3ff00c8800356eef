/** One critical section: when it began and ended, in µs of the machine's monotonic clock, which all processes share. */
export interface Section {
  readonly begin: number;
  readonly end: number;
  /** For a fenced lock. */
  readonly token?: bigint | undefined;
}

/** As processes hand sections on: `begin,end,token;…`. */
export function writeSections(sections: readonly Section[]): string {
  return sections.map(({ begin, end, token }) => `${begin},${end},${token ?? ''}`).join(';');
}

export function readSections(text: string): Section[] {
  return text
    .split(';')
    .filter((section) => section !== '')
    .map((section) => {
      const [begin, end, token = ''] = section.split(',');
      return { begin: Number(begin), end: Number(end), token: token === '' ? undefined : BigInt(token) };
    });
}

/** How many sections began before the one before them had ended. */
export function overlaps(sections: readonly Section[]): number {
  const inOrder = inTime(sections);
  return inOrder.filter(({ begin }, index) => begin < (inOrder[index - 1]?.end ?? 0)).length;
}

/** How many tokens are not above the one before them. */
export function tokenFalls(sections: readonly Section[]): number {
  const tokens = inTime(sections).map(({ token }) => token ?? 0n);
  return tokens.filter((token, index) => token <= (tokens[index - 1] ?? -1n)).length;
}

/** The longest time in which nobody was inside, in ms. @param from when it began to count, in µs */
export function longestPause(sections: readonly Section[], from: number): number {
  let last = from;
  let longest = 0;
  for (const { begin, end } of inTime(sections)) {
    longest = Math.max(longest, begin - last);
    last = end;
  }
  return longest / 1000;
}

/** How long one caller waited before 99 of 100 of its turns at most, in ms. @param turns of each caller, one after the other */
export function waitOf99(turns: readonly (readonly Section[])[]): number {
  const waits = turns.flatMap((own) =>
    own.slice(1).map(({ begin }, index) => begin - (own[index]?.end ?? 0)),
  );
  return (waits.toSorted((one, other) => one - other)[Math.floor(waits.length * 0.99)] ?? Infinity) / 1000;
}

function inTime(sections: readonly Section[]): Section[] {
  return sections.toSorted((one, other) => one.begin - other.begin);
}
