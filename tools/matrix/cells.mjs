/**
 * What the matrix is made of. A combination is a Nest, an ioredis and a module format; in each of them one process runs every check
 * of test/matrix/apps.
 * @typedef {{ nest: '11' | '12', ioredis: '5' | '6', format: 'esm' | 'cjs', redis?: '5' | '6' }} Combination  `redis`: node-redis, beside ioredis
 */

/** Beside Nest itself, what an application of that Nest uses. */
export const PACKAGES = {
  11: [
    '@nestjs/common@11',
    '@nestjs/core@11',
    '@nestjs/platform-express@11',
    '@nestjs/platform-fastify@11',
    '@nestjs/microservices@11',
    '@nestjs/websockets@11',
    '@nestjs/platform-socket.io@11',
    '@nestjs/platform-ws@11',
    '@nestjs/schedule@6',
    '@nestjs/event-emitter@3',
    '@nestjs/swagger@11',
    '@nestjs/graphql@13',
    '@nestjs/apollo@13',
    '@nestjs/bullmq@11',
    'bullmq@5',
    'ioredis@5',
    '@nestjs/config@4',
    'nestjs-pino@5',
    '@sentry/nestjs@10',
  ],
  12: [
    '@nestjs/common@12',
    '@nestjs/core@12',
    '@nestjs/platform-express@12',
    '@nestjs/platform-fastify@12',
    '@nestjs/microservices@12',
    '@nestjs/websockets@12',
    '@nestjs/platform-socket.io@12',
    '@nestjs/platform-ws@12',
    '@nestjs/schedule@12',
    '@nestjs/event-emitter@12',
    '@nestjs/swagger@12',
    '@nestjs/graphql@14',
    '@nestjs/apollo@14',
    '@nestjs/bullmq@12',
    'bullmq@6',
    'ioredis@6',
    '@nestjs/config@12',
    'nestjs-pino@5',
  ],
};

/** What both need. */
export const SHARED = [
  '@apollo/server@5',
  '@as-integrations/express5@1',
  '@grpc/grpc-js@1',
  '@grpc/proto-loader@0.8',
  '@nestjs/observe@0.3',
  'graphql@16',
  'nestjs-cls@6',
  'pino@10',
  'pino-http@11',
  'reflect-metadata@0.2',
  'rxjs@7',
  'socket.io-client@4',
  'ws@8',
];

/** By check: the packages whose versions say what was tested. */
export const TESTED = {
  cron: ['@nestjs/schedule'],
  express: ['@nestjs/platform-express'],
  fastify: ['@nestjs/platform-fastify'],
  graphql: ['@nestjs/graphql', '@apollo/server'],
  microservice: ['@nestjs/microservices'],
  grpc: ['@nestjs/microservices', '@grpc/grpc-js'],
  'socket.io': ['@nestjs/platform-socket.io'],
  ws: ['@nestjs/platform-ws'],
  bullmq: ['@nestjs/bullmq', 'bullmq'],
  'event-emitter': ['@nestjs/event-emitter'],
  swagger: ['@nestjs/swagger'],
  pino: ['nestjs-pino', 'pino'],
  kinds: [],
  cls: ['nestjs-cls'],
  config: ['@nestjs/config'],
  observe: ['@nestjs/observe'],
  sentry: ['@sentry/nestjs'],
};

/** Checks of packages that do not install beside every Nest, with the ones that they have. */
export const ONLY = /** @type {Readonly<Record<string, readonly string[]>>} */ ({ sentry: ['11'] });

/** What is run on further Redis servers: what sends them something that others do not. */
export const ON_EVERY_SERVER = ['kinds', 'express', 'cron'];

/** @type {readonly Combination[]} */
export const COMBINATIONS = /** @type {const} */ (['12', '11']).flatMap((nest) =>
  /** @type {const} */ (['6', '5']).flatMap((ioredis) =>
    /** @type {const} */ (['esm', 'cjs']).map((format) => ({ nest, ioredis, format })),
  ),
);
