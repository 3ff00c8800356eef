/** Which of several servers are out, and until when at least a majority was not. */
export class ServerOutages {
  readonly #until: number[];
  #majorityFrom = 0;

  constructor(servers: number) {
    this.#until = Array.from({ length: servers }, () => 0);
  }

  /** A server is out until then, at least. */
  add(server: number, now: number, until: number): void {
    this.#until[server] = Math.max(this.#until[server] ?? 0, until);
    const spare = Math.floor((this.#until.length - 1) / 2);
    const latest = this.#until.toSorted((a, b) => b - a)[spare] ?? 0;
    // One more than can be spared is out until then.
    if (latest > now) this.#majorityFrom = Math.max(this.#majorityFrom, latest);
  }

  /** Until when a server was, or is, out. */
  until(server: number): number {
    return this.#until[server] ?? 0;
  }

  /** Since when a majority was there at any time. A time in the future: it is not there. */
  get majorityFrom(): number {
    return this.#majorityFrom;
  }
}
