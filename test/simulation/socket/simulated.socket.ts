import { Socket } from 'node:net';
import { toBytes } from '../../../libs/distributed-lock/src/memory/memory.scripts.js';
import { machine } from '../../../libs/distributed-lock/src/timing/machine.js';
import type { SimulatedProcess } from '../simulated.process.js';
import type { TcpEnd } from './byte.wire.js';
import type { SimulatedTcp } from './simulated.tcp.js';

type Done = (error?: Error | null) => void;

/** The client's end of a connection: a socket of Node without a handle of the system. */
export class SimulatedSocket extends Socket {
  override connecting: boolean;
  readonly tcpEnd: TcpEnd;
  #tcp: SimulatedTcp | undefined;
  /** What is written in one turn goes out at once. */
  #unsent = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(process: SimulatedProcess) {
    super({ allowHalfOpen: false });
    this.connecting = true;
    this.tcpEnd = {
      process,
      received: (bytes) => {
        if (this.destroyed) return false;
        this.push(Buffer.from(bytes, 'latin1'));
        return true;
      },
      ended: () => {
        if (!this.destroyed) this.push(null);
      },
      broken: (why) => {
        this.destroy(Object.assign(new Error(why), { code: why.split(' ').at(-1) }));
      },
    };
  }

  connected(tcp: SimulatedTcp): void {
    // The client has given the attempt up.
    if (this.destroyed || this.writableEnded) {
      tcp.toServer.end();
      return;
    }
    this.connecting = false;
    this.#tcp = tcp;
    Object.defineProperty(this, 'remoteAddress', { value: '192.0.2.1' });
    this.emit('connect');
  }

  override resetAndDestroy(): this {
    this.#unsent = '';
    this.#tcp?.toServer.abort('read ECONNRESET');
    return this.destroy();
  }

  override setNoDelay(): this {
    return this;
  }

  override setKeepAlive(): this {
    return this;
  }

  /** Of a socket that connects: ioredis turns it off afterwards. */
  override setTimeout(delay: number, expired?: () => void): this {
    machine.global.clearTimeout(this.#timer);
    this.#timer = undefined;
    if (expired !== undefined) this.once('timeout', expired);
    if (delay > 0) this.#timer = machine.global.setTimeout(() => this.emit('timeout'), delay);
    return this;
  }

  override _read(): void {
    // What arrives is pushed at once.
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: Done): void {
    if (this.#unsent === '') process.nextTick(() => this.#flush());
    this.#unsent += typeof chunk === 'string' ? toBytes(chunk) : chunk.toString('latin1');
    done();
  }

  override _final(done: Done): void {
    this.#flush();
    this.#tcp?.toServer.end();
    done();
  }

  /** The kernel still sends what was written before, and then the end. */
  override _destroy(error: Error | null, done: Done): void {
    machine.global.clearTimeout(this.#timer);
    this.#flush();
    this.#tcp?.toServer.end();
    done(error);
    // Node's own does so, once its handle is closed.
    process.nextTick(() => this.emit('close', error !== null));
  }

  #flush(): void {
    const bytes = this.#unsent;
    this.#unsent = '';
    if (bytes !== '') this.#tcp?.toServer.send(bytes);
  }
}
