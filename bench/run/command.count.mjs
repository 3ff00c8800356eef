import { once } from 'node:events';
import { connect } from 'node:net';
import { Redis } from 'ioredis';

/** How long the last lines may take to come, in ms. */
const LAST = 100;

/** How often they are waited for. */
const LONGEST = 10;

/** A line of MONITOR: where the command comes from, the command, and its first argument. */
const LINE = /^\+[\d.]+ \[\d+ (\S+)\] "(\w+)"(?: "([^"]*)")?/;

/**
 * Counts what clients send to a server, what scripts call left out, and the messages that its subscribers receive. By MONITOR, which
 * names commands in the order in which they are run, and slows the server: rounds that count are not timed.
 */
export class CommandCount {
  #commands = 0;
  /** Those that do not name the subject. */
  #others = 0;
  #messages = 0;
  #rest = '';
  /** Subscribers of each channel. @type {Map<string, number>} */
  #subscribers;

  /** @param {string} url @param {string} [subject] a part of keys and channels: what is sent without it is counted apart */
  static async begin(url, subject = '') {
    const { hostname, port } = new URL(url);
    const subscribers = await subscribersAt(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.setEncoding('latin1').write('MONITOR\r\n');
    await once(socket, 'data');
    return new CommandCount(socket, subscribers, subject);
  }

  /** @param {import('node:net').Socket} socket @param {Map<string, number>} subscribers @param {string} subject */
  constructor(socket, subscribers, subject) {
    this.socket = socket;
    this.#subscribers = subscribers;
    this.subject = subject;
    socket.on('data', (text) => {
      const lines = `${this.#rest}${text}`.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#count(line);
    });
  }

  /** Once nothing more comes, or soon, where those who poll go on. */
  async end() {
    const count = this.#figures;
    for (let before = -1, left = LONGEST; before !== this.#commands; left -= 1) {
      if (left === 0) return count;
      before = this.#commands;
      await new Promise((resolve) => setTimeout(resolve, LAST));
    }
    return this.#figures;
  }

  close() {
    this.socket.destroy();
  }

  get #figures() {
    return { commands: this.#commands, others: this.#others, messages: this.#messages };
  }

  /** @param {string} line */
  #count(line) {
    const [, source, command = '', channel = ''] = LINE.exec(line) ?? [];
    if (source !== 'lua') {
      if (this.subject === '' || this.#isNamed(line)) this.#commands += 1;
      else this.#others += 1;
    }
    const subscribers = this.#subscribers.get(channel) ?? 0;
    switch (command.toLowerCase()) {
      case 'publish':
        this.#messages += subscribers;
        break;
      case 'subscribe':
        for (const name of argumentsOf(line)) this.#add(name, 1);
        break;
      case 'unsubscribe':
        for (const name of argumentsOf(line)) this.#add(name, -1);
        break;
      default:
    }
  }

  /** Whether a key, or a channel that is subscribed, has the subject: what a script is given beside its keys may speak of anything. @param {string} line */
  #isNamed(line) {
    if (!line.includes(this.subject)) return false;
    const [digest, count, ...rest] = argumentsOf(line);
    const isScript = /^[0-9a-f]{40}$/.test(digest ?? '');
    const keys = isScript ? rest.slice(0, Number(count)) : [digest, count, ...rest];
    return keys.some((key) => key?.includes(this.subject));
  }

  /** @param {string} channel @param {number} more */
  #add(channel, more) {
    this.#subscribers.set(channel, Math.max(0, (this.#subscribers.get(channel) ?? 0) + more));
  }
}

/** @param {string} line */
function argumentsOf(line) {
  return [...line.matchAll(/ "((?:[^"\\]|\\.)*)"/g)].slice(1).map(([, word = '']) => word);
}

/** @param {string} url @returns {Promise<Map<string, number>>} */
async function subscribersAt(url) {
  const client = new Redis(url);
  try {
    const channels = /** @type {string[]} */ (await client.pubsub('CHANNELS'));
    if (channels.length === 0) return new Map();
    const words = /** @type {(string | number)[]} */ (await client.pubsub('NUMSUB', ...channels));
    return new Map(channels.map((name, index) => [name, Number(words[index * 2 + 1])]));
  } finally {
    client.disconnect();
  }
}
