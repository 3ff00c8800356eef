import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { scaled } from '../support/slowness.js';
import { until } from '../support/until.js';
import { FaultStage } from '../support/faults/fault.stage.js';
import { isDeclared } from '../support/declared.keys.js';

const RATE = 200;
const SHOPS = 6;

let stage: FaultStage;
beforeEach(() => {
  stage = FaultStage.shared();
});
afterEach(() => stage.close());

/** What became of a request, as its client sees it: the answer, or why there was none. */
function place(url: string, id: number): Promise<string> {
  return post(`${url}/orders/${id % SHOPS}`, id);
}

function post(url: string, id: number): Promise<string> {
  return new Promise((resolve) => {
    const options = { method: 'POST', agent: false, headers: { 'x-request': `${id}`, connection: 'close' } };
    const call = request(url, options, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += String(part)));
      response.on('end', () => resolve(`${response.statusCode} ${text}`));
      response.on('error', (error: NodeJS.ErrnoException) => resolve(`broken off: ${error.code}`));
    });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    call.end();
  });
}

/** Sends `RATE` requests a second until the server is gone. */
class Traffic {
  readonly answers = new Map<string, Promise<string>>();
  readonly #timer: NodeJS.Timeout;
  #refused = 0;
  #answered = 0;

  constructor(url: string) {
    this.#timer = setInterval(() => {
      const id = this.answers.size;
      const answer = place(url, id);
      this.answers.set(`${id}`, answer);
      void answer.then((text) => {
        this.#answered += 1;
        if (text === 'ECONNREFUSED') this.#refused += 1;
      });
    }, 1000 / RATE);
  }

  get underWay(): number {
    return this.answers.size - this.#answered;
  }

  get isRefused(): boolean {
    return this.#refused > 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

describe('SIGTERM', () => {
  test(
    `under ${RATE} requests per second, during a run, fails no request that was accepted, and no run`,
    { timeout: scaled(20_000) },
    async () => {
      const worker = await stage.fork('app.worker.js', { shutdownTimeout: 5000 });
      const url = (await worker.first('ready')).url ?? '';
      const traffic = new Traffic(url);
      try {
        await until('the load is on', () => worker.of('accepted').length > RATE);
        await worker.ask({ do: 'run', name: 'job', ms: 600 });
        await until('requests wait for each other', () => traffic.underWay >= 5);
        const { underWay } = traffic;
        const start = performance.now();
        worker.signal('SIGTERM');
        await until('the server is closed', () => traffic.isRefused);
        traffic.stop();
        const answers = new Map(
          await Promise.all([...traffic.answers].map(async ([id, answer]) => [id, await answer] as const)),
        );
        const exit = await worker.exited;
        const took = performance.now() - start;

        // Accepted: the request reached the application. One that did not was refused, or reset in the kernel's queue.
        const accepted = new Set(worker.of('accepted').map((message) => message.request));
        const outcomes = [...answers].map(([id, answer]) => ({ answer, wasAccepted: accepted.has(id) }));
        const failed = outcomes.filter(
          ({ answer, wasAccepted }) => wasAccepted && !answer.startsWith('201 '),
        );
        const others = outcomes.filter(({ wasAccepted }) => !wasAccepted);
        console.log(
          `${answers.size} requests, ${accepted.size} accepted (${underWay} under way at SIGTERM), ${failed.length} of them failed; ` +
            `${others.length} not accepted: ${[...new Set(others.map(({ answer }) => answer))].join(', ')}; gone after ${took.toFixed(0)} ms`,
        );
        expect(failed).toEqual([]);
        expect(accepted.size).toBeGreaterThan(RATE);
        for (const { answer } of others) expect(answer).toMatch(/^(ECONNREFUSED|ECONNRESET)$/);
        // No update was lost either: orders of a shop are numbered without a gap.
        const numbers = outcomes.filter(({ wasAccepted }) => wasAccepted).length;
        expect(sumOfLast(answers)).toBe(numbers);
        expect(worker.of('ended')).toEqual([{ kind: 'ended', name: 'job', how: 'completed' }]);
        expect(worker.of('trouble')).toEqual([]);
        expect(exit).toEqual([null, 'SIGTERM']);
        expect(took).toBeLessThan(scaled(3000));

        const service = await stage.open();
        expect(await service.getRuns('job')).toMatchObject([{ outcome: 'completed' }]);
        const keys = (await stage.services.keys()).filter((key) => !isDeclared(key));
        expect([keys, await stage.services.channels()]).toEqual([[], []]);
      } finally {
        traffic.stop();
      }
    },
  );

  test(
    'aborts a request that works until its signal aborts after shutdownTimeout, answers it, and ends the process',
    { timeout: scaled(20_000) },
    async () => {
      const shutdownTimeout = 1000;
      const worker = await stage.fork('app.worker.js', { shutdownTimeout });
      const answer = post(`${(await worker.first('ready')).url}/stock-taking`, 1);
      await worker.first('ended', ({ how }) => how === 'begun');
      const start = performance.now();
      worker.signal('SIGTERM');
      expect(await answer).toBe('201 {"ended":"LOST"}');
      expect(performance.now() - start).toBeGreaterThan(shutdownTimeout - 20);
      expect(await worker.exited).toEqual([null, 'SIGTERM']);
      expect(performance.now() - start).toBeLessThan(shutdownTimeout + scaled(1000));
      expect(worker.of('trouble')).toEqual([]);
      expect(await stage.services.keys()).toEqual([]);
    },
  );

  test(
    'aborts waiters, and work that outlasts shutdownTimeout, and frees its lock',
    { timeout: scaled(20_000) },
    async () => {
      const worker = await stage.fork('hold.worker.js', { shutdownTimeout: 400 });
      const other = await stage.open();
      const held = await other.getLock('theirs').lock();
      await worker.ask({ do: 'wait', name: 'theirs' });
      await worker.ask({ do: 'work', name: 'endless' });
      await worker.ask({ do: 'hold', names: ['forgotten'] });
      await worker.first('ended', ({ name }) => name === 'endless begun');
      await until('it waits', async () => (await stage.sleepers('theirs')) === 1);
      const start = performance.now();
      worker.signal('SIGTERM');
      expect((await worker.first('ended', ({ name }) => name === 'theirs')).how).toBe('SHUTTING_DOWN');
      expect(performance.now() - start).toBeLessThan(scaled(300));
      expect((await worker.first('ended', ({ name }) => name === 'endless')).how).toMatch(
        /the application is shutting down/,
      );
      expect(performance.now() - start).toBeGreaterThan(399);
      expect(await worker.exited).toEqual([null, 'SIGTERM']);
      expect(performance.now() - start).toBeLessThan(400 + scaled(2500));
      expect(worker.of('trouble')).toEqual([]);
      expect(await stage.services.keys()).toEqual([stage.key('theirs')]);
      await held.unlock();
      await stage.expectNothingLeft();
    },
  );

  test(
    'ends the process in bounded time also when Redis has gone before',
    { timeout: scaled(20_000) },
    async () => {
      const wire = await stage.proxy();
      const worker = await stage.fork('hold.worker.js', { shutdownTimeout: 300 }, wire);
      await worker.ask({ do: 'hold', names: ['a', 'b'] });
      await worker.ask({ do: 'work', name: 'endless' });
      await worker.first('ended', ({ name }) => name === 'endless begun');
      wire.blackHole();
      const start = performance.now();
      worker.signal('SIGTERM');
      expect(await worker.exited).toEqual([null, 'SIGTERM']);
      // The budget of the work, the time to let go, one round trip, and the farewell of two connections.
      expect(performance.now() - start).toBeLessThan(300 + 1000 + 1000 + scaled(1500));
      expect(worker.of('trouble')).toEqual([]);
      // A killed process costs its lease and nothing more: so does this one.
      await stage.admin.del(stage.key('a'), stage.key('b'), stage.key('endless'));
    },
  );
});

/** The sum over the shops of the highest order number that a client was told. */
function sumOfLast(answers: ReadonlyMap<string, string>): number {
  const last = new Map<number, number>();
  for (const [id, answer] of answers) {
    const order = Number(/^201 \{"order":(\d+)\}$/.exec(answer)?.[1] ?? 0);
    const shop = Number(id) % SHOPS;
    last.set(shop, Math.max(last.get(shop) ?? 0, order));
  }
  return [...last.values()].reduce((sum, order) => sum + order, 0);
}
