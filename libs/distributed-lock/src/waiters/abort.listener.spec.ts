import { getMaxListeners, setMaxListeners } from 'node:events';
import { describe, expect, test, vi } from 'vitest';
import { onAbort } from './abort.listener.js';

describe('a listener to a signal', () => {
  test('is called when the signal is aborted, unless it stopped listening', () => {
    const abort = new AbortController();
    const [staying, leaving] = [vi.fn<() => void>(), vi.fn<() => void>()];
    onAbort(abort.signal, staying);
    onAbort(abort.signal, leaving)();
    abort.abort();
    expect(staying).toHaveBeenCalledOnce();
    expect(leaving).not.toHaveBeenCalled();
  });

  test('is nothing without a signal', () => {
    expect(onAbort(undefined, () => expect.unreachable('there is no signal'))()).toBeUndefined();
  });

  test('may be one of a thousand, without a warning', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const abort = new AbortController();
    const unlisten = Array.from({ length: 1000 }, () => onAbort(abort.signal, () => undefined));
    await new Promise(setImmediate);
    expect(warned).not.toHaveBeenCalled();
    for (const stop of unlisten) stop();
  });

  test('leaves a limit of listeners alone that the application has set', () => {
    const abort = new AbortController();
    setMaxListeners(77, abort.signal);
    onAbort(abort.signal, () => undefined);
    expect(getMaxListeners(abort.signal)).toBe(77);
  });

  test('takes a signal of another make', () => {
    const listeners: (() => void)[] = [];
    const signal: AbortSignal = Object.create(null, {
      addEventListener: { value: (_event: string, listener: () => void) => listeners.push(listener) },
      removeEventListener: {
        value: (_event: string, listener: () => void) => listeners.splice(listeners.indexOf(listener), 1),
      },
    });
    const stop = onAbort(signal, () => undefined);
    expect(listeners).toHaveLength(1);
    stop();
    expect(listeners).toHaveLength(0);
  });
});
