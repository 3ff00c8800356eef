import { replaceMachine } from '../../libs/distributed-lock/src/timing/machine.js';
import type { Violation } from './belief.js';
import { BeliefWatch } from './belief.watch.js';
import { drawFaults, type Fault } from './fault.plan.js';
import { usesOfEachLock } from './called.kinds.js';
import type { CallCounts, CallerLoop } from './caller.loop.js';
import { LockCaller, forceUnlock } from './lock.caller.js';
import { drawOthers, OtherCalls, type OtherCall } from './other.calls.js';
import { portLayer } from './port.layer.js';
import { REST, STAYS, useAllOnce } from './run.end.js';
import { SimulatedFleet } from './simulated.fleet.js';
import { SETTINGS } from './simulated.instance.js';
import { simulatedMachine } from './simulated.machine.js';
import { socketLayer } from './socket/socket.layer.js';
import { drawTicks, stepsStoreClock, type TickPlan } from './tick.plan.js';
import { TickSimulation, type TickCounts } from './tick.simulation.js';
import { World, type RunRecords } from './world.js';

const LAYERS = { port: portLayer, socket: socketLayer };

export type LayerName = keyof typeof LAYERS;

/** Whether a text is the name of a layer. */
export function isLayer(name: string): name is LayerName {
  return Object.hasOwn(LAYERS, name);
}

/** What a run is. Everything else follows from its seed. */
export interface RunPlan<F> {
  readonly seed: number;
  /** In ms. */
  readonly duration: number;
  readonly instances: number;
  /** Of each instance. */
  readonly callers: number;
  readonly faults: readonly F[];
  /** What is called besides locks. */
  readonly others?: readonly OtherCall[];
  readonly ticks?: TickPlan;
}

/** A run on one server. */
export interface ServerPlan extends RunPlan<Fault> {
  readonly others: readonly OtherCall[];
  readonly ticks: TickPlan;
  readonly layer: LayerName;
}

/** What came of a run. */
export interface RunResult extends CallCounts {
  readonly ticks?: TickCounts;
  readonly hash: string;
  readonly events: number;
  readonly faults: ReadonlyMap<string, number>;
  readonly violations: readonly Violation[];
}

export function planOf(seed: number, duration = 20_000, layer: LayerName = 'port'): ServerPlan {
  const instances = 2 + (seed % 3);
  const faults = drawFaults(seed, duration, instances, LAYERS[layer].faults);
  // With few callers no other one acquires, and so releases again, a lock whose waiter has missed its message.
  const callers = stepsStoreClock(seed) ? 0 : 1 + (Math.floor(seed / 3) % 4);
  const others = stepsStoreClock(seed) ? [] : drawOthers(seed);
  const ticks = drawTicks(seed, duration, instances);
  return { seed, duration, instances, callers, faults, layer, others, ticks };
}

/** Runs a fleet under one seeded scheduler, and checks it after each event. */
export function simulate(plan: ServerPlan, records?: RunRecords): Promise<RunResult> {
  return inWorld(plan.seed, records, (world) => run(world, plan));
}

/** Runs something in a world of its own, whose machine replaces that of the library. */
export async function inWorld<T>(
  seed: number,
  records: RunRecords | undefined,
  happen: (world: World) => Promise<T>,
): Promise<T> {
  const world = new World(seed, records);
  const before = replaceMachine(simulatedMachine(world));
  try {
    return await happen(world);
  } finally {
    replaceMachine(before);
  }
}

async function run(world: World, plan: ServerPlan): Promise<RunResult> {
  const { duration, instances, callers, faults } = plan;
  const counts: CallCounts = { calls: 0, grants: 0, refusals: new Map() };
  const allCallers: CallerLoop[] = [];
  const fleet = new SimulatedFleet(world, instances, LAYERS[plan.layer], (instance) => {
    const jobs = ticks.started(instance, instance.service);
    instance.onShutdown = () => jobs.close();
    if (world.now >= duration) return;
    const place = { world, watch, counts, instance, service: instance.service };
    const ofLocks = Array.from({ length: callers }, (_, caller) => new LockCaller(place, `caller ${caller}`));
    const started = [...ofLocks, ...others.callersOf(place)];
    allCallers.push(...started);
    for (const caller of started) caller.start();
  });
  const watch = new BeliefWatch(world, fleet);
  const others = new OtherCalls({ world, store: fleet.server, watch, losses: fleet.losses }, plan.others);
  const ticks = new TickSimulation({
    world,
    watch,
    fleet,
    store: fleet.server,
    plan: plan.ticks,
    lease: SETTINGS.watchdogTimeout,
    losesAll: faults.some(({ kind }) => kind === 'lose data'),
  });
  world.check = () => {
    watch.check();
    others.check();
    ticks.check();
  };
  fleet.onShutdown = (instance, begun) => {
    watch.checkShutdown(instance, begun);
    others.shutDown(instance);
  };
  fleet.forceUnlock = (instance, choice) => {
    const place = { world, watch, counts, instance, service: instance.service };
    world.after(instance.process, 0, '', () => forceUnlock(place, choice));
  };
  fleet.plan(faults);
  await world.runUntil(duration);
  for (const caller of allCallers) caller.stop();
  ticks.rest();
  await world.runUntil(duration + REST);
  await useAllOnce(
    world,
    fleet.live.slice(0, 1),
    (service) => [...usesOfEachLock(service), ...others.ends(service)],
    () => undefined,
  );
  ticks.finish();
  for (const instance of fleet.live) world.as(instance.process, () => void instance.shutDown());
  await world.runUntil(duration + 2 * REST);
  if (world.history !== undefined) world.history.tokensFrom = fleet.losses.tokensFrom;
  const left = fleet.server.keyNames().filter((key) => !STAYS.test(key) && !ticks.isNamed(key));
  if (left.length > 0) watch.report('I5', `left in the store: ${left.join(', ')}`);
  return {
    ...counts,
    ticks: ticks.counts,
    hash: world.hash,
    events: world.events,
    faults: fleet.faults,
    violations: watch.violations,
  };
}
