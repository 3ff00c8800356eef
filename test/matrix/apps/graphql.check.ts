import assert from 'node:assert/strict';
import { Inject, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Args, Context, GraphQLModule, Query, Resolver } from '@nestjs/graphql';
import { DistributedLock } from 'nestjs-distributed-lock';
import { Gate, type MatrixStage, SERVER } from './matrix.stage.js';

interface Answer {
  readonly data?: { readonly guarded?: string } | null;
  readonly errors?: readonly { readonly message: string; readonly extensions: Record<string, unknown> }[];
}

@Resolver()
class Guarded {
  constructor(@Inject(Gate) private readonly gate: Gate) {}

  @Query(() => String)
  @DistributedLock((id: string) => `resolver:${id}`)
  async guarded(
    @Args('id', { type: () => String }) _id: string,
    @Context('res') _res: unknown,
  ): Promise<string> {
    return await this.gate.pass();
  }
}

async function start(stage: MatrixStage): Promise<() => Promise<Answer>> {
  @Module({
    imports: [
      stage.locks(),
      GraphQLModule.forRoot<ApolloDriverConfig>({
        driver: ApolloDriver,
        autoSchemaFile: true,
        playground: false,
        context: ({ req, res }: object & { readonly req?: unknown; readonly res?: unknown }) => ({
          req,
          res,
        }),
      }),
    ],
    providers: [Guarded, { provide: Gate, useValue: stage.gate }],
  })
  class AppModule {}
  const app: INestApplication = stage.closes(await NestFactory.create(AppModule, SERVER));
  await app.listen(0, '127.0.0.1');
  const url = `${await app.getUrl()}/graphql`;
  return async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ guarded(id: "7") }' }),
    });
    return (await response.json()) as Answer;
  };
}

export async function checkGraphql(stage: MatrixStage): Promise<string> {
  const [one, other] = [await start(stage), await start(stage)];
  let answer: Answer = {};
  const refused = await stage.collide(async () => (answer = await one()), other);
  assert.deepEqual(answer, { data: { guarded: 'done' } });
  const { code, lock, retryAfter } = refused.errors?.[0]?.extensions ?? {};
  assert.deepEqual([code, lock, retryAfter], ['LOCKED', 'resolver:7', 1], JSON.stringify(refused));
  return 'an error with extensions.code LOCKED';
}
