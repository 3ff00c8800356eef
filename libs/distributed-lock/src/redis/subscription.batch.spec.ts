import { beforeEach, describe, expect, test } from 'vitest';
import { SubscriptionBatch } from './subscription.batch.js';

describe('the channels of one moment', () => {
  let sent: string[];
  let failed: Map<string, Error>;
  let batch: SubscriptionBatch;
  beforeEach(() => {
    sent = [];
    failed = new Map();
    batch = new SubscriptionBatch({
      subscribe: (channels) => {
        sent.push(`+ ${channels.join(' ')}`);
        return Promise.resolve(failed);
      },
      unsubscribe: (channels) => {
        sent.push(`- ${channels.join(' ')}`);
      },
    });
  });

  test('share a command, those that end before those that begin', async () => {
    const subscribed = [batch.subscribe('a'), batch.subscribe('b')];
    batch.unsubscribe('c');
    batch.unsubscribe('d');
    expect(sent).toEqual([]);
    await Promise.all(subscribed);
    expect(sent).toEqual(['- c d', '+ a b']);
  });

  test('have another command than those of the next one', async () => {
    await batch.subscribe('a');
    await batch.subscribe('b');
    expect(sent).toEqual(['+ a', '+ b']);
  });

  test('are not sent where they begin and end in it', async () => {
    const subscribed = [batch.subscribe('a'), batch.subscribe('b')];
    batch.unsubscribe('a');
    await Promise.all(subscribed);
    expect(sent).toEqual(['+ b']);
  });

  test('are sent where they end and begin anew', async () => {
    batch.unsubscribe('a');
    await batch.subscribe('a');
    expect(sent).toEqual(['- a', '+ a']);
  });

  test('fail one by one', async () => {
    failed.set('b', new Error('NOPERM'));
    const outcomes = await Promise.allSettled([batch.subscribe('a'), batch.subscribe('b')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
