import type { MemoryStore } from '../../../libs/distributed-lock/src/memory/memory.store.js';
import { SimulatedWire, type Delays } from '../simulated.wire.js';
import type { World } from '../world.js';
import type { SimulatedServer } from '../simulated.server.js';

/** What a {@link ReplicaLink} is made of. */
interface ReplicaLinkParts {
  readonly world: World;
  readonly master: SimulatedServer;
  readonly replica: SimulatedServer;
  /** What the replica has. */
  readonly offset: number;
  /** Called when the replica has acknowledged something. */
  readonly acked: () => void;
}

/** The way from a master to one replica, and back: what was executed arrives in its order, a little later. */
export class ReplicaLink {
  readonly delays: Delays = { least: 0.1, most: 1 };
  acked: number;
  /** What the replica has executed. */
  executed: number;
  readonly #there: SimulatedWire;
  readonly #back: SimulatedWire;

  constructor(private readonly parts: ReplicaLinkParts) {
    const { world, master, replica, offset } = parts;
    this.acked = offset;
    this.executed = offset;
    this.#there = new SimulatedWire(world, replica.process, this.delays, () =>
      master.process.dice.fraction(),
    );
    this.#back = new SimulatedWire(world, master.process, this.delays, () => replica.process.dice.fraction());
  }

  send(offset: number, change: (store: MemoryStore) => void): void {
    const at = this.parts.world.now;
    this.#there.send('', () => {
      this.#apply(at, change);
      this.executed = offset;
      this.#back.send('', () => {
        this.acked = offset;
        this.parts.acked();
      });
    });
  }

  cut(): void {
    this.#there.cut();
    this.#back.cut();
  }

  /** As a master tells its replicas when keys end: not after how long, but when. */
  #apply(at: number, change: (store: MemoryStore) => void): void {
    const { world, replica } = this.parts;
    const late = world.now - at;
    replica.process.leaseOffset -= late;
    replica.process.wallOffset -= late;
    change(replica.store);
    replica.process.leaseOffset += late;
    replica.process.wallOffset += late;
  }
}
