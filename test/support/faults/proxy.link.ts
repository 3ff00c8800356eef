import { connect, type Socket } from 'node:net';
import { RespReader, type RespFrame, type RespValue } from './resp.reader.js';

/** A command on its way to Redis. */
export interface ProxiedCommand {
  /** In capitals. */
  readonly name: string;
  readonly words: readonly string[];
  /** When it came, by the monotonic clock in ms: those before it may have been kept back. */
  readonly at: number;
}

/**
 * What becomes of a command. `cut`: the connection dies before Redis gets it. `before`: it is kept back, and all
 * behind it, until then. `answered`: Redis runs it, and its reply decides: it passes, it is kept back with all behind
 * it, or the connection dies before it passes.
 */
export type Verdict =
  | 'pass'
  | 'cut'
  | { readonly before: Promise<unknown> }
  | { readonly answered: (reply: RespValue) => 'pass' | 'cut' | Promise<unknown> };

export type Judge = (command: ProxiedCommand) => Verdict;

export interface LinkOwner {
  readonly judge: Judge;
  readonly cut: () => void;
  readonly closed: () => void;
}

type Answered = Extract<Verdict, { answered: unknown }>['answered'];

/** These are answered by pushes, or by several messages: they take no place among the replies. */
const UNANSWERED = new Set(['SUBSCRIBE', 'UNSUBSCRIBE', 'SSUBSCRIBE', 'SUNSUBSCRIBE', 'PSUBSCRIBE']);

/** One connection through the proxy. */
export class ProxyLink {
  readonly #redis: Socket;
  /** What the commands that Redis has still to answer want to know, first in, first out. */
  readonly #expected: (Answered | undefined)[] = [];
  readonly #requests = new Lane<RespFrame>((frame, at) => this.#request(frame, at));
  readonly #replies = new Lane<RespFrame>((frame) => this.#reply(frame));
  #swallowing = false;
  #isHealed = true;
  #hasEnded = false;
  #dead = false;

  constructor(
    private readonly client: Socket,
    port: number,
    private readonly owner: LinkOwner,
  ) {
    this.#redis = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#join(client, this.#redis, this.#requests);
    this.#join(this.#redis, client, this.#replies);
  }

  /** The connection dies, for both sides. */
  cut(): void {
    if (this.#dead) return;
    this.owner.cut();
    this.destroy();
  }

  destroy(): void {
    this.#dead = true;
    this.client.destroy();
    this.#redis.destroy();
    this.owner.closed();
  }

  /** Whatever comes from now on, from either side, is lost, and nobody is told. */
  swallow(): void {
    this.#swallowing = true;
    this.#isHealed = false;
  }

  /** What was lost stays lost; but a client that hangs up, or has hung up meanwhile, is heard again. */
  heal(): void {
    this.#isHealed = true;
    if (this.#swallowing && this.#hasEnded) this.destroy();
  }

  /** Redis' side is closed. */
  hangUp(): void {
    this.#redis.destroy();
  }

  #join(from: Socket, to: Socket, lane: Lane<RespFrame>): void {
    const reader = new RespReader();
    from.on('data', (chunk) => {
      if (this.#swallowing || this.#dead) return;
      for (const frame of reader.read(chunk)) lane.enter(frame);
    });
    from.on('end', () => {
      if (from === this.client) this.#hasEnded = true;
      if (!this.#swallowing) to.end();
      else if (this.#isHealed) this.destroy();
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      if (!this.#swallowing || from === this.client) this.destroy();
    });
  }

  #request({ value, bytes }: RespFrame, at: number): Promise<unknown> | undefined {
    if (this.#lost()) return undefined;
    const words = Array.isArray(value) ? value.map(String) : [];
    const name = (words[0] ?? '').toUpperCase();
    const verdict = this.owner.judge({ name, words, at });
    if (verdict === 'cut') {
      this.cut();
      return undefined;
    }
    const forward = () => {
      if (this.#lost()) return;
      if (!UNANSWERED.has(name))
        this.#expected.push(
          typeof verdict === 'object' && 'answered' in verdict ? verdict.answered : undefined,
        );
      this.#redis.write(bytes);
    };
    if (typeof verdict === 'object' && 'before' in verdict) return verdict.before.then(forward);
    forward();
    return undefined;
  }

  #reply({ type, value, bytes }: RespFrame): Promise<unknown> | undefined {
    if (this.#lost()) return undefined;
    const isPush = type === '>' || (Array.isArray(value) && UNANSWERED.has(String(value[0]).toUpperCase()));
    const answered = isPush ? undefined : this.#expected.shift();
    const verdict = answered?.(value) ?? 'pass';
    if (verdict === 'cut') {
      this.cut();
      return undefined;
    }
    const pass = () => {
      if (!this.#lost()) this.client.write(bytes);
    };
    if (verdict !== 'pass') return verdict.then(pass);
    pass();
    return undefined;
  }

  #lost(): boolean {
    return this.#dead || this.#swallowing;
  }
}

/** One direction: first in, first out, also when one of them has to wait. */
class Lane<T> {
  readonly #waiting: (readonly [item: T, at: number])[] = [];
  #busy = false;

  /** @param handle gets what has come, and when */
  constructor(private readonly handle: (item: T, at: number) => Promise<unknown> | undefined) {}

  enter(item: T): void {
    this.#waiting.push([item, performance.now()]);
    if (!this.#busy) this.#drain();
  }

  #drain(): void {
    this.#busy = false;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const wait = this.handle(...next);
      if (wait === undefined) continue;
      this.#busy = true;
      void wait.then(() => this.#drain());
      return;
    }
  }
}
