import { setTimeout as sleep } from 'node:timers/promises';
import { Test } from '@nestjs/testing';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { LockService } from 'nestjs-distributed-lock';
import { DistributedLockMetricsModule, instrumentLocks } from 'nestjs-distributed-lock/metrics';
import { DistributedLockTestingModule } from 'nestjs-distributed-lock/testing';
import { DistributedLockTracingModule, traceLocks } from 'nestjs-distributed-lock/tracing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Services } from '../support/services.js';
import { until } from '../support/until.js';
import { instants } from '../ticks/bare.instants.js';
import { Scrape } from './scrape.reader.js';

let services: Services;
let locks: LockService;

beforeEach(async () => {
  services = new Services();
  locks = await services.open({ lockWatchdogTimeout: 400 });
});

afterEach(async () => {
  await services.close();
});

describe('the figures of the locks', () => {
  let exporter: PrometheusExporter;
  let meterProvider: MeterProvider;

  beforeEach(() => {
    exporter = new PrometheusExporter({ preventServerStart: true });
    meterProvider = new MeterProvider({ readers: [exporter] });
  });

  const scrape = async () => {
    const { resourceMetrics } = await exporter.collect();
    return new Scrape(new PrometheusSerializer().serialize(resourceMetrics));
  };

  test('say why calls failed, in a word, and count re-entries apart', async () => {
    instrumentLocks(locks, { meterProvider });
    const gone = new DOMException('left', 'AbortError');
    await expect(locks.getLock('a').lock({ signal: AbortSignal.abort(gone) })).rejects.toBe(gone);
    const strict = locks.getNonReentrantLock('b');
    await expect(strict.using(() => strict.lock())).rejects.toThrow('acquires that lock again');
    await locks.getLock('a').using(() => locks.getLock('a').using(() => undefined));
    const scraped = await scrape();
    expect(scraped.of('acquisitions_total', { error_type: 'AbortError' })).toBe(1);
    expect(scraped.of('acquisitions_total', { error_type: 'NOT_REENTRANT' })).toBe(1);
    expect(scraped.of('hold_duration_count', { distributed_lock_outcome: 'kept' })).toBe(1);
    expect(scraped.of('attempts_total', { distributed_lock_reentry: 'true' })).toBe(2);
    expect(scraped.labels('distributed_lock_name')).toEqual(new Set());
  });

  test('count renewals and waiting semaphores, go on telling what is 0 by now, and end', async () => {
    const end = instrumentLocks(locks, { meterProvider });
    const semaphore = locks.getSemaphore('s');
    await semaphore.trySetPermits(1);
    await semaphore.acquire();
    const handle = await locks.getLock('a').lock();
    const waiting = semaphore.acquire();
    const renewed = { distributed_lock_outcome: 'renewed' };
    await until('it is renewed', async () => (await scrape()).of('renewals_total', renewed) > 0);
    const busy = await scrape();
    expect(busy.of('waiting', { distributed_lock_kind: 'semaphore' })).toBe(1);
    expect(busy.of('held', { distributed_lock_kind: 'reentrant' })).toBe(1);
    await semaphore.release();
    await waiting;
    await handle.unlock();
    const after = await scrape();
    expect(after.labels('distributed_lock_kind')).toEqual(new Set(['reentrant', 'semaphore']));
    expect([after.of('held'), after.of('waiting')]).toEqual([0, 0]);
    end();
    await locks.getLock('a').using(() => undefined);
    expect((await scrape()).of('attempts_total')).toBe(after.of('attempts_total'));
    await semaphore.delete();
  });
});

test('the figures of two module instances with one meter provider are told apart by their names', async () => {
  const exporter = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ readers: [exporter] });
  const other = await services.open();
  instrumentLocks(locks, { meterProvider });
  instrumentLocks(other, { meterProvider, service: 'jobs' });
  await other.ticks.jobs.register(
    'nightly',
    'hourly',
    instants(() => 'now'),
  );
  const held = [
    await locks.getLock('a').lock(),
    await locks.getLock('b').lock(),
    await other.getLock('c').lock(),
  ];
  const { resourceMetrics } = await exporter.collect();
  const scraped = new Scrape(new PrometheusSerializer().serialize(resourceMetrics));
  const jobs = { distributed_lock_service: 'jobs' };
  expect([scraped.of('held'), scraped.of('held', jobs)]).toEqual([3, 1]);
  expect(scraped.of('attempts_total', jobs)).toBe(1);
  expect(scraped.values('job_paused', { ...jobs, distributed_lock_job: 'nightly' })).toEqual([0]);
  await Promise.all(held.map((handle) => handle.unlock()));
  await other.jobs.forget('nightly');
});

