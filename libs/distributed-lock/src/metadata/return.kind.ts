import 'reflect-metadata';
import { Observable } from 'rxjs';

/**
 * What a method returns, as far as its declaration tells: `sync` is neither a promise nor an Observable;
 * `unknown` shows at the first call.
 */
export type ReturnKind = 'promise' | 'observable' | 'sync' | 'unknown';

const KINDS: Readonly<Record<string, ReturnKind>> = {
  AsyncFunction: 'promise',
  GeneratorFunction: 'sync',
  AsyncGeneratorFunction: 'sync',
};

/** Reads it from the function itself, or from the return type that the compiler noted. */
export function readReturnKind(prototype: object, methodKey: string | symbol, method: object): ReturnKind {
  const byNature = KINDS[method.constructor.name];
  if (byNature !== undefined) return byNature;
  const declared: unknown = Reflect.getMetadata('design:returntype', prototype, methodKey);
  // Interfaces, unions and type parameters are all noted as Object, and a missing annotation as undefined.
  if (typeof declared !== 'function' || declared === Object) return 'unknown';
  if (declared === Observable || hasMethod(declared, 'subscribe')) return 'observable';
  return declared === Promise || hasMethod(declared, 'then') ? 'promise' : 'sync';
}

function hasMethod(declared: { readonly prototype?: unknown }, name: string): boolean {
  const { prototype } = declared;
  return typeof prototype === 'object' && prototype !== null && name in prototype;
}
