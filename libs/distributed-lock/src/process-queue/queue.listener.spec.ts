import { describe, expect, test } from 'vitest';
import type { Timer } from '../timing/timer.wheel.js';
import { type ListenerOwner, QueueListener } from './queue.listener.js';

/** A listener that Redis lists, and what it sends: whether each `pass` yields. */
function listenerOf(side: 'write' | undefined) {
  const passes: boolean[] = [];
  const expiries: (() => void)[] = [];
  let receive: (payload: string) => void = () => undefined;
  const wheel = {
    background: (expire: () => void) => {
      expiries.push(expire);
      return {} as Timer;
    },
    set: () => undefined,
    cancel: () => undefined,
  };
  const subscriptions = {
    subscribe: (_channel: string, onMessage: (payload: string) => void) => {
      receive = onMessage;
      return { isActive: true, acknowledged: Promise.resolve(), release: () => undefined };
    },
  };
  const owner = {
    context: { settings: { watchdogTimeout: 30_000 }, subscriptions, wheel },
    passOn: (yields: boolean) => passes.push(yields),
    onListening: () => undefined,
  } as unknown as ListenerOwner;
  const listener = new QueueListener(owner, 'channel', { form: 'exclusive', ...(side && { side }) });
  void listener.listen();
  listener.learned({ isListener: true, isListenerMissing: false, ttl: 30_000, places: 2 });
  const hear = (payload: string) => {
    passes.length = 0;
    receive(payload);
    return passes;
  };
  /** The turn of others, begun and over; the lock is held then. */
  const turn = () => {
    listener.yieldTurn();
    expiries[1]?.();
  };
  return { listener, hear, turn };
}

describe('a listener after a turn of the others', () => {
  test('does not yield before a process of the queue was notified', () => {
    const { listener, hear, turn } = listenerOf(undefined);
    expect(hear('0')).toEqual([true]);
    turn();
    expect(hear('0')).toEqual([false]);
    expect(hear('0')).toEqual([false]);
    listener.called();
    expect(hear('0')).toEqual([true]);
  });

  test('yields to the release of a last reader, for a script has decided whose it is', () => {
    const { hear, turn } = listenerOf('write');
    expect(hear('1')).toEqual([true]);
    turn();
    expect(hear('0')).toEqual([true]);
  });

  test('does not yield to two of them in a row: readers of Java would go first for ever', () => {
    const { hear, turn } = listenerOf('write');
    expect(hear('0')).toEqual([true]);
    turn();
    expect(hear('0')).toEqual([false]);
    turn();
    expect(hear('1')).toEqual([false]);
    turn();
    expect(hear('0')).toEqual([true]);
  });

  test('yields to one again once a process of the queue was notified', () => {
    const { listener, hear, turn } = listenerOf('write');
    expect(hear('0')).toEqual([true]);
    turn();
    listener.called();
    expect(hear('0')).toEqual([true]);
  });
});
