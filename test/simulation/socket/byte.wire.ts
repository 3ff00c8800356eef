import type { SeededDice } from '../seeded.dice.js';
import type { SimulatedEvent } from '../event.heap.js';
import type { SimulatedProcess } from '../simulated.process.js';
import type { Delays, Network } from '../simulated.wire.js';
import type { World } from '../world.js';

/** How often what is sent at once arrives in two pieces. */
const SPLIT = 0.08;

/** How often the last bytes before a break are a part of what was sent. */
const TORN = 0.6;

/** One end of a TCP connection, as the process there sees it. */
export interface TcpEnd {
  readonly process: SimulatedProcess;
  /** @returns whether the socket is still open: otherwise its kernel answers with a reset */
  received(bytes: string): boolean;
  /** The other end sends nothing more. */
  ended(): void;
  /** The connection does not exist any more. @param why for the error */
  broken(why: string): void;
}

/** Something that is sent. */
interface Piece {
  readonly bytes: string;
  /** How many bytes were sent before. */
  readonly from: number;
  readonly arrive: (bytes: string, from: number) => void;
}

/** Something on its way. */
interface Parcel extends Piece {
  /** It is sent again, because the network is parted. */
  readonly isRepeated: boolean;
  /** When it arrives at the kernel: a process that is stopped reads it later. */
  readonly at: number;
  event: SimulatedEvent;
}

/** What a {@link ByteWire} is made of. */
interface ByteWireParts {
  readonly world: World;
  readonly network: Network;
  readonly delays: Delays;
  readonly dice: SeededDice;
  readonly to: TcpEnd;
  /** Called for bytes that found a closed socket. */
  readonly refused: () => void;
}

/** One direction of a TCP connection: a stream of bytes in order, whose pieces have nothing to do with what was sent at once. */
export class ByteWire {
  #underWay: Parcel[] = [];
  #sent = 0;
  #arrived = 0;
  #lastArrival = 0;
  #isSilent = false;
  /** The sender has ended it. */
  #isOver = false;
  #isBroken = false;

  constructor(private readonly parts: ByteWireParts) {}

  /** Whether it swallows what is sent. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** When the last of what is on its way arrives, in ms. */
  get lastArrival(): number {
    return this.#lastArrival;
  }

  /** Nothing arrives before the other end knows of the connection. */
  startAt(moment: number): void {
    this.#lastArrival = moment;
  }

  send(bytes: string): void {
    const { dice } = this.parts;
    const arrive = (piece: string, from: number): void => this.#arrive(piece, from);
    if (bytes.length > 1 && dice.chance(SPLIT)) {
      const at = dice.between(1, bytes.length - 1);
      this.#put(bytes.slice(0, at), arrive);
      this.#put(bytes.slice(at), arrive);
    } else this.#put(bytes, arrive);
  }

  /** Nothing follows. */
  end(): void {
    this.#put('', () => this.parts.to.ended());
    this.#isOver = true;
  }

  /** The sender knows no such connection. */
  reset(why: string): void {
    this.#isOver = false;
    this.#isBroken = false;
    this.#put('', () => this.parts.to.broken(why));
    this.#break();
  }

  /** The sender resets the connection: its kernel does not send again what was lost, nor the reset itself. */
  abort(why: string): void {
    // What was sent after the outage waits behind what is sent again: it is lost, too.
    this.#loseFrom(({ isRepeated, at }) => isRepeated && at > this.parts.world.now);
    if (this.#outage <= 0) this.reset(why);
    this.#break();
  }

  /** The connection breaks somewhere on the way: what would arrive later is lost, perhaps in the middle of a reply. */
  cut(why: string): void {
    if (this.#isBroken || this.#isSilent) return;
    const { world, delays, dice, to } = this.parts;
    const at = world.now + dice.fraction() * delays.most;
    const [torn] = this.#loseFrom((parcel) => parcel.at > at);
    this.#lastArrival = at;
    if (torn !== undefined && torn.bytes.length > 1 && dice.chance(TORN))
      this.#deliver({ ...torn, bytes: torn.bytes.slice(0, dice.between(1, torn.bytes.length - 1)) }, at);
    this.#deliver({ bytes: '', from: this.#sent, arrive: () => to.broken(why) }, at);
    this.#break();
  }

  /** Nothing arrives from now on, and neither end is notified. */
  silence(): void {
    this.#loseFrom(({ at }) => at > this.parts.world.now);
    this.#isSilent = true;
  }

  /** The network is parted: what is on its way is sent again after that. */
  part(): void {
    for (const parcel of this.#loseFrom(({ at }) => at > this.parts.world.now))
      this.#deliver(parcel, this.#nextArrival());
  }

  /** Loses the first parcel that is lost and all behind it: TCP gives no byte to a process before those in front of it. @returns what does not arrive */
  #loseFrom(isLost: (parcel: Parcel) => boolean): Parcel[] {
    const first = this.#underWay.findIndex(isLost);
    if (first < 0) return [];
    const lost = this.#underWay.splice(first);
    for (const { event } of lost) this.parts.world.cancel(event);
    return lost;
  }

  #put(bytes: string, arrive: Piece['arrive']): void {
    if (this.#isSilent || this.#isOver || this.#isBroken) return;
    this.#deliver({ bytes, from: this.#sent, arrive }, this.#nextArrival());
    this.#sent += bytes.length;
  }

  /** How long the network is still parted, in ms; below 0 if it is not. */
  get #outage(): number {
    const { network, world } = this.parts;
    return network.partedUntil - world.now;
  }

  #break(): void {
    this.#isOver = true;
    this.#isBroken = true;
  }

  #deliver({ bytes, from, arrive }: Piece, at: number): void {
    const { world, to } = this.parts;
    this.#lastArrival = at;
    const event = world.at(to.process, at, '', () => {
      this.#underWay.shift();
      arrive(bytes, from);
    });
    this.#underWay.push({ bytes, from, arrive, isRepeated: this.#outage > 0, at, event });
  }

  /** @throws when bytes in front of these are missing: a reader of whole commands does not notice that one of them is */
  #arrive(bytes: string, from: number): void {
    const { to, refused } = this.parts;
    if (!to.received(bytes)) {
      refused();
      return;
    }
    if (this.#arrived !== from)
      throw new Error(`a stream has byte ${from} after byte ${this.#arrived}: the wire has lost some`);
    this.#arrived += bytes.length;
  }

  /** The pauses of TCP between its attempts to send again double, so the last one is as long as the outage at most. */
  #nextArrival(): number {
    const { world, network, delays, dice } = this.parts;
    const { now } = world;
    const outage = this.#outage;
    const at =
      outage > 0
        ? network.partedUntil + dice.fraction() * outage
        : now + delays.least + Math.floor(dice.fraction() * 1000 * (delays.most - delays.least)) / 1000;
    return Math.max(this.#lastArrival, at);
  }
}
