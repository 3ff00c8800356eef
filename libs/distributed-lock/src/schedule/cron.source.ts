import { markFire, type TickCall, type TickSource } from '../contracts/tick.frame.js';
import type { CronJobLike } from './cron.job.port.js';
import type { CronMethod } from './cron.method.js';

/** A cron job whose fires are ticks of the methods that it may be made for. */
class CronSource implements TickSource {
  constructor(
    private readonly job: CronJobLike,
    private readonly methods: readonly CronMethod[],
  ) {}

  tickOf(instance: object, methodKey: string | symbol): TickCall | undefined {
    return this.methods.find((method) => method.is(instance, methodKey))?.firedBy(this.job);
  }
}

/**
 * Marks the fires of a job that was just added to the scheduler. What it fired before, in its constructor
 * (`runOnInit`), is no tick.
 */
export function watchCronJob(name: string, job: CronJobLike, all: readonly CronMethod[]): void {
  const methods = all.filter((method) => method.meet(name, job));
  if (methods.length === 0) return;
  const source = new CronSource(job, methods);
  const fire = job.fireOnTick;
  const stop = job.stop;
  job.fireOnTick = (...args) => markFire(source, () => Reflect.apply(fire, job, args));
  job.stop = (...args) => {
    for (const method of methods) method.stoppedBy(job);
    return Reflect.apply(stop, job, args);
  };
}
