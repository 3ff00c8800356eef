import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LockNotAcquiredError, LockUnavailableError } from '../errors/lock.errors.js';
import { describeRefusal } from './refusal.reader.js';
import { emitRefusal } from './transport.answers.js';
import { UnavailableLog } from './unavailable.log.js';

/** The WS form of the refusal filter. It knows no application, so that it can stand in a gateway's metadata. */
@Catch(LockNotAcquiredError, LockUnavailableError)
export class GatewayRefusalFilter implements ExceptionFilter<LockNotAcquiredError | LockUnavailableError> {
  readonly #log = new UnavailableLog();

  catch(error: LockNotAcquiredError | LockUnavailableError, host: ArgumentsHost): void {
    if (error instanceof LockUnavailableError) this.#log.log(error);
    emitRefusal(host.switchToWs().getClient(), { status: 'error', ...describeRefusal(error) });
  }
}
