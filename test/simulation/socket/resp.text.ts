import { toBytes } from '../../../libs/distributed-lock/src/memory/memory.scripts.js';

/** The version of the protocol. */
export type Protocol = 2 | 3;

/** How many bytes an error shows on both sides of what is wrong. */
const SHOWN = 80;

/** Reads the commands of a stream of bytes that may end anywhere. */
export class CommandReader {
  #rest = '';

  /** @returns the words of each command that is complete */
  read(bytes: string): string[][] {
    const text = this.#rest + bytes;
    const commands: string[][] = [];
    let from = 0;
    for (let next = readCommand(text, from); next !== undefined; next = readCommand(text, from)) {
      commands.push(next.words);
      from = next.end;
    }
    this.#rest = text.slice(from);
    return commands;
  }
}

function readCommand(text: string, from: number): { words: string[]; end: number } | undefined {
  const head = readHead(text, from, '*');
  if (head === undefined) return undefined;
  const words: string[] = [];
  let { end } = head;
  for (let index = 0; index < head.count; index += 1) {
    const word = readHead(text, end, '$');
    if (word === undefined) return undefined;
    const wordEnd = word.end + word.count;
    end = wordEnd + 2;
    if (end > text.length) return undefined;
    if (text.slice(wordEnd, end) !== '\r\n') throw malformed(text, wordEnd, 'the end of a word');
    words.push(text.slice(word.end, wordEnd));
  }
  return { words, end };
}

/** Reads a sign with a number. */
function readHead(text: string, from: number, sign: string): { count: number; end: number } | undefined {
  const end = text.indexOf('\r\n', from);
  if (end < 0) return undefined;
  const count = text.slice(from + 1, end);
  if (text[from] !== sign || !/^\d+$/.test(count)) throw malformed(text, from, `${sign} and a number`);
  return { count: Number(count), end: end + 2 };
}

/** For bytes that no client sends: some were lost, or two commands were mixed. */
function malformed(text: string, at: number, wanted: string): Error {
  const [before, after] = [text.slice(Math.max(0, at - SHOWN), at), text.slice(at, at + SHOWN)];
  return new Error(
    `malformed command: expected ${wanted}, got ${JSON.stringify(after)} after ${JSON.stringify(before)}`,
  );
}

/** A reply in bytes: of a text, a whole number, nothing, or a list of them. */
export function replyOf(value: unknown, protocol: Protocol): string {
  if (typeof value === 'number') return `:${value}\r\n`;
  if (Array.isArray(value)) return listOf('*', value, protocol);
  if (value === null) return protocol === 3 ? '_\r\n' : '$-1\r\n';
  const bytes = toBytes(String(value));
  return `$${bytes.length}\r\n${bytes}\r\n`;
}

/** What is no answer to a command: version 2 has no form of its own for it. */
export function pushOf(words: readonly unknown[], protocol: Protocol): string {
  return listOf(protocol === 3 ? '>' : '*', words, protocol);
}

/** Names with values. */
export function mapOf(entries: readonly (readonly [string, unknown])[], protocol: Protocol): string {
  if (protocol === 2) return listOf('*', entries.flat(), protocol);
  return `%${entries.length}\r\n${entries.map((entry) => entry.map((each) => replyOf(each, protocol)).join('')).join('')}`;
}

export function errorOf(message: string): string {
  return `-${message.replaceAll(/[\r\n]/g, ' ')}\r\n`;
}

export const OK = '+OK\r\n';

function listOf(sign: string, words: readonly unknown[], protocol: Protocol): string {
  let text = `${sign}${words.length}\r\n`;
  for (const word of words) text += replyOf(word, protocol);
  return text;
}
