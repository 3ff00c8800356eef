import assert from 'node:assert/strict';
import { Body, Controller, Get, Module, Param, Post, Query, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiOkResponse, ApiOperation, ApiProperty, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { DistributedLock, UseDistributedLock } from 'nestjs-distributed-lock';
import { CONTEXT, type MatrixStage } from './matrix.stage.js';

class Cat {
  @ApiProperty()
  name = '';

  @ApiProperty({ minimum: 0 })
  age = 0;
}

@Controller('cats')
class PlainCats {
  @Get(':id')
  @ApiOkResponse({ type: Cat })
  async find(@Param('id') _id: string, @Query('depth') _depth: number): Promise<Cat> {
    return new Cat();
  }

  @ApiOperation({ summary: 'Adds a cat' })
  @Post()
  async add(@Body() _cat: Cat): Promise<Cat> {
    return new Cat();
  }

  @Get()
  async all(@Query('name') _name: string): Promise<string> {
    return '';
  }
}

@Controller('cats')
class GuardedCats {
  @DistributedLock((id: string) => `cat:${id}`)
  @Get(':id')
  @ApiOkResponse({ type: Cat })
  async find(@Param('id') _id: string, @Query('depth') _depth: number): Promise<Cat> {
    return new Cat();
  }

  @ApiOperation({ summary: 'Adds a cat' })
  @Post()
  @DistributedLock('cats')
  async add(@Body() _cat: Cat): Promise<Cat> {
    return new Cat();
  }

  @UseDistributedLock({ key: 'cats' })
  @Get()
  async all(@Query('name') _name: string): Promise<string> {
    return '';
  }
}

async function describe(stage: MatrixStage, controller: Type): Promise<unknown> {
  @Module({ imports: [stage.locks()], controllers: [controller] })
  class AppModule {}
  const app = stage.closes(await NestFactory.create(AppModule, CONTEXT));
  const document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  return JSON.parse(JSON.stringify(document).replaceAll(/(?:Plain|Guarded)Cats/g, 'Cats'));
}

export async function checkSwagger(stage: MatrixStage): Promise<string> {
  const plain = await describe(stage, PlainCats);
  const guarded = await describe(stage, GuardedCats);
  assert.deepEqual(guarded, plain);
  const text = JSON.stringify(guarded);
  for (const name of ['"operationId":"Cats_find', '"/cats/{id}"', '"name":"depth"', '"summary":"Adds a cat"'])
    assert.ok(text.includes(name), `${name} is not in ${text}`);
  return 'routes, operation ids, parameters and bodies as without locks';
}
