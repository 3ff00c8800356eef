import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const HOST = '127.0.0.1';
const PAUSE = 10;
/** A cluster bus listens 10,000 above its server's port. */
const HIGHEST_PORT = 55_535;

/** @returns {Promise<number>} a loopback port that nobody listens on now */
export async function findFreePort() {
  for (;;) {
    const port = await /** @type {Promise<number>} */ (
      new Promise((resolve, reject) => {
        const server = createServer();
        server.once('error', reject);
        server.listen(0, HOST, () => {
          const address = server.address();
          server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
        });
      })
    );
    if (port > 0 && port <= HIGHEST_PORT) return port;
  }
}

/**
 * Asks until a server answers with anything but "I am still loading".
 * @param {number} port
 * @param {number} within in ms
 * @param {number} [pid] the process that has to be the one that answers: another server may sit on the port
 */
export async function waitUntilReady(port, within, pid) {
  const deadline = performance.now() + within;
  while (performance.now() < deadline) {
    const answer = await askInfo(port);
    const answering = /^process_id:(\d+)/m.exec(answer)?.[1];
    const isOther = pid !== undefined && answering !== undefined && Number(answering) !== pid;
    if (answer && !answer.startsWith('-LOADING') && !isOther) return true;
    await sleep(PAUSE);
  }
  return false;
}

/**
 * @param {number} port
 * @returns {Promise<string>} empty where nobody answers
 */
function askInfo(port) {
  return new Promise((resolve) => {
    const socket = connect(port, HOST);
    /** @param {string} answer */
    const settle = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(1_000, () => settle(''));
    socket.once('error', () => settle(''));
    socket.once('close', () => settle(''));
    socket.once('connect', () => socket.write('INFO server\r\n'));
    socket.once('data', (data) => settle(data.toString()));
  });
}
