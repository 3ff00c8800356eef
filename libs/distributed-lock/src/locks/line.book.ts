/** The lines of one sort: each is made when it is first needed, and forgotten when nobody needs it any more. */
export class LineBook<T extends { readonly id: string }, L extends { readonly target: T }> {
  readonly #lines = new Map<string, L>();
  readonly #forget = (line: L) => this.#remove(line);
  #whenIdle: (() => void)[] = [];

  /** @param make makes a line that calls `idle` whenever nobody holds, waits or works any more */
  constructor(private readonly make: (target: T, idle: (line: L) => void) => L) {}

  get lines(): ReadonlyMap<string, L> {
    return this.#lines;
  }

  line(target: T): L {
    let line = this.#lines.get(target.id);
    if (line === undefined) {
      line = this.make(target, this.#forget);
      this.#lines.set(target.id, line);
    }
    return line;
  }

  /** Resolves when there are no lines. */
  async idle(): Promise<void> {
    if (this.#lines.size > 0) await new Promise<void>((resolve) => this.#whenIdle.push(resolve));
  }

  #remove(line: L): void {
    const { id } = line.target;
    if (this.#lines.get(id) === line) this.#lines.delete(id);
    if (this.#lines.size > 0 || this.#whenIdle.length === 0) return;
    for (const resolve of this.#whenIdle.splice(0)) resolve();
  }
}
