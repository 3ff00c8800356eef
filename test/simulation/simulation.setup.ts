import { bundleSimulation } from '../../tools/simulation/simulation.bundler.mjs';

/** Builds the simulation before any file needs it: two files at once would write it at the same time. */
export default async function setUp(): Promise<void> {
  if (!(await bundleSimulation())) throw new Error('the simulation cannot be built');
}
