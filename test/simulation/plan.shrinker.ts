import type { RunPlan, RunResult } from './simulated.run.js';

/**
 * Makes a plan that breaks a rule smaller: fewer faults, instances and callers, and a shorter time. Each purpose has dice of its own, so that
 * what is left out changes nothing before it.
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
  // Halves first, then fault by fault.
  for (
    let size = Math.ceil(smallest.faults.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let from = 0; from < smallest.faults.length;) {
      const faults = smallest.faults.toSpliced(from, size);
      if (!(await tryPlan({ ...smallest, faults }))) from += size;
    }
  }
  while (smallest.callers > 1 && (await tryPlan({ ...smallest, callers: smallest.callers - 1 })));
  while (smallest.instances > 2 && (await tryPlan({ ...smallest, instances: smallest.instances - 1 })));
  while (
    smallest.duration > 1000 &&
    (await tryPlan({ ...smallest, duration: Math.floor(smallest.duration / 2) }))
  );
  return smallest;
}
