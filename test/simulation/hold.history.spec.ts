import { beforeEach, describe, expect, test } from 'vitest';
import { HoldHistory, type KnownGrant, type Look, type NotedBelief } from './hold.history.js';

describe('the history of holds', () => {
  const clock = { now: 0, events: 0 };
  let history: HoldHistory;
  let look: Look | undefined;

  beforeEach(() => {
    Object.assign(clock, { now: 0, events: 0 });
    look = { lostAt: undefined };
    history = new HoldHistory();
    history.follow(clock);
  });

  /** Something else happens, 10 ms later. */
  function goOn(): void {
    clock.now += 10;
    clock.events += 1;
    history.look();
  }

  function begin(belief: object, more: Partial<KnownGrant & NotedBelief['handle']> = {}): void {
    const { holder = 'a:1', token, ...grant } = more;
    const noted = Object.assign(belief, {
      instance: { name: 'i0.1' },
      key: 'stock',
      handle: { holder, token },
    });
    history.begin(noted, { family: 'fenced', since: 10, look: () => look, ...grant });
  }

  function spansOf() {
    return history.records.map(({ call, held, until, answered }) => [call, held, until, answered]);
  }

  test('has events for instants: of the call, of the first and last look that found it held, and of the answer', () => {
    const belief = {};
    goOn();
    goOn();
    begin(belief, { token: 7n });
    goOn();
    look = undefined;
    goOn();
    history.answer(belief);
    expect(spansOf()).toEqual([[1, 2, 3, 4]]);
    expect(history.records).toMatchObject([{ kind: 'fenced', keys: ['stock'], token: '7' }]);
  });

  test('has no answer where there was none, and no hold that was over when it came', () => {
    begin({});
    goOn();
    look = undefined;
    begin({});
    goOn();
    expect(spansOf()).toEqual([[0, 0, 1, Infinity]]);
  });

  test('knows from when the store may have lost a hold, unless it outlasts this doubt', () => {
    goOn();
    begin({});
    look = { lostAt: 20 };
    goOn();
    goOn();
    expect(history.records.map(({ lostFrom }) => lostFrom)).toEqual([2]);
    look = { lostAt: undefined };
    goOn();
    expect(history.records.map(({ lostFrom }) => lostFrom)).toEqual([undefined]);
  });

  test('has one owner for a caller that acquires again, and another one for a hold that was handed on', () => {
    const outer = {};
    begin(outer, { family: 'red', holder: 'a:1 a:2' });
    begin({}, { family: 'red', holder: 'a:3 a:2', outer });
    begin({}, { family: 'red', holder: 'a:1 a:2' });
    const owners = history.records.map(({ owner }) => owner);
    expect(owners).toEqual(['a:1 a:2@0', 'a:1 a:2@0', 'a:1 a:2@2']);
  });

  test('has no token of a time after which tokens may have begun anew', () => {
    begin({}, { token: 7n, since: 10 });
    begin({}, { token: 5n, since: 20 });
    history.tokensFrom = 10;
    expect(history.records.map(({ token }) => token)).toEqual([undefined, '5']);
  });
});
