import {
  context,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Span,
  type Tracer,
  type TracerProvider,
} from '@opentelemetry/api';
import type { SectionListener } from '../events/lock.events.js';
import { errorText } from '../errors/error.text.js';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, optionNames } from '../options/option.checks.js';
import type {
  AcquiredEvent,
  AcquisitionEvent,
  FailedEvent,
  LostEvent,
  RefusedEvent,
  ReleasedEvent,
  TickClaimedEvent,
  TickFinishedEvent,
  WaitingEvent,
} from '../events/lock.event.types.js';
import type { LockService } from '../service/lock.service.js';

/** Options of the tracing. */
export interface LockTracingOptions {
  /** The OpenTelemetry tracer provider. @default the global tracer provider */
  readonly tracerProvider?: TracerProvider | undefined;
}

const OPTIONS = optionNames<LockTracingOptions>({ tracerProvider: true });

/**
 * Starts to trace the locks of a module instance. Each acquisition, and each claimed tick, has one span, from the
 * call to the end of the release; its parent is the span that is active at the call. The work of `using()`,
 * decorators, interceptors and ticks runs inside the span.
 * @param locks the service of the module instance
 * @param options each option documents its default
 * @returns a function that stops the tracing
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function traceLocks(locks: LockService, options: LockTracingOptions = {}): () => void {
  checkOptionNames(options, OPTIONS, 'of the tracing');
  const { tracerProvider } = options;
  if (tracerProvider !== undefined && typeof tracerProvider?.getTracer !== 'function')
    throw new LockConfigurationError('INVALID_OPTION', 'tracerProvider must be a TracerProvider.');
  const tracer = (tracerProvider ?? trace).getTracer('nestjs-distributed-lock');
  return locks.events.listen(new LockTracing(tracer));
}

/** Turns events into spans. */
class LockTracing implements SectionListener {
  readonly #spans = new WeakMap<object, Span>();

  constructor(private readonly tracer: Tracer) {}

  attempt({ acquisition, lock, kind, isReentry }: AcquisitionEvent): void {
    this.#start(acquisition, `lock ${kind}`, {
      'distributed_lock.name': lock,
      'distributed_lock.kind': kind,
      'distributed_lock.reentry': isReentry,
    });
  }

  waiting({ acquisition, heldBy }: WaitingEvent): void {
    this.#spans.get(acquisition)?.addEvent('waiting', holderOf(heldBy.holder));
  }

  acquired({ acquisition, holder, token, waited, hasEnd }: AcquiredEvent): void {
    const span = this.#spans.get(acquisition);
    span?.setAttributes({ ...holderOf(holder), 'distributed_lock.waited': waited / 1000 });
    if (token !== undefined) span?.setAttribute('distributed_lock.token', `${token}`);
    span?.addEvent('acquired');
    if (!hasEnd) this.#end(acquisition, 'acquired');
  }

  refused({ acquisition, waited }: RefusedEvent): void {
    this.#end(acquisition, 'refused', { 'distributed_lock.waited': waited / 1000 });
  }

  failed({ acquisition, waited, error }: FailedEvent): void {
    const span = this.#spans.get(acquisition);
    if (span !== undefined) fail(span, error);
    this.#end(acquisition, 'failed', { 'distributed_lock.waited': waited / 1000 });
  }

  released({ acquisition, held, outcome }: ReleasedEvent): void {
    this.#end(acquisition, outcome, { 'distributed_lock.held': held / 1000 });
  }

  lost({ acquisition, held, why }: LostEvent): void {
    this.#spans.get(acquisition)?.setStatus({ code: SpanStatusCode.ERROR, message: `lost: ${why}` });
    this.#end(acquisition, 'lost', { 'distributed_lock.held': held / 1000 });
  }

  tickClaimed({ acquisition, job, tick, attempt, holder }: TickClaimedEvent): void {
    this.#start(acquisition, 'tick', {
      ...holderOf(holder),
      'distributed_lock.name': job,
      'distributed_lock.kind': 'tick',
      'distributed_lock.tick': new Date(tick).toISOString(),
      'distributed_lock.attempt': attempt,
    });
  }

  tickFinished({ acquisition, held, outcome }: TickFinishedEvent): void {
    if (outcome === 'lost')
      this.#spans.get(acquisition)?.setStatus({ code: SpanStatusCode.ERROR, message: 'lost' });
    this.#end(acquisition, outcome, { 'distributed_lock.held': held / 1000 });
  }

  around(acquisition: object, work: () => unknown): void {
    const span = this.#spans.get(acquisition);
    if (span === undefined) {
      work();
      return;
    }
    try {
      const result = context.with(trace.setSpan(context.active(), span), work);
      if (result instanceof Promise) result.catch((error: unknown) => fail(span, error));
    } catch (error) {
      fail(span, error);
    }
  }

  #start(acquisition: object, name: string, attributes: Attributes): void {
    const span = this.tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes }, context.active());
    this.#spans.set(acquisition, span);
  }

  #end(acquisition: object, outcome: string, attributes: Attributes = {}): void {
    const span = this.#spans.get(acquisition);
    span?.setAttributes({ ...attributes, 'distributed_lock.outcome': outcome });
    span?.end();
    this.#spans.delete(acquisition);
  }
}

function holderOf(holder: string | undefined): Attributes {
  return holder === undefined ? {} : { 'distributed_lock.holder': holder };
}

function fail(span: Span, error: unknown): void {
  const message = errorText(error);
  span.recordException(error instanceof Error ? error : message);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
}
