import type { SimulatedProcess } from './simulated.process.js';
import type { World } from './world.js';

/** How long things are on their way, in ms. */
export interface Delays {
  /** One way, at least. */
  least: number;
  /** One way, at most. */
  most: number;
}

/** The network between one instance and the server. */
export interface Network {
  readonly requests: Delays;
  readonly replies: Delays;
  /** No connection can be made until then. */
  partedUntil: number;
}

/** The usual delay of the network, in ms. */
const USUAL: Readonly<Delays> = { least: 0.1, most: 1 };

/** How long a slow network stays slow, in ms. */
export const SLOW_FOR = 1500;

export function usualNetwork(): Network {
  return { requests: { ...USUAL }, replies: { ...USUAL }, partedUntil: -Infinity };
}

/** Slows one direction down, for {@link SLOW_FOR}. */
export function slowDown(world: World, delays: Delays, most: number): void {
  delays.most = most;
  world.after(world.outside, SLOW_FOR, '', () => {
    delays.most = USUAL.most;
  });
}

/** One direction of a connection: what is sent arrives in its order, after a delay that is drawn. A wire that is cut loses what is on its way. */
export class SimulatedWire {
  #lastArrival = 0;
  #isCut = false;

  constructor(
    private readonly world: World,
    /** The process at its end. */
    private readonly to: SimulatedProcess,
    private readonly delays: Delays,
    private readonly draw: () => number,
  ) {}

  /** @param what for the trace; '' for nothing */
  send(what: string, arrive: () => void): void {
    const { least, most } = this.delays;
    const delay = least + Math.floor(this.draw() * 1000 * (most - least)) / 1000;
    this.#lastArrival = Math.max(this.#lastArrival, this.world.now + delay);
    this.world.at(this.to, this.#lastArrival, what, () => {
      if (!this.#isCut) arrive();
    });
  }

  cut(): void {
    this.#isCut = true;
  }
}
