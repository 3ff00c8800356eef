import 'reflect-metadata';
import { chainOf } from '../objects/prototype.chain.js';
import type { ReturnKind } from './return.kind.js';

/** One decorated method, as the explorers find it. */
export interface MethodEntry {
  readonly methodKey: string | symbol;
  /** With its `@`, for messages. */
  readonly decorator: string;
  readonly returns: ReturnKind;
  /** The option that makes a refused call return nothing; undefined if it throws, or has another result. */
  readonly skips: string | undefined;
  /** Class and method, for messages. */
  readonly where: string;
  readonly options: { readonly service?: string | undefined };
}

/** The methods that one decorator was put on, noted at their classes. */
export class MethodRegistry<E extends MethodEntry> {
  constructor(
    /** Of `Symbol.for()`: an application may load two copies of this package. */
    private readonly metadataKey: symbol,
  ) {}

  /** Notes a method of `prototype`. */
  add(prototype: object, entry: E): void {
    Reflect.defineMetadata(this.metadataKey, [...this.#own(prototype), entry], prototype);
  }

  /** The methods of a class, inherited ones included. An override is decorated by itself only, whatever it overrides. */
  read(prototype: object): E[] {
    const found: E[] = [];
    const overridden = new Set<string | symbol>();
    for (const level of chainOf(prototype)) {
      found.push(...this.#own(level).filter(({ methodKey }) => !overridden.has(methodKey)));
      for (const name of Reflect.ownKeys(level)) overridden.add(name);
    }
    return found;
  }

  #own(prototype: object): readonly E[] {
    const entries: readonly E[] | undefined = Reflect.getOwnMetadata(this.metadataKey, prototype);
    return entries ?? [];
  }
}
