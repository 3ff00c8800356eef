/** How one call ended. */
export interface Ending {
  /** What it gave, or the code of its error. */
  readonly how: string;
  /** When it was made, ms of this process' clock. */
  readonly at: number;
  /** In ms. */
  readonly took: number;
}

/** Makes a call, and tells how it ended. */
export async function endingOf(call: () => Promise<unknown>): Promise<Ending> {
  const at = performance.now();
  const how = await call().then(String, (error: unknown) =>
    error instanceof Error && 'code' in error
      ? String(error.code)
      : `${String(error)} ${String((error as Error).cause ?? '')}`,
  );
  return { how, at, took: performance.now() - at };
}

/** Makes a call again and again, whether the one before has ended or not. */
export class RepeatedCalls {
  readonly endings: Ending[] = [];
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #timer: NodeJS.Timeout;

  /** @param pause between two calls, in ms */
  constructor(call: () => Promise<unknown>, pause: number) {
    this.#timer = setInterval(() => {
      const ending = endingOf(call).then((each) => {
        this.endings.push(each);
        this.#underWay.delete(ending);
      });
      this.#underWay.add(ending);
    }, pause);
  }

  /** Those that were made after one instant and had ended by another. */
  between(from: number, to: number): readonly Ending[] {
    return this.endings.filter(({ at, took }) => at >= from && at + took <= to);
  }

  /** When the first one that was made after `from` ended like that; Infinity if none did. */
  firstLike(how: string, from: number): number {
    const ends = this.endings
      .filter((each) => each.how === how && each.at + each.took >= from)
      .map(({ at, took }) => at + took);
    return Math.min(...ends);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }
}
