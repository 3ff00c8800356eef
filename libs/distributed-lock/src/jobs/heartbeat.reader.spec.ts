import { describe, expect, test, vi } from 'vitest';
import type { Heartbeat } from '../contracts/heartbeat.contract.js';
import { readHeartbeat } from './heartbeat.reader.js';

const SECRET = '5bf66975';
const WHERE = 'Reports.run';

const heartbeat = { job: 'a', tick: 0, attempt: 1, instance: 'b' } as const;

/** The addresses to which the heartbeats of each state are sent. */
async function addressesOf(given: unknown): Promise<Record<string, string>> {
  const plan = readHeartbeat(given, WHERE);
  const sent = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response());
  const addresses: Record<string, string> = {};
  for (const [state, target] of Object.entries(plan?.targets ?? {})) {
    await target.send({ ...heartbeat, state: state as Heartbeat['state'] }, AbortSignal.timeout(1000));
    addresses[state] = String(sent.mock.lastCall?.[0]);
  }
  sent.mockRestore();
  return addresses;
}

describe('a URL as heartbeat', () => {
  test.each([
    ['https://hc-ping.com/uuid', 'https://hc-ping.com/uuid', 'https://hc-ping.com/uuid/%'],
    ['https://hc-ping.com/uuid/', 'https://hc-ping.com/uuid/', 'https://hc-ping.com/uuid/%'],
    [
      'https://hc-ping.com/key/slug?create=1#x',
      'https://hc-ping.com/key/slug?create=1',
      'https://hc-ping.com/key/slug/%?create=1',
    ],
    ['http://[::1]:8000', 'http://[::1]:8000/', 'http://[::1]:8000/%'],
    ['https://user:pass@host.example/a', 'https://host.example/a', 'https://host.example/a/%'],
  ])('%s has the addresses of healthchecks.io', async (given, success, below) => {
    expect(await addressesOf(given)).toEqual({
      start: below.replace('%', 'start'),
      success,
      failure: below.replace('%', 'fail'),
    });
  });

  test('has 5 s, and is named by its host', () => {
    const plan = readHeartbeat(`https://user:${SECRET}@host.example:8443/${SECRET}?key=${SECRET}`, WHERE);
    expect(plan?.timeout).toBe(5000);
    expect(plan?.targets.start?.to).toBe('host.example:8443');
    expect(JSON.stringify(plan)).not.toContain(SECRET);
  });
});

describe('URLs by state', () => {
  test('are used as they are, each for its state', async () => {
    const given = { start: 'https://a.example/p?state=run', failure: 'https://a.example/p?state=fail' };
    expect(await addressesOf(given)).toEqual(given);
  });

  test('have a timeout', () => {
    expect(readHeartbeat({ success: 'https://a.example', timeout: '2s' }, WHERE)?.timeout).toBe(2000);
  });

  test('may be undefined, as those of an environment without them', () => {
    expect(readHeartbeat({ success: undefined }, WHERE)).toBeUndefined();
    expect(readHeartbeat(undefined, WHERE)).toBeUndefined();
  });
});

test('a function is called for each state', async () => {
  const call = vi.fn<(heartbeat: Heartbeat) => void>();
  const plan = readHeartbeat(call, WHERE);
  for (const state of ['start', 'success', 'failure'] as const)
    await plan?.targets[state]?.send({ ...heartbeat, state }, AbortSignal.timeout(1000));
  expect(call.mock.calls.map(([given]) => given.state)).toEqual(['start', 'success', 'failure']);
});

describe('is refused, without its value,', () => {
  test.each([
    ['what is no URL', `hc-ping.com/${SECRET}`, 'heartbeat of Reports.run must be an http or https URL'],
    ['an empty text', '', 'heartbeat of Reports.run must be an http or https URL'],
    ['another protocol', `ftp://host/${SECRET}`, 'heartbeat of Reports.run must be an http or https URL'],
    [
      'a list',
      [`https://host/${SECRET}`],
      'heartbeat of Reports.run must be a URL, an object with some of start, success, failure, timeout, or a function, not an array',
    ],
    ['null', null, 'not null'],
    ['a number', 5, 'not a value of the type number'],
    [
      'an unknown option',
      { fail: `https://host/${SECRET}` },
      'Unknown option "fail" of heartbeat of Reports.run',
    ],
    ['no URL by state', { start: SECRET }, 'heartbeat.start of Reports.run must be an http or https URL'],
    [
      'a URL object by state',
      { start: new URL(`https://host/${SECRET}`) },
      'a value of the type object is not',
    ],
    ['an object without a URL', { timeout: 500 }, 'has no URL. Set at least one of start, success, failure'],
    [
      'a timeout of 0',
      { success: `https://host/${SECRET}`, timeout: 0 },
      'heartbeat.timeout of Reports.run must be at least 1 ms',
    ],
    [
      'no duration',
      { success: `https://host/${SECRET}`, timeout: 'soon' },
      'heartbeat.timeout of Reports.run must be a number of milliseconds',
    ],
  ])('%s', (_, given, message) => {
    let error: unknown;
    try {
      readHeartbeat(given, WHERE);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ code: 'INVALID_OPTION', message: expect.stringContaining(message) });
    expect(String(error)).not.toContain(SECRET);
  });
});
