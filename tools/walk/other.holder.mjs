import { openApp } from './walked.app.mjs';

// Another process of the application: it acquires and unlocks on request, and its own calls are not counted.
const [, , url = ''] = process.argv;
const { app, locks } = await openApp(url);
/** @type {import('../../libs/distributed-lock/src/index.js').LockHandle | undefined} */
let handle;
process.on('message', (/** @type {'lock' | 'unlock' | 'close'} */ request) => void answer(request));
process.send?.('ready');

/** @param {'lock' | 'unlock' | 'close'} request */
async function answer(request) {
  if (request === 'lock') handle = await locks.getLock('orders').lock();
  if (request === 'unlock') await handle?.unlock();
  if (request === 'close') await app.close();
  process.send?.(request);
  if (request === 'close') process.disconnect();
}
