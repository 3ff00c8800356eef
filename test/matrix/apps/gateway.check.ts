import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Inject, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import { DistributedLock } from 'nestjs-distributed-lock';
import { io } from 'socket.io-client';
import { WebSocket } from 'ws';
import { Gate, type MatrixStage, SERVER } from './matrix.stage.js';

@WebSocketGateway()
class Guarded {
  constructor(@Inject(Gate) private readonly gate: Gate) {}

  @SubscribeMessage('guarded')
  @DistributedLock('socket:{0.id}')
  async guarded(@MessageBody() _data: { id: string }): Promise<object> {
    return { event: 'passed', data: await this.gate.pass() };
  }
}

/** Sends one message, and gives what comes back. */
type Client = () => Promise<{ readonly event: string; readonly data: unknown }>;

const REFUSED = {
  event: 'exception',
  data: {
    status: 'error',
    message: 'Lock "socket:7" is held. Try again later.',
    code: 'NOT_ACQUIRED',
    lock: 'socket:7',
  },
};

async function start(
  stage: MatrixStage,
  adapterOf: (app: INestApplication) => IoAdapter | WsAdapter,
): Promise<string> {
  @Module({ imports: [stage.locks()], providers: [Guarded, { provide: Gate, useValue: stage.gate }] })
  class AppModule {}
  const app: INestApplication = stage.closes(await NestFactory.create(AppModule, SERVER));
  app.useWebSocketAdapter(adapterOf(app));
  await app.listen(0, '127.0.0.1');
  return await app.getUrl();
}

async function check(stage: MatrixStage, one: Client, other: Client): Promise<string> {
  let answer: unknown;
  const refused = await stage.collide(async () => (answer = await one()), other);
  assert.deepEqual(answer, { event: 'passed', data: 'done' });
  assert.deepEqual(refused, REFUSED);
  return 'an "exception" event with status, message, code and lock';
}

export async function checkSocketIo(stage: MatrixStage): Promise<string> {
  const connect = async (): Promise<Client> => {
    const socket = io(await start(stage, (app) => new IoAdapter(app)), { transports: ['websocket'] });
    stage.closes({ close: async () => socket.close() });
    return () =>
      new Promise((resolve) => {
        socket.onAny((event: string, data: unknown) => resolve({ event, data }));
        socket.emit('guarded', { id: '7' });
      });
  };
  return await check(stage, await connect(), await connect());
}

export async function checkNativeSocket(stage: MatrixStage): Promise<string> {
  const connect = async (): Promise<Client> => {
    const socket = new WebSocket((await start(stage, (app) => new WsAdapter(app))).replace('http', 'ws'));
    stage.closes({ close: async () => socket.terminate() });
    await once(socket, 'open');
    return async () => {
      socket.send(JSON.stringify({ event: 'guarded', data: { id: '7' } }));
      const [message] = (await once(socket, 'message')) as [Buffer];
      return JSON.parse(message.toString()) as { event: string; data: unknown };
    };
  };
  return await check(stage, await connect(), await connect());
}
