import { once } from 'node:events';
import { connect } from 'node:net';

/** How long the last lines may take to come, in ms. */
const LAST = 100;

/** How often they are waited for. */
const LONGEST = 10;

/** Counts what clients send to a server, by MONITOR: what scripts call is not counted. It slows the server, so rounds that count are not timed. */
export class CommandCount {
  #commands = 0;
  #rest = '';

  /** @param {string} url */
  static async begin(url) {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.setEncoding('latin1').write('MONITOR\r\n');
    await once(socket, 'data');
    return new CommandCount(socket);
  }

  /** @param {import('node:net').Socket} socket */
  constructor(socket) {
    this.socket = socket;
    socket.on('data', (text) => {
      const lines = `${this.#rest}${text}`.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) if (!/^\+[\d.]+ \[\d+ lua\]/.test(line)) this.#commands += 1;
    });
  }

  /** Once nothing more comes, or soon, where those who poll go on. */
  async end() {
    const count = this.#commands;
    for (let before = -1, left = LONGEST; before !== this.#commands; left -= 1) {
      if (left === 0) return count;
      before = this.#commands;
      await new Promise((resolve) => setTimeout(resolve, LAST));
    }
    return this.#commands;
  }

  close() {
    this.socket.destroy();
  }
}
