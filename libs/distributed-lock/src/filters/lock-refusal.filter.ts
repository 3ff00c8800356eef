import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { throwError } from 'rxjs';
import type { LockSettings } from '../contracts/settings.js';
import { lockServiceToken } from '../contracts/tokens.js';
import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import { LockService } from '../service/lock.service.js';
import { isMock } from '../service/mocked.service.js';
import { readSettings } from '../startup/settings.reader.js';
import { isReported } from '../guards/reported.refusals.js';
import { describeHttpRefusal, describeRefusal, type Refusal } from './refusal.reader.js';
import {
  describeRpcRefusal,
  emitRefusal,
  isGrpc,
  isHttpResponse,
  isPlain,
  sendPlain,
} from './transport.answers.js';
import { UnavailableLog } from './unavailable.log.js';
import { showAs } from '../objects/object.form.js';

/**
 * Converts a `LockNotAcquiredError` or a `LockUnavailableError` to an error of the transport:
 *
 * | transport | `LockNotAcquiredError` | `LockUnavailableError` |
 * |---|---|---|
 * | HTTP | 423 (`busyStatus`) with `Retry-After` and `{ statusCode, error, message, code, lock }` | 503, the same |
 * | GraphQL | an error with `extensions: { code: 'LOCKED', lock, retryAfter }` | `code: 'LOCKS_UNAVAILABLE'` |
 * | WS | an `exception` event with `{ status: 'error', message, code, lock }` | the same |
 * | RPC | an error with `{ status: 'error', message, code, lock }` | the same |
 * | gRPC | status `ABORTED` with a message | `UNAVAILABLE` |
 *
 * Clients never see the holder of the lock. The message of a `LockUnavailableError` is logged, at most once in
 * 10 s for each error code.
 *
 * Unless `refusalFilter` is `false`, the module registers this filter globally, and on each gateway, because Nest has
 * no global filters for gateways. Nest tries global filters in the reverse order of their binding. Wherever you
 * import the module, filters are tried in this order:
 *
 * 1. the filters that you bind after all of your catch-all filters (`@Catch()`);
 * 2. this filter;
 * 3. all other filters. A catch-all filter would answer with 500.
 *
 * So to handle lock errors yourself, bind your own filter, such as `@Catch(LockNotAcquiredError)`, after your
 * catch-all filters. As for every global filter, a hybrid application needs `inheritAppConfig: true`.
 */
@Catch(LockNotAcquiredError, LockUnavailableError)
export class LockRefusalFilter implements ExceptionFilter<LockNotAcquiredError | LockUnavailableError> {
  static {
    showAs(LockRefusalFilter, () => ({ type: 'LockRefusalFilter' }));
  }

  readonly #locks: LockService;
  readonly #adapterHost: HttpAdapterHost;
  readonly #log = new UnavailableLog();

  constructor(
    @Inject(lockServiceToken()) locks: LockService,
    @Inject(HttpAdapterHost) adapterHost: HttpAdapterHost,
  ) {
    this.#locks = locks;
    this.#adapterHost = adapterHost;
  }

  /** @internal Whether a request is one of this application. */
  isOf(host: ArgumentsHost): boolean {
    if (host.getType<string>() !== 'http') return true;
    const response: { readonly app?: unknown; readonly server?: unknown } = Object(
      host.switchToHttp().getResponse(),
    );
    const instance: unknown = this.#adapterHost.httpAdapter?.getInstance();
    return response.app === instance || response.server === instance;
  }

  /**
   * Called by Nest. Sends the error as the transport needs it.
   * @returns for microservices an Observable that fails
   * @throws for GraphQL: the converted error, which the server sends. For an unknown transport, or an HTTP context
   * without a response object: the error itself
   */
  catch(error: LockNotAcquiredError | LockUnavailableError, host: ArgumentsHost): unknown {
    if (error instanceof LockUnavailableError) this.#log.log(error);
    const refusal = describeRefusal(error);
    switch (host.getType<string>()) {
      case 'http':
        return this.#reply(error, host);
      case 'ws':
        return emitRefusal(host.switchToWs().getClient(), { status: 'error', ...refusal });
      case 'rpc':
        if (!isGrpc(host)) this.#logEvent(error);
        return throwError(() => describeRpcRefusal(error, refusal, host));
      case 'graphql':
        throw this.#graphql(error, refusal);
      default:
        throw error;
    }
  }

  /** The error of an event is not sent anywhere, and here an event looks like a message: a refusal that is not yet reported gets a line. */
  #logEvent(error: LockNotAcquiredError | LockUnavailableError): void {
    if (!(error instanceof LockNotAcquiredError) || isReported(error) || isMock(this.#locks)) return;
    const { lock, heldBy } = error;
    const { notices } = this.#locks.engine.context;
    notices.post({ kind: 'event-refused', lock: lock ?? '', where: undefined, holder: heldBy.holder });
  }

  #reply(error: LockNotAcquiredError | LockUnavailableError, host: ArgumentsHost): void {
    const { httpAdapter } = this.#adapterHost;
    const response: unknown = host.switchToHttp().getResponse();
    // Libraries that call handlers themselves have the type "http", too, and have no response.
    if (httpAdapter === undefined || !isHttpResponse(response)) throw error;
    const settings = this.#settings;
    const retryAfter = `${settings.retryAfter}`;
    const body = describeHttpRefusal(error, settings);
    if (isPlain(response)) {
      sendPlain(response, { retryAfter, body });
      return;
    }
    if (httpAdapter.isHeadersSent(response)) {
      httpAdapter.end(response);
      return;
    }
    httpAdapter.setHeader(response, 'Retry-After', retryAfter);
    httpAdapter.reply(response, body, body.statusCode);
  }

  /** A test may have replaced the service by a mock, which has no settings. */
  get #settings(): Pick<LockSettings, 'busyStatus' | 'retryAfter'> {
    return isMock(this.#locks) ? readSettings({}) : this.#locks.settings;
  }

  /** GraphQL servers copy `extensions` of the error that a resolver throws. */
  #graphql(error: LockNotAcquiredError | LockUnavailableError, { message, lock }: Refusal): Error {
    const code = error instanceof LockNotAcquiredError ? 'LOCKED' : 'LOCKS_UNAVAILABLE';
    return Object.assign(new Error(message), {
      extensions: { code, lock, retryAfter: this.#settings.retryAfter },
    });
  }
}