test('an empty name of a module instance is refused', () => {
  expect(() => instrumentLocks(locks, { service: '' })).toThrow('service of the metrics must be the name');
});

describe('the spans of the locks', () => {
  let exporter: InMemorySpanExporter;
  let end: () => void;

  beforeEach(() => {
    exporter = new InMemorySpanExporter();
    const spanProcessors = [new SimpleSpanProcessor(exporter)];
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    end = traceLocks(locks, { tracerProvider: new BasicTracerProvider({ spanProcessors }) });
  });

  afterEach(() => {
    context.disable();
  });

  const told = () => exporter.getFinishedSpans().map(outcomeOf);

  test('end with what came of the call, whether it was granted or not', async () => {
    const rival = await services.open();
    const theirs = await rival.getLock('a').lock();
    expect(await locks.getLock('a').tryLock()).toBeNull();
    await theirs.unlock();
    await expect(locks.getLock('a').lock({ signal: AbortSignal.abort(new Error('left')) })).rejects.toThrow(
      'left',
    );
    const error = new Error('the work failed');
    await expect(locks.getFencedLock('f').using(() => Promise.reject(error))).rejects.toBe(error);
    const unlocked = await locks.getLock('a').lock();
    await services.admin.del(`${services.prefix}a`);
    expect(await unlocked.unlock()).toBe('lost');
    await locks.runOnce('job', 1000, () => undefined);
    expect(told()).toEqual([
      'lock reentrant: refused',
      'lock reentrant: failed, left',
      'lock fenced: released, the work failed',
      'lock reentrant: lost, lost: its lease had ended before it was unlocked',
      'tick: completed',
    ]);
    const [, , fenced, , tick] = exporter.getFinishedSpans();
    expect(fenced?.attributes['distributed_lock.token']).toMatch(/^\d+$/);
    expect(fenced?.events.map(({ name }) => name)).toEqual(['acquired', 'exception']);
    expect(tick?.attributes).toMatchObject({
      'distributed_lock.tick': '1970-01-01T00:00:01.000Z',
      'distributed_lock.attempt': 1,
    });
    for (const key of await services.keys()) await services.admin.del(key);
  });

  test('are in one another as their sections are, also of several locks and of a handle that runs work', async () => {
    await locks.getMultiLock('a', 'b').using(async () => {
      const inner = await locks.getLock('a').lock();
      inner.run(() => trace.getActiveSpan()?.addEvent('work'));
      await inner.unlock();
    });
    const [inner, outer] = exporter.getFinishedSpans();
    expect(told()).toEqual(['lock reentrant: kept', 'lock multi: released']);
    expect(inner?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
    expect(inner?.attributes['distributed_lock.reentry']).toBe(true);
    expect(inner?.events.map(({ name }) => name)).toEqual(['acquired', 'work']);
  });

  test('have the error of work that rejects with what cannot be printed, and nothing else comes of it', async () => {
    const odd: unknown = Object.create(null);
    const rejections: unknown[] = [];
    const note = (reason: unknown) => void rejections.push(reason);
    process.on('unhandledRejection', note);
    await expect(locks.getLock('a').using(() => Promise.reject(odd))).rejects.toBe(odd);
    await sleep(20);
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
    expect(exporter.getFinishedSpans().map(({ status }) => status.code)).toEqual([SpanStatusCode.ERROR]);
  });

  test('are no more once tracing has ended', async () => {
    end();
    await locks.getLock('a').using(() => undefined);
    expect(told()).toEqual([]);
  });
});

test('what runs while the application ends is measured and traced to its end', async () => {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const reader = new PrometheusExporter({ preventServerStart: true });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const app = await Test.createTestingModule({
    imports: [
      DistributedLockTestingModule.forRoot(),
      DistributedLockTracingModule.forRoot({ tracerProvider }),
      DistributedLockMetricsModule.forRoot({ meterProvider }),
    ],
  }).compile();
  await app.init();
  let isRunning = false;
  const work = app.get(LockService).using('job', async () => {
    isRunning = true;
    await sleep(200);
  });
  await until('it runs', () => isRunning);
  await app.close();
  await work;
  expect(exporter.getFinishedSpans().map(outcomeOf)).toEqual(['lock reentrant: released']);
  const { resourceMetrics } = await reader.collect();
  const scraped = new Scrape(new PrometheusSerializer().serialize(resourceMetrics));
  expect(scraped.of('hold_duration_count', { distributed_lock_outcome: 'released' })).toBe(1);
});

function outcomeOf({ name, attributes, status }: ReadableSpan): string {
  const why = status.code === SpanStatusCode.ERROR ? `, ${status.message}` : '';
  return `${name}: ${String(attributes['distributed_lock.outcome'])}${why}`;
}
