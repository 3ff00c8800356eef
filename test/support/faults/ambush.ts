import type { ProxiedCommand, Verdict } from './proxy.link.js';
import type { TcpProxy } from './tcp.proxy.js';
import { didRun, operationsOf, type Purpose, type ScriptOperation } from './script.calls.js';

/** Something that is waited for until the test lets it happen. */
export class Latch {
  open: () => void = () => undefined;
  readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });
}

/** A command that was caught, and waits for the test. */
export interface Caught {
  /** Settles when the command, or its reply, has come to the proxy. */
  readonly caught: Promise<void>;
  /** Lets it pass. */
  letGo(): void;
}

/** The connection dies before Redis gets the next operation of that purpose. Resolves when that happened. */
export function cutBefore(proxy: TcpProxy, purpose: Purpose): Promise<ScriptOperation> {
  return onNext(proxy, purpose, (_, seen) => {
    seen();
    return 'cut';
  });
}

/** Redis runs the next operation of that purpose, with effect; the connection dies before the reply passes. */
export function cutAfter(proxy: TcpProxy, purpose: Purpose): Promise<ScriptOperation> {
  return onNext(proxy, purpose, (index, seen) => ({
    answered: (reply) => {
      if (!didRun(reply, index)) return 'pass';
      seen();
      return 'cut';
    },
  }));
}

/** Redis runs the next operation of that purpose, with effect; then nothing passes any more, and nobody is told. */
export function swallowAfter(proxy: TcpProxy, purpose: Purpose): Promise<ScriptOperation> {
  return onNext(proxy, purpose, (index, seen) => ({
    answered: (reply) => {
      if (!didRun(reply, index)) return 'pass';
      proxy.blackHole();
      seen();
      return 'pass';
    },
  }));
}

/** Keeps back the reply to the next operation of that purpose, and what comes behind it. */
export function holdReply(proxy: TcpProxy, purpose: Purpose): Caught {
  const latch = new Latch();
  const caught = onNext(proxy, purpose, (_, seen) => ({
    answered: (reply) => {
      // A server that does not know the script yet has not run it: the lease counts from its second coming.
      if (String(reply).startsWith('NOSCRIPT')) return 'pass';
      seen();
      return latch.opened;
    },
  }));
  return { caught: caught.then(() => undefined), letGo: latch.open };
}

/** Keeps back the next SUBSCRIBE: Redis does not know yet that anybody listens. */
export function holdSubscription(proxy: TcpProxy): Caught {
  const latch = new Latch();
  const seen = new Latch();
  let armed = true;
  proxy.judge(({ name }) => {
    if (!armed || name !== 'SUBSCRIBE') return 'pass';
    armed = false;
    seen.open();
    return { before: latch.opened };
  });
  return { caught: seen.opened, letGo: latch.open };
}

function onNext(
  proxy: TcpProxy,
  purpose: Purpose,
  treat: (index: number, seen: () => void) => Verdict,
): Promise<ScriptOperation> {
  return new Promise((resolve) => {
    let over = false;
    proxy.judge((command: ProxiedCommand) => {
      const operations = over ? [] : operationsOf(command);
      const index = operations.findIndex((operation) => operation.purpose === purpose);
      const operation = operations[index];
      if (operation === undefined) return 'pass';
      return treat(index, () => {
        over = true;
        resolve(operation);
      });
    });
  });
}
