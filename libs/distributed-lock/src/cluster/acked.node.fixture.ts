import type { NodeConnection } from './replica.acks.js';

/** A server that tells what the test lets it tell. */
export class FakeNode implements NodeConnection {
  status = 'ready';
  replicationInfo = 'role:master';
  readonly waits: number[] = [];
  acknowledge: (replicas: number) => Promise<unknown> = (replicas) => Promise.resolve(replicas);

  constructor(replicas: number) {
    this.report(replicas);
  }

  report(replicas: number): void {
    const lines = Array.from({ length: replicas }, (_, at) => `slave${at}:ip=::1,port=1,state=online,lag=0`);
    this.replicationInfo = ['role:master', ...lines].join('\r\n');
  }

  info(): Promise<unknown> {
    return this.status === 'ready'
      ? Promise.resolve(this.replicationInfo)
      : Promise.reject(new Error('Connection is closed.'));
  }

  wait(replicas: number): Promise<unknown> {
    if (replicas === 0) return Promise.resolve(0);
    this.waits.push(replicas);
    return this.acknowledge(replicas);
  }

  readonly connect = () => Promise.resolve();
  readonly evalsha = () => Promise.resolve();
  readonly eval = () => Promise.resolve();
  readonly asking = () => Promise.resolve();
  readonly #listeners = new Map<string, () => void>();

  on(event: string, listener: () => void): void {
    this.#listeners.set(event, listener);
  }

  ready(): void {
    this.status = 'ready';
    this.#listeners.get('ready')?.();
  }

  /** Its connection is gone for good. */
  end(): void {
    this.status = 'end';
    this.#listeners.get('end')?.();
  }
}
