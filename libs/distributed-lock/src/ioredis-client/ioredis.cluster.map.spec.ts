import { EventEmitter } from 'node:events';
import type { Cluster } from 'ioredis';
import { expect, test } from 'vitest';
import { IoredisClusterMap } from './ioredis.cluster.map.js';
import { IoredisTrouble } from './ioredis.trouble.js';

/** A client whose SSUBSCRIBE is never answered, as in version 5 of ioredis after a channel has moved. */
class SilentNode extends EventEmitter {
  readonly options = { host: 'a', port: 1 };
  ssubscribe = (): Promise<unknown> => new Promise(() => undefined);
  duplicate(): SilentNode {
    return new SilentNode();
  }
}

function subscriber() {
  const cluster = Object.assign(new EventEmitter(), { nodes: () => [new SilentNode()] });
  const map = new IoredisClusterMap(cluster as unknown as Cluster, new IoredisTrouble(), () => ({}));
  const client = map.connectSubscriber('a:1')?.client;
  if (client === undefined) throw new Error('unreachable');
  return client;
}

test.each(['moved', 'close'])('a subscription without an answer ends with the event "%s"', async (event) => {
  const client = subscriber();
  const answers = [client.ssubscribe('x'), client.ssubscribe('y')];
  Reflect.apply(EventEmitter.prototype.emit, client, [event]);
  for (const answer of answers)
    await expect(answer).rejects.toMatchObject({ kind: 'refused', code: 'MOVED', isTransient: true });
  expect(Reflect.apply(EventEmitter.prototype.listenerCount, client, [event])).toBe(0);
});
