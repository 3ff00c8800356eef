import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that components follow. */
export class Store<T> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: T) {}

  get(): T {
    return this.value;
  }

  set(value: T): void {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const listener of this.listeners) listener();
  }

  /** @returns ends it */
  follow(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

/** The value of a store; the component is rendered again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [value, setValue] = useState(() => store.get());
  useLayoutEffect(() => {
    const update = () => setValue(() => store.get());
    update();
    return store.follow(update);
  }, [store]);
  return value;
}
