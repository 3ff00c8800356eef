import 'reflect-metadata';
import { checkCron } from './cron.check.js';
import { checkEvent } from './event.check.js';
import { checkNativeSocket, checkSocketIo } from './gateway.check.js';
import { checkGraphql } from './graphql.check.js';
import { checkGrpc } from './grpc.check.js';
import { checkExpress, checkFastify } from './http.check.js';
import { checkKinds } from './kinds.check.js';
import { MatrixStage, type Check } from './matrix.stage.js';
import { checkMicroservice } from './microservice.check.js';
import { checkCls, checkConfig, checkObserve, checkPino, checkSentry } from './neighbour.check.js';
import { checkQueue } from './queue.check.js';
import { checkSwagger } from './swagger.check.js';

const CHECKS: Record<string, Check> = {
  cron: checkCron,
  express: checkExpress,
  fastify: checkFastify,
  graphql: checkGraphql,
  microservice: checkMicroservice,
  grpc: checkGrpc,
  'socket.io': checkSocketIo,
  ws: checkNativeSocket,
  bullmq: checkQueue,
  'event-emitter': checkEvent,
  swagger: checkSwagger,
  kinds: checkKinds,
  cls: checkCls,
  config: checkConfig,
  observe: checkObserve,
  pino: checkPino,
  sentry: checkSentry,
};

/** One line of JSON for each check; arguments name the checks to run. */
async function main(): Promise<void> {
  const redis = process.env['REDIS_URL'] ?? '';
  await MatrixStage.loadClient();
  const chosen = process.argv.slice(2);
  const names = chosen.length > 0 ? chosen : Object.keys(CHECKS);
  // Ticks come once a second: their check waits while the others work.
  await Promise.all([
    ...names.filter((name) => name === 'cron').map((name) => report(name, redis)),
    inTurn(names.filter((name) => name !== 'cron')),
  ]);

  async function inTurn(rest: readonly string[]): Promise<void> {
    for (const name of rest) await report(name, redis);
  }
}

async function report(name: string, redis: string): Promise<void> {
  const stage = new MatrixStage(redis);
  const started = performance.now();
  const result: { ok: boolean; text: string } = await run(name, stage).then(
    (text) => ({ ok: true, text }),
    (error: unknown) => ({
      ok: false,
      text: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }),
  );
  console.log(JSON.stringify({ check: name, ms: Math.round(performance.now() - started), ...result }));
}

async function run(name: string, stage: MatrixStage): Promise<string> {
  try {
    const check = CHECKS[name];
    if (check === undefined) throw new Error(`there is no check "${name}"`);
    return await check(stage);
  } finally {
    stage.gate.open();
    await stage.close();
  }
}

void main();
