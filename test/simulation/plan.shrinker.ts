import type { RunPlan, RunResult } from './simulated.run.js';

/**
 * Makes a plan that breaks a rule smaller: fewer faults, kinds of calls, acts, jobs, instances and callers, and a shorter time. Each purpose has dice of its
 * own, so that what is left out changes nothing before it.
 */
export async function shrink<F, P extends RunPlan<F>>(
  plan: P,
  rule: string,
  simulate: (plan: P) => Promise<RunResult>,
): Promise<P> {
  let smallest = plan;
  const tryPlan = async (smaller: P): Promise<boolean> => {
    const { violations } = await simulate(smaller);
    if (!violations.some((violation) => violation.rule === rule)) return false;
    smallest = smaller;
    return true;
  };
  await cutDown(
    () => smallest.faults,
    (faults) => tryPlan({ ...smallest, faults }),
  );
  await cutDown(
    () => smallest.others ?? [],
    (others) => tryPlan({ ...smallest, others }),
  );
  if (smallest.ticks !== undefined) await shrinkTicks(() => smallest, tryPlan);
  while (smallest.callers > 0 && (await tryPlan({ ...smallest, callers: smallest.callers - 1 })));
  while (smallest.instances > 1 && (await tryPlan({ ...smallest, instances: smallest.instances - 1 })));
  while (
    smallest.duration > 1000 &&
    (await tryPlan({ ...smallest, duration: Math.floor(smallest.duration / 2) }))
  );
  return smallest;
}

async function shrinkTicks<P extends RunPlan<unknown>>(
  smallest: () => P,
  tryPlan: (smaller: P) => Promise<boolean>,
): Promise<void> {
  const ticks = () => smallest().ticks ?? { jobs: [], acts: [] };
  await cutDown(
    () => ticks().acts,
    (acts) => tryPlan({ ...smallest(), ticks: { ...ticks(), acts } }),
  );
  await cutDown(
    () => ticks().jobs,
    (jobs) => tryPlan({ ...smallest(), ticks: { ...ticks(), jobs } }),
  );
}

/** Leaves out halves of a list first, then one item after the other. */
async function cutDown<T>(
  list: () => readonly T[],
  tryShorter: (shorter: readonly T[]) => Promise<boolean>,
): Promise<void> {
  for (let size = Math.ceil(list().length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < list().length;)
      if (!(await tryShorter(list().toSpliced(from, size)))) from += size;
  }
}
