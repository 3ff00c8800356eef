/**
 * How much slower than a developer's machine this one is: the environment's `TEST_SLOWNESS`, 1 when it says nothing.
 */
export const SLOWNESS = readSlowness(process.env['TEST_SLOWNESS']);

/**
 * Stretches a deadline, never a pause that a behaviour depends on.
 * @param ms how long it may take on a developer's machine
 */
export function scaled(ms: number): number {
  return ms * SLOWNESS;
}

function readSlowness(text: string | undefined): number {
  const value = Number(text || 1);
  if (!Number.isFinite(value) || value < 1)
    throw new Error(`TEST_SLOWNESS is "${text}": give a number of at least 1`);
  return value;
}
