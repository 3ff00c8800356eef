import { Inject } from '@nestjs/common';
import { lockServiceToken } from '../contracts/tokens.js';

/**
 * Injects the LockService of a module instance.
 * @param name the `name` of that instance. @default the unnamed instance, also injectable as the class
 * `LockService`
 */
export function InjectLockService(name?: string): ReturnType<typeof Inject> {
  return Inject(lockServiceToken(name));
}
