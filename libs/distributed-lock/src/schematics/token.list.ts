import { scanSource, UnreadableSource, type Token } from './source.scanner.js';

const CLOSING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const CLOSERS = new Set(CLOSING.values());

/** The tokens of a source, whose brackets are known to match. */
export class TokenList {
  readonly #tokens: readonly Token[];
  /** By the index of an opening bracket: that of its closing one. */
  readonly #closers = new Map<number, number>();

  /** @throws UnreadableSource */
  constructor(readonly source: string) {
    this.#tokens = scanSource(source);
    const open: number[] = [];
    for (const [index, { kind, value }] of this.#tokens.entries()) {
      if (kind !== 'mark') continue;
      if (CLOSING.has(value)) open.push(index);
      else if (CLOSERS.has(value)) {
        const opener = open.pop();
        if (opener === undefined || CLOSING.get(this.at(opener).value) !== value)
          throw new UnreadableSource('its brackets do not match');
        this.#closers.set(opener, index);
      }
    }
    if (open.length > 0) throw new UnreadableSource('its brackets do not match');
  }

  get length(): number {
    return this.#tokens.length;
  }

  /** @throws UnreadableSource where the source has ended */
  at(index: number): Token {
    const token = this.#tokens[index];
    if (token === undefined) throw new UnreadableSource('it ends too early');
    return token;
  }

  isMark(index: number, value: string): boolean {
    const token = this.#tokens[index];
    return token?.kind === 'mark' && token.value === value;
  }

  isWord(index: number, value: string): boolean {
    const token = this.#tokens[index];
    return token?.kind === 'word' && token.value === value;
  }

  /** @returns the index of the bracket that closes the one at `index`; `undefined` where there is no opening bracket */
  closerOf(index: number): number | undefined {
    return this.#closers.get(index);
  }

  /** The index of the first token behind the one at `index` and, where it is an opening bracket, all that it encloses. */
  after(index: number): number {
    return (this.closerOf(index) ?? index) + 1;
  }

  /** The indexes of the tokens between two, without what brackets among them enclose. */
  *level(from: number, to: number): Generator<number> {
    for (let index = from; index < to; index = this.after(index)) yield index;
  }
}
