import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { context, trace, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { LockService } from 'nestjs-distributed-lock';
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { AppModule } from '../../sample-app/src/app.module.js';
import { RiskReview } from '../../sample-app/src/accounts/risk.review.js';
import { BillingJob } from '../../sample-app/src/billing/billing.job.js';
import { StatisticsJob } from '../../sample-app/src/statistics/statistics.job.js';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { Scrape } from './scrape.reader.js';

/** Stands for the risk review: it takes until it is let go, and has a span of its own. */
class GatedReview {
  readonly #open: (() => void)[] = [];
  /** Reviews under way. */
  get size(): number {
    return this.#open.length;
  }

  approve(): Promise<void> {
    const span = trace.getTracer('test').startSpan('risk review');
    return new Promise((resolve) => {
      this.#open.push(() => {
        span.end();
        resolve();
      });
    });
  }

  letGo(): void {
    for (const open of this.#open.splice(0)) open();
  }
}

const exporter = new InMemorySpanExporter();

let services: Services;
let app: INestApplication;
let url: string;
let review: GatedReview;

beforeEach(async () => {
  Logger.overrideLogger(false);
  services = new Services();
  vi.stubEnv('REDIS_URL', inject('redisUrl'));
  vi.stubEnv('KEY_PREFIX', services.prefix);
  vi.stubEnv('LOCK_WATCHDOG_TIMEOUT', '600');
  exporter.reset();
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
  review = new GatedReview();
  const module = await Test.createTestingModule({ imports: [AppModule] })
    .overrideProvider(RiskReview)
    .useValue(review)
    // What the schedule does by itself would be counted, too.
    .overrideProvider(BillingJob)
    .useValue({})
    .overrideProvider(StatisticsJob)
    .useValue({})
    .compile();
  app = module.createNestApplication();
  app.use(traceRequests);
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
});

afterEach(async () => {
  review.letGo();
  await app.close();
  for (const key of await services.keys()) await services.admin.del(key);
  await services.close();
  trace.disable();
  context.disable();
  Logger.overrideLogger(true);
});

describe('the sample app', () => {
  test('shows on /metrics and /health what its locks do, while they are held, waited for and lost', async () => {
    await post('/accounts', { id: '1', balance: 1000 });
    const account = app.get(LockService).getLock('account:1');
    const requests = [post('/accounts/1/withdrawals', { amount: 1, reference: 'w' })];
    await until('the request works', () => review.size === 1);
    // A request waits for 2 s; these two for as long as it takes.
    const others = [1, 2].map(() => account.using(() => review.approve()));
    await until('one works, and two wait', async () => (await scrape()).of('waiting') === 2);

    const busy = await scrape();
    expect(review.size).toBe(1);
    expect({ held: busy.of('held'), attempts: busy.of('attempts_total') }).toEqual({ held: 1, attempts: 3 });
    expect(await health()).toMatchObject({ status: 'ok', locks: { status: 'up', held: 1, waiting: 2 } });

    // Somebody deletes the key: the next one is let in, and the holder learns of it at its next renewal.
    await services.admin.del(`${services.prefix}lock:account:1`);
    await until('the loss is counted', async () => (await scrape()).of('lost_total') === 1);
    await until('the next one works', () => review.size === 2);
    const lost = await scrape();
    expect({ held: lost.of('held'), waiting: lost.of('waiting') }).toEqual({ held: 1, waiting: 1 });

    expect(await account.tryLock()).toBeNull();
    let isDone = false;
    const answers = Promise.all([...requests, ...others]).finally(() => (isDone = true));
    await until('all have worked', () => {
      review.letGo();
      return isDone;
    });
    await answers;
    await app.get(LockService).runOnce('closing', 1000, () => undefined);
    await app.get(LockService).runOnce('closing', 1000, () => undefined);

    const after = await scrape();
    const counted = (name: string, outcome: string) => after.of(name, { distributed_lock_outcome: outcome });
    expect({
      attempts: after.of('attempts_total'),
      acquired: counted('acquisitions_total', 'acquired'),
      refused: counted('acquisitions_total', 'refused'),
      waits: counted('wait_duration_count', 'acquired'),
      released: counted('hold_duration_count', 'released'),
      lost: counted('hold_duration_count', 'lost'),
      waiting: after.of('waiting'),
      completed: counted('ticks_total', 'completed'),
      skipped: counted('ticks_total', 'skipped'),
    }).toEqual({
      attempts: 4,
      acquired: 3,
      refused: 1,
      waits: 3,
      released: 2,
      lost: 1,
      waiting: 0,
      completed: 1,
      skipped: 1,
    });
    // Its name, without the id that would make a time series of each account.
    expect(after.labels('distributed_lock_name')).toEqual(new Set(['account', 'closing']));
    expect(after.labels('distributed_lock_kind')).toEqual(new Set(['reentrant']));
    expect(await health()).toMatchObject({ status: 'ok', locks: { status: 'up', held: 0, waiting: 0 } });
  });

  test('shows in a trace the request, in it the lock, and in that the work', async () => {
    await post('/accounts', { id: '1', balance: 1000 });
    const withdrawal = post('/accounts/1/withdrawals', { amount: 1, reference: 'w' });
    await until('it works', () => review.size === 1);
    review.letGo();
    await withdrawal;
    const spans = exporter.getFinishedSpans();
    const lock = spanOf(spans, 'lock reentrant');
    const request = spanOf(spans, 'POST /accounts/1/withdrawals');
    const work = spanOf(spans, 'risk review');
    expect(lock.parentSpanContext?.spanId).toBe(request.spanContext().spanId);
    expect(work.parentSpanContext?.spanId).toBe(lock.spanContext().spanId);
    expect(new Set([request, lock, work].map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(lock.attributes).toMatchObject({
      'distributed_lock.name': 'account:1',
      'distributed_lock.kind': 'reentrant',
      'distributed_lock.outcome': 'released',
      'distributed_lock.waited': expect.any(Number),
      'distributed_lock.held': expect.any(Number),
    });
  });
});

/** What an instrumentation of HTTP does. */
function traceRequests(request: IncomingMessage, response: ServerResponse, next: () => void): void {
  const span: Span = trace.getTracer('test').startSpan(`${request.method} ${request.url}`);
  response.once('finish', () => span.end());
  context.with(trace.setSpan(context.active(), span), next);
}

function spanOf(spans: readonly ReadableSpan[], name: string): ReadableSpan {
  const [found, ...others] = spans.filter((span) => span.name === name);
  if (found === undefined || others.length > 0)
    throw new Error(`${others.length + 1} spans are called ${name}`);
  return found;
}

async function post(path: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return status;
}

async function scrape(): Promise<Scrape> {
  return new Scrape(await (await fetch(`${url}/metrics`)).text());
}

async function health(): Promise<{ status: string; locks: unknown }> {
  const { status, details } = JSON.parse(await (await fetch(`${url}/health`)).text());
  return { status, locks: details.locks };
}
