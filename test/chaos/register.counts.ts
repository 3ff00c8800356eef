import type { Redis } from 'ioredis';
import type { OutsideRegister } from './outside.register.js';
import { registerKeys, type Manner } from './register.names.js';

/** Updates of all registers of one manner and place, and how many of them were lost. */
export interface UpdateCount {
  readonly writes: number;
  readonly lost: number;
}

/** By place and manner: `redis blind`, `file fenced`, … */
export type UpdateCounts = Readonly<Record<string, UpdateCount>>;

const MANNERS: readonly Manner[] = ['blind', 'looked', 'fenced'];

export async function countUpdates(redis: Redis, outside: OutsideRegister): Promise<UpdateCounts> {
  const counts: Record<string, UpdateCount> = {};
  for (const manner of MANNERS) {
    const names = await redis.keys(registerKeys('*', manner).writes);
    const each = await Promise.all(
      names.map(async (writesKey) => {
        const writes = Number(await redis.get(writesKey));
        return { writes, lost: writes - Number(await redis.get(writesKey.replace(/writes$/, 'value'))) };
      }),
    );
    counts[`redis ${manner}`] = sum(each);
    if (manner !== 'looked')
      counts[`file ${manner}`] = sum(outside.counts().filter(({ name }) => name.startsWith(`${manner}:`)));
  }
  return counts;
}

function sum(counts: readonly UpdateCount[]): UpdateCount {
  return counts.reduce(
    (total, { writes, lost }) => ({ writes: total.writes + writes, lost: total.lost + lost }),
    { writes: 0, lost: 0 },
  );
}
