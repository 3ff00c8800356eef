import { expect, test } from 'vitest';
import { NoticeBoard } from '../events/notice.board.js';
import { readTemplate } from '../connections/template.loader.js';
import { TimerWheel } from '../timing/timer.wheel.js';
import { makeEngine } from './open.engine.js';
import { openQuorum, readQuorum } from './open.quorum.js';
import { readSettings } from './settings.reader.js';

const SETTINGS = readSettings({ pubsub: 'sharded' });
const PARTS = { wheel: new TimerWheel(), notices: new NoticeBoard() };

/** The error for the option that has no cluster. */
function without(option: string): unknown {
  return expect.objectContaining({
    code: 'INVALID_OPTION',
    message: expect.stringContaining(`pubsub: "sharded" needs a cluster, and ${option} is none.`),
    remedy: `Give a client of a cluster as ${option}, or set pubsub: "auto".`,
  });
}

test('sharded channels without a cluster are refused, with the option that names the server', async () => {
  const template = await readTemplate('redis://a');
  expect(() => makeEngine(SETTINGS, template, PARTS)).toThrow(without('redis'));
  const servers = await readQuorum(['redis://a', 'redis://b', 'redis://c']);
  await expect(openQuorum(SETTINGS, servers, PARTS)).rejects.toEqual(without('redLock.servers[0]'));
});
