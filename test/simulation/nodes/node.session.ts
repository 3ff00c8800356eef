import { fromBytes, toBytes } from '../../../libs/distributed-lock/src/memory/memory.scripts.js';
import { slotOf } from '../../../libs/distributed-lock/src/redis/key.slot.js';
import type { ScriptSession, SimulatedNode } from './simulated.node.js';

/** What a node pushes to a client that subscribes. */
export type Push = (event: 'message' | 'smessage' | 'moved', channel: string, payload: string) => void;

/** A connection as its node sees it: its commands are served one after the other. */
export class NodeSession implements ScriptSession {
  isAsking = false;
  writtenTo = 0;
  readonly #queue: { readonly words: readonly string[]; readonly done: (reply: unknown) => void }[] = [];
  /** By channel: the event with which its messages are pushed. */
  readonly #channels = new Map<string, 'message' | 'smessage'>();
  #isBlocked = false;
  #isOver = false;

  constructor(
    private readonly node: SimulatedNode,
    private readonly push: Push,
    /** What the node says of its cluster. */
    private readonly slots: () => unknown,
  ) {
    node.sessions.add(this);
  }

  /** A command has arrived. */
  serve(words: readonly string[], done: (reply: unknown) => void): void {
    this.#queue.push({ words, done });
    this.#next();
  }

  /** The connection is gone. */
  end(): void {
    this.#isOver = true;
    this.node.sessions.delete(this);
    for (const channel of this.#channels.keys()) this.#unsubscribe(channel);
  }

  /** Channels of a slot that the node has given up. */
  dropChannels(slot: number): void {
    for (const [channel, event] of this.#channels) {
      if (event !== 'smessage' || slotOf(channel) !== slot) continue;
      this.#unsubscribe(channel);
      this.push('moved', channel, '');
    }
  }

  #next(): void {
    while (!this.#isBlocked && !this.#isOver) {
      const first = this.#queue.shift();
      if (first === undefined) return;
      const [command = '', ...words] = first.words;
      if (command === 'wait') this.#wait(words, first.done);
      else first.done(this.#answer(command, words));
    }
  }

  /** The connection serves nothing else meanwhile. */
  #wait([replicas, timeout]: readonly string[], done: (reply: unknown) => void): void {
    this.#isBlocked = true;
    this.node.wait(Number(replicas), this.writtenTo, Number(timeout), (reached) => {
      this.#isBlocked = false;
      if (this.#isOver) return;
      done(reached);
      this.#next();
    });
  }

  #answer(command: string, words: readonly string[]): unknown {
    switch (command) {
      case 'evalsha':
      case 'eval':
        return this.node.execute(command, words, this);
      case 'info':
        return this.node.info;
      case 'asking':
        this.isAsking = true;
        return 'OK';
      case 'cluster':
        return this.slots();
      case 'subscribe':
      case 'ssubscribe':
        return this.#subscribe(command, words);
      case 'unsubscribe':
      case 'sunsubscribe':
        for (const channel of words) this.#unsubscribe(channel);
        return words.length;
      default:
        return [];
    }
  }

  #subscribe(command: 'subscribe' | 'ssubscribe', channels: readonly string[]): unknown {
    const [first = ''] = channels;
    const refusal = command === 'ssubscribe' ? this.node.refuseChannel?.(first) : undefined;
    if (refusal !== undefined) return refusal;
    for (const channel of channels) {
      if (this.#channels.has(channel)) continue;
      this.#channels.set(channel, command === 'subscribe' ? 'message' : 'smessage');
      this.node.store.channels.subscribe(toBytes(channel), this.#receive);
    }
    return channels.length;
  }

  #unsubscribe(channel: string): void {
    this.#channels.delete(channel);
    this.node.store.channels.unsubscribe(toBytes(channel), this.#receive);
  }

  readonly #receive = (name: string, payload: string | undefined): void => {
    const channel = fromBytes(name);
    const event = this.#channels.get(channel);
    if (event !== undefined && payload !== undefined) this.push(event, channel, fromBytes(payload));
  };
}
