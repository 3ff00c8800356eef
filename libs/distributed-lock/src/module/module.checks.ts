import type { ConfigurableModuleAsyncOptions } from '@nestjs/common';
import { LockConfigurationError } from '../errors/lock.errors.js';
import { checkOptionNames, optionNames, type OptionNames } from '../options/option.names.js';
import type { DistributedLockModuleExtras } from './distributed-lock.module-definition.js';

type AsyncOptions = Omit<ConfigurableModuleAsyncOptions<object>, 'useClass' | 'useExisting'> & {
  readonly useClass?: unknown;
  readonly useExisting?: unknown;
} & DistributedLockModuleExtras;

const EXTRAS = optionNames<DistributedLockModuleExtras>({ isGlobal: true, name: true, refusalFilter: true });

const ASYNC = optionNames<AsyncOptions>({
  imports: true,
  inject: true,
  useFactory: true,
  useClass: true,
  useExisting: true,
  provideInjectionTokensFrom: true,
  isGlobal: true,
  name: true,
  refusalFilter: true,
});

/**
 * Checks what stands beside each other in `forRoot()`: the options, and what shapes the module.
 * @param module for messages
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkForRoot(module: string, options: DistributedLockModuleExtras, known: OptionNames): void {
  checkOptionNames(options, new Set([...known, ...EXTRAS]), `of ${module}.forRoot()`);
  checkExtras(module, options);
}

/** Checks what `forRootAsync()` takes beside the factory. @throws LockConfigurationError `INVALID_OPTION` */
export function checkForRootAsync(module: string, options: AsyncOptions): void {
  const where = `of ${module}.forRootAsync()`;
  checkOptionNames(options, ASYNC, where);
  const { useFactory, useClass, useExisting } = options;
  if (useFactory === undefined && useClass === undefined && useExisting === undefined)
    throw invalid(`The options ${where} must have useFactory, useClass or useExisting.`);
  checkExtras(module, options);
}

/**
 * Refuses, from a factory, what only counts beside it: Nest asks the factory after the module has its shape.
 * @throws LockConfigurationError `INVALID_OPTION`
 */
export function checkMade(module: string, options: unknown): void {
  if (typeof options !== 'object' || options === null) return;
  for (const name of EXTRAS) {
    if (name in options)
      throw invalid(
        `${name} belongs beside useFactory in ${module}.forRootAsync(), not in the result of the factory.`,
      );
  }
}

function checkExtras(module: string, { isGlobal, refusalFilter, name }: DistributedLockModuleExtras): void {
  for (const [option, value] of Object.entries({ isGlobal, refusalFilter })) {
    const given: unknown = value;
    if (given !== undefined && typeof given !== 'boolean')
      throw invalid(`${option} of ${module} must be true or false, not ${String(given)}.`);
  }
  const given: unknown = name;
  if (given !== undefined && (typeof given !== 'string' || given === ''))
    throw invalid(`The name of a ${module} must be a non-empty string.`);
}

function invalid(message: string): LockConfigurationError {
  return new LockConfigurationError('INVALID_OPTION', message);
}
