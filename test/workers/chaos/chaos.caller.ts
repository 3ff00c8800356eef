import { setTimeout as sleep } from 'node:timers/promises';
import { DistributedLockError, type LockService } from 'nestjs-distributed-lock';
import type { Dice } from '../../chaos/chaos.types.js';
import { machineTime, type HistoryWriter, type WorkerEvent } from '../../chaos/history.js';
import type { BeliefBook } from './belief.book.js';
import { drawCall, ROOM, SEMAPHORE_LIFE, type DrawnCall } from './call.draw.js';
import type { ChaosSettings } from './chaos.protocol.js';
import { take, type Taken } from './lock.taker.js';
import type { RegisterBook } from './register.book.js';

/** What all callers of a process share. */
export interface Workshop {
  readonly settings: ChaosSettings;
  readonly locks: LockService;
  readonly history: HistoryWriter<WorkerEvent>;
  readonly beliefs: BeliefBook;
  readonly registers: RegisterBook;
  /** Aborted when nobody is to begin anything new. */
  readonly finishing: AbortSignal;
  nextOp(): number;
}

/** Takes one lock after the other, as its dice say, until it is told to finish. */
export async function callAgainAndAgain(shop: Workshop, dice: Dice): Promise<void> {
  while (!shop.finishing.aborted) {
    const call = drawCall(dice, shop.settings);
    await perform(shop, call.sort === 'semaphore' ? { ...call, names: call.names.map(ofNow) } : call);
    await sleep(call.pause);
  }
}

/** Nobody gives back what a killed process took of a semaphore: after a while there is another one. */
function ofNow(name: string): string {
  return `${name}@${Math.floor(machineTime() / 1000 / (SEMAPHORE_LIFE / 2))}`;
}

async function perform(shop: Workshop, call: DrawnCall): Promise<void> {
  const { history, locks, finishing } = shop;
  const op = shop.nextOp();
  const wanted = writeWanted(shop, op, call);
  const signals = [finishing, ...(call.abortIn === undefined ? [] : [AbortSignal.timeout(call.abortIn)])];
  const signal = AbortSignal.any(signals);
  let taken: Taken | undefined;
  try {
    taken = await take(locks, call, { waitTime: call.wait, signal });
    if (taken !== undefined) shop.beliefs.begin(op, taken.handle, wanted);
    else history.write({ kind: 'refused', op, code: 'BUSY' });
  } catch (error) {
    history.write({ kind: 'refused', op, code: signal.aborted ? 'ABORTED' : codeOf(error) });
  }
  if (taken !== undefined) await work(shop, op, call, taken);
}

function writeWanted({ history }: Workshop, op: number, call: DrawnCall, at?: number): number {
  const { sort, names: locks, lease, wait, abortIn, permits } = call;
  const isCounted = sort === 'permit' || sort === 'semaphore';
  const places = isCounted ? { room: ROOM, permits: sort === 'semaphore' ? permits : 1 } : {};
  return history.write({ kind: 'wanted', op, sort, locks, lease, wait, abortIn, ...places }, at);
}

/** The critical section. */
async function work(shop: Workshop, op: number, call: DrawnCall, taken: Taken): Promise<void> {
  const { history, beliefs, registers, finishing } = shop;
  const { handle } = taken;
  const stop = new AbortController();
  finishing.addEventListener('abort', () => stop.abort(), { once: true, signal: stop.signal });
  if (handle !== undefined && !call.isBlind) {
    const { signal } = handle;
    const lost = () => {
      beliefs.end(op, 'aborted', String(signal.reason));
      stop.abort();
    };
    if (signal.aborted) lost();
    else signal.addEventListener('abort', lost, { once: true });
  }
  const isAlone = call.sort !== 'read' && call.sort !== 'permit' && call.sort !== 'semaphore';
  const update = isAlone ? await registers.read(call.names[0] ?? '', handle?.token) : undefined;
  if (call.reenters && taken.again !== undefined) await reenter(shop, op, call, taken, taken.again);
  await sleep(call.hold, undefined, { signal: stop.signal }).catch(() => undefined);
  const stale = (await update?.write(() => handle?.isHeld === true)) ?? [];
  for (const register of stale) history.write({ kind: 'stale', op, register });
  stop.abort();
  beliefs.end(op, 'unlock');
  history.write({ kind: 'released', op, outcome: await taken.unlock().catch(codeOf) });
}

/** Once more inside the hold. When that has ended meanwhile, what comes is a hold of its own. */
async function reenter(
  shop: Workshop,
  op: number,
  call: DrawnCall,
  { handle }: Taken,
  again: NonNullable<Taken['again']>,
): Promise<void> {
  const { history, beliefs } = shop;
  const sent = machineTime();
  const inner = await again().catch(() => null);
  if (inner === null) return;
  if (inner.holder === handle?.holder) {
    history.write({ kind: 'reentered', op, sent, holder: inner.holder, token: inner.token?.toString() });
    await sleep(call.pause / 4);
    const exited = machineTime();
    history.write({ kind: 'exited', op, sent: exited, outcome: await inner.unlock().catch(codeOf) });
    return;
  }
  beliefs.look();
  const own = shop.nextOp();
  writeWanted(shop, own, call, sent);
  beliefs.begin(own, inner, sent);
  await sleep(call.pause / 4);
  beliefs.end(own, 'unlock');
  history.write({ kind: 'released', op: own, outcome: await inner.unlock().catch(codeOf) });
}

function codeOf(error: unknown): string {
  return error instanceof DistributedLockError ? error.code : String(error);
}
