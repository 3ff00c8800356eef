import { beforeEach, describe, expect, test } from 'vitest';
import { SeededDice } from '../seeded.dice.js';
import { SimulatedProcess } from '../simulated.process.js';
import { usualNetwork, type Network } from '../simulated.wire.js';
import { World } from '../world.js';
import { ByteWire } from './byte.wire.js';

/** One wire, and what its receiver has seen. */
class WireBench {
  readonly world: World;
  readonly network: Network = usualNetwork();
  readonly receiver: SimulatedProcess;
  readonly wire: ByteWire;
  sent = '';
  received = '';
  /** In order: how often bytes were refused, and how the stream came to an end. */
  readonly marks: string[] = [];
  isOpen = true;

  constructor(seed: number) {
    this.world = new World(seed);
    this.receiver = new SimulatedProcess(seed, 'receiver');
    this.wire = new ByteWire({
      world: this.world,
      network: this.network,
      delays: this.network.requests,
      dice: new SeededDice(seed, 'wire'),
      refused: () => this.marks.push('refused'),
      to: {
        process: this.receiver,
        received: (bytes) => {
          if (this.marks.some((mark) => mark !== 'refused')) this.marks.push('bytes after the end');
          if (this.isOpen) this.received += bytes;
          return this.isOpen;
        },
        ended: () => this.marks.push('ended'),
        broken: (why) => this.marks.push(why),
      },
    });
  }

  send(bytes: string): void {
    this.sent += bytes;
    this.wire.send(bytes);
  }

  /** The network is parted from now on. */
  part(ms: number): void {
    this.network.partedUntil = this.world.now + ms;
    this.wire.part();
  }

  async goOn(ms: number): Promise<void> {
    await this.world.runUntil(this.world.now + ms);
  }
}

describe('a wire for bytes', () => {
  let bench: WireBench;

  beforeEach(() => {
    bench = new WireBench(1);
  });

  test('delivers all bytes in their order, and then the end', async () => {
    bench.send('one two ');
    bench.send('three');
    bench.wire.end();
    await bench.goOn(10);
    expect([bench.received, bench.marks]).toEqual(['one two three', ['ended']]);
  });

  test('delivers what was on its way when the network was parted, and what is sent then, once it is whole again', async () => {
    bench.send('la');
    bench.part(500);
    bench.send('te');
    await bench.goOn(499);
    expect(bench.received).toBe('');
    await bench.goOn(501);
    expect([bench.received, bench.marks]).toEqual(['late', []]);
  });

  test('keeps what arrives at a stopped process for it', async () => {
    bench.receiver.stop(100);
    bench.send('kept');
    await bench.goOn(99);
    expect(bench.received).toBe('');
    await bench.goOn(1);
    expect(bench.received).toBe('kept');
  });

  test('swallows everything once it is silent', async () => {
    bench.wire.silence();
    bench.send('nothing');
    bench.wire.end();
    await bench.goOn(10);
    expect([bench.received, bench.marks, bench.wire.isSilent]).toEqual(['', [], true]);
  });

  test('lets its sender know that the socket is closed', async () => {
    bench.isOpen = false;
    bench.send('x');
    await bench.goOn(10);
    expect(bench.marks).toEqual(['refused']);
  });

  test('is broken for both after it was cut, and carries nothing more', async () => {
    bench.wire.cut('read ECONNRESET');
    bench.send('more');
    bench.wire.end();
    await bench.goOn(10);
    expect([bench.received, bench.marks]).toEqual(['', ['read ECONNRESET']]);
  });

  test('sends no reset of a connection that is given up while the network is parted', async () => {
    bench.part(500);
    bench.send('lost');
    bench.wire.abort('read ECONNRESET');
    await bench.goOn(2000);
    expect([bench.received, bench.marks]).toEqual(['', []]);
  });
});

test.each(Array.from({ length: 100 }, (_, seed) => seed))(
  'whatever happens to a wire, its receiver gets the first bytes of what was sent, and none after its end (seed %i)',
  async (seed) => {
    const bench = new WireBench(seed);
    const dice = new SeededDice(seed, 'acts');
    const acts: (() => void)[] = [
      ...Array.from({ length: 8 }, () => () => bench.send('abcdefghij'.slice(dice.below(9)))),
      () => bench.part(dice.between(1, 50)),
      () => bench.receiver.stop(bench.world.now + dice.between(1, 30)),
      () => bench.wire.cut('cut'),
      () => bench.wire.abort('given up'),
      () => bench.wire.silence(),
      () => (bench.isOpen = false),
      () => bench.wire.end(),
    ];
    for (let step = 0; step < 30; step += 1) {
      dice.pick(acts)();
      await bench.goOn(dice.fraction() * 3);
      expect(bench.sent.startsWith(bench.received)).toBe(true);
    }
    await bench.goOn(1000);
    expect(bench.sent.startsWith(bench.received)).toBe(true);
    expect(bench.marks).not.toContain('bytes after the end');
  },
);
