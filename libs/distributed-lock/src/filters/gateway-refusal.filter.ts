import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import { RateLimitedLog } from '../service/rate.limited.log.js';
import { describeRefusal } from './refusal.reader.js';
import { emitRefusal } from './transport.answers.js';

/** The WS form of the refusal filter. It knows no application, so that it can stand in a gateway's metadata. */
@Catch(LockNotAcquiredError, LockUnavailableError)
export class GatewayRefusalFilter implements ExceptionFilter<LockNotAcquiredError | LockUnavailableError> {
  readonly #log = new RateLimitedLog('error');

  catch(error: LockNotAcquiredError | LockUnavailableError, host: ArgumentsHost): void {
    if (error instanceof LockUnavailableError) this.#log.tell(() => error.message.replace(/\.$/, ''));
    emitRefusal(host.switchToWs().getClient(), { status: 'error', ...describeRefusal(error) });
  }
}
