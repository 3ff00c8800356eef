import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamicModule, NestApplicationOptions } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { DistributedLockModule, type DistributedLockModuleOptions } from 'nestjs-distributed-lock';

/** What a test of one way into an application does; it says what it saw, or throws. */
export type Check = (stage: MatrixStage) => Promise<string>;

/** Of every application: it tells what goes wrong, and does not end the process for it. */
export const CONTEXT: Pick<NestApplicationOptions, 'logger' | 'abortOnError'> = {
  logger: ['error', 'warn'],
  abortOnError: false,
};

/** Of those that serve. */
export const SERVER: NestApplicationOptions = { ...CONTEXT, forceCloseConnections: true };

/** Stands inside guarded methods: counts who is in, and keeps them there until it is opened. */
export class Gate {
  inside = 0;
  most = 0;
  entered = 0;
  #open: () => void = () => undefined;
  #opened = new Promise<void>((resolve) => (this.#open = resolve));
  #fail: (error: Error) => void = () => undefined;
  /** Rejects when two calls are inside at once. */
  readonly overlap = new Promise<never>((_, reject) => (this.#fail = reject));

  constructor() {
    // Who waits for it hears of it; nobody else has to.
    this.overlap.catch(() => undefined);
  }

  async pass(): Promise<string> {
    this.entered += 1;
    this.inside += 1;
    this.most = Math.max(this.most, this.inside);
    if (this.inside > 1) this.#fail(new Error('the method ran in both instances at once'));
    await this.#opened;
    this.inside -= 1;
    return 'done';
  }

  open(): void {
    this.#open();
  }
}

interface Closing {
  close(): Promise<unknown>;
}

/** One Redis, a prefix of its own, and what has to be closed in the end. */
export class MatrixStage {
  /** Makes a client of node-redis as a template, where the locks are to run on one. */
  static #clientOf: ((url: string) => DistributedLockModuleOptions['redis']) | undefined;

  readonly gate = new Gate();
  readonly #closing: Closing[] = [];

  constructor(
    readonly redis: string,
    readonly prefix = `matrix:${randomUUID()}:`,
  ) {}

  /** Loads the client that the environment names, before the first application is made: `MATRIX_CLIENT=redis`, ioredis without it. */
  static async loadClient(): Promise<void> {
    if (process.env['MATRIX_CLIENT'] !== 'redis') return;
    // Most of the combinations do not have it.
    const name: string = 'redis';
    const { createClient } = await import(name);
    MatrixStage.#clientOf = (url) => createClient({ url });
  }

  /** The module as both instances of an application import it. */
  locks(
    redis: string | Redis = this.redis,
    options: Omit<DistributedLockModuleOptions, 'redis'> = {},
  ): DynamicModule {
    return DistributedLockModule.forRoot({
      redis: MatrixStage.#clientOf?.(this.redis) ?? redis,
      namePrefix: this.prefix,
      appName: this.prefix,
      ...options,
    });
  }

  /** Closed in the end, the last one first. */
  closes<T extends Closing>(part: T): T {
    this.#closing.push(part);
    return part;
  }

  /**
   * Calls a guarded method in one instance and, while it runs, in the other.
   * @param gate the one inside of that method
   * @returns what the second caller was told
   */
  async collide<T>(
    first: () => Promise<unknown>,
    second: () => Promise<T>,
    gate: Gate = this.gate,
  ): Promise<T> {
    const running = first();
    await until('the first call is inside', () => gate.entered === 1);
    const told = await Promise.race([second(), gate.overlap]);
    gate.open();
    await running;
    return told;
  }

  async close(): Promise<void> {
    for (const part of this.#closing.toReversed()) await part.close();
  }
}

export async function until(
  what: string,
  reached: () => boolean | Promise<boolean>,
  within = 20_000,
): Promise<void> {
  const end = performance.now() + within * Number(process.env['TEST_SLOWNESS'] || 1);
  while (!(await reached())) {
    if (performance.now() > end) throw new Error(`not within ${within} ms: ${what}`);
    await sleep(5);
  }
}
