import assert from 'node:assert/strict';
import { Controller, Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  ClientProxyFactory,
  type ClientOptions,
  EventPattern,
  MessagePattern,
  Payload,
  Transport,
  type ClientProxy,
  type RedisOptions,
  type TcpOptions,
} from '@nestjs/microservices';
import { DistributedLock, LockService, UseDistributedLock } from 'nestjs-distributed-lock';
import { lastValueFrom } from 'rxjs';
import { freePort } from './free.port.js';
import { CONTEXT, Gate, until, type MatrixStage } from './matrix.stage.js';

type Wire = TcpOptions | RedisOptions;

/** What stands inside the guarded handlers. */
interface Gates {
  readonly messages: Gate;
  readonly events: Gate;
}

/** @param prefix of the patterns: a Redis between two applications delivers each message to both */
function guarded(prefix: string, { messages, events }: Gates): Type {
  @Controller()
  class Guarded {
    @MessagePattern(`${prefix}guarded`)
    @DistributedLock('message:{0.id}')
    async guarded(@Payload() _data: { id?: string }): Promise<string> {
      return await messages.pass();
    }

    @EventPattern(`${prefix}happened`)
    @DistributedLock('event:{0.id}')
    async happened(@Payload() _data: { id?: string }): Promise<void> {
      await events.pass();
    }

    @EventPattern(`${prefix}intercepted`)
    @UseDistributedLock({ key: (context) => `event:${context.switchToRpc().getData<{ id: string }>().id}` })
    intercepted(@Payload() _data: { id?: string }) {
      return events.pass();
    }

    @MessagePattern(`${prefix}after`)
    @DistributedLock('after')
    async after(): Promise<string> {
      return 'answered';
    }
  }
  return Guarded;
}

/** An application that listens on a wire, and a client of it. */
class Listener {
  private constructor(
    readonly locks: LockService,
    private readonly prefix: string,
    private readonly client: ClientProxy,
  ) {}

  static async open(stage: MatrixStage, wire: Wire, gates: Gates): Promise<Listener> {
    // The names of two wires must differ, since one Redis serves all.
    const prefix = `${stage.prefix}${String(wire.transport)}:`;
    @Module({ imports: [stage.locks()], controllers: [guarded(prefix, gates)] })
    class AppModule {}
    const app = stage.closes(await NestFactory.createMicroservice(AppModule, { ...wire, ...CONTEXT }));
    await app.listen();
    const client = ClientProxyFactory.create(wire as ClientOptions);
    stage.closes({ close: async () => await client.close() });
    return new Listener(app.get(LockService), prefix, client);
  }

  /** @returns the answer, or the error that was answered */
  send(pattern: string, data: unknown): Promise<unknown> {
    return lastValueFrom(this.client.send<unknown>(this.prefix + pattern, data)).catch((error: unknown) => ({
      error,
    }));
  }

  async emit(pattern: string, data: unknown): Promise<void> {
    await lastValueFrom(this.client.emit(this.prefix + pattern, data), { defaultValue: undefined });
  }
}

/** What the process writes about these locks while `work` runs. Nest has one logger for all applications of a process. */
async function logOf<T>(
  about: RegExp,
  work: (lines: readonly string[]) => Promise<T>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const taps = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...rest: never[]) => {
      const text = String(chunk).trim();
      if (about.test(text)) lines.push(text);
      return write(chunk, ...rest);
    };
    return () => (stream.write = write);
  });
  try {
    await work(lines);
  } finally {
    for (const end of taps) end();
  }
  return lines;
}

/** The second message is answered with the refusal, and needs no line in the log. */
async function checkMessages(
  stage: MatrixStage,
  one: Listener,
  other: Listener,
  { messages }: Gates,
): Promise<void> {
  let answer: unknown;
  const lines = await logOf(/message:7/, async () => {
    const refused = await stage.collide(
      async () => (answer = await one.send('guarded', { id: '7' })),
      () => other.send('guarded', { id: '7' }),
      messages,
    );
    assert.deepEqual(refused, {
      error: {
        status: 'error',
        message: 'Lock "message:7" is held. Try again later.',
        code: 'NOT_ACQUIRED',
        lock: 'message:7',
      },
    });
  });
  assert.equal(answer, 'done');
  assert.deepEqual(lines, []);
}

/** Events beside a running one are refused; the log has one line of them. */
async function checkEvents(
  handler: 'happened' | 'intercepted',
  one: Listener,
  other: Listener,
  { events }: Gates,
): Promise<void> {
  const before = events.entered;
  const data = { id: handler };
  const key = `event:${handler}`;
  const lines = await logOf(new RegExp(key), async (written) => {
    await one.emit(handler, data);
    await until('the first event is inside', () => events.entered > before);
    await other.emit(handler, data);
    await until('the log has the refusal of the second event', () => written.length > 0);
    await other.emit(handler, data);
    // Reaches the handlers, and Redis, after the third event.
    assert.equal(await other.send('after', {}), 'answered');
  });
  assert.equal(events.entered, before + 1);
  assert.equal(lines.length, 1, lines.join('\n'));
  const line = new RegExp(
    `WARN.*An event for Guarded\\.${handler} was refused, and is lost unless its transport delivers it again: ` +
      `lock "${key}" is held by \\S+\\. Set waitTime to let the handler wait, or onBusy to put the event back into its queue\\.`,
  );
  assert.match(lines[0] ?? '', line);
}

async function check(stage: MatrixStage, wires: readonly Wire[]): Promise<void> {
  const gates = { messages: new Gate(), events: new Gate() };
  const listeners: Listener[] = [];
  for (const wire of wires) listeners.push(await Listener.open(stage, wire, gates));
  const [one, other = one] = listeners;
  assert.ok(one && other);
  try {
    await checkMessages(stage, one, other, gates);
    await checkEvents('happened', one, other, gates);
    await checkEvents('intercepted', one, other, gates);
  } finally {
    gates.messages.open();
    gates.events.open();
  }
  for (const key of ['event:happened', 'event:intercepted'])
    await until(`lock ${key} is free`, async () => !(await one.locks.getLock(key).isLocked()));
}

export async function checkMicroservice(stage: MatrixStage): Promise<string> {
  const tcp = async (): Promise<Wire> => ({
    transport: Transport.TCP,
    options: { host: '127.0.0.1', port: await freePort() },
  });
  await check(stage, [await tcp(), await tcp()]);
  const { hostname: host, port } = new URL(stage.redis);
  await check(stage, [{ transport: Transport.REDIS, options: { host, port: Number(port) } }]);
  return 'an error with status, message, code and lock; a refused event: a line in the log';
}
