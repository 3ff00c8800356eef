import 'reflect-metadata';
import {
  Controller,
  Get,
  Inject,
  Injectable,
  SetMetadata,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { ModuleRef, Reflector } from '@nestjs/core';
import { Cron, Interval, ScheduleModule, SchedulerRegistry, Timeout } from '@nestjs/schedule';
import { currentLock, DistributedLock } from 'nestjs-distributed-lock';
import { map, timer, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/until.js';
import { DoorStage, request } from './door.stage.js';

const KIND = Symbol('kind');
const seen: unknown[] = [];

/** What Swagger does: it replaces nothing, and reads the metadata of the function that it finds. */
function Documented(summary: string): MethodDecorator {
  return (_target, _key, descriptor) => {
    Reflect.defineMetadata('swagger/apiOperation', { summary }, Object(descriptor.value));
  };
}

/** A decorator of somebody else's that wraps the method as well. */
function Traced(_target: object, _key: string | symbol, descriptor: PropertyDescriptor): void {
  const { value } = descriptor;
  descriptor.value = async function traced(this: object, ...args: unknown[]) {
    seen.push('traced');
    return await Reflect.apply(value, this, args);
  };
}

/** Wraps the method as aspect libraries do: what belongs to the method is found through the prototype of the new function. */
function Aspect(_target: object, _key: string | symbol, descriptor: PropertyDescriptor): void {
  const { value } = descriptor;
  descriptor.value = function aspect(this: object, ...args: unknown[]) {
    return Reflect.apply(value, this, args);
  };
  Reflect.setPrototypeOf(descriptor.value, value);
}

@Injectable()
class Noting implements NestInterceptor {
  constructor(@Inject(Reflector) private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler) {
    seen.push(this.reflector.get<string>(KIND, context.getHandler()));
    return next.handle();
  }
}

@Controller()
class Doors {
  @DistributedLock('door')
  @Get('below')
  @UseInterceptors(Noting)
  @SetMetadata(KIND, 'below')
  @Documented('below')
  async below() {
    return { lock: currentLock()?.name };
  }

  @Get('above')
  @UseInterceptors(Noting)
  @SetMetadata(KIND, 'above')
  @Documented('above')
  @DistributedLock('door')
  async above() {
    return { lock: currentLock()?.name };
  }

  @Get('between')
  @DistributedLock('door')
  @UseInterceptors(Noting)
  @SetMetadata(KIND, 'between')
  @Traced
  async between(_first: unknown, _second: unknown) {
    return { lock: currentLock()?.name };
  }
}

@Controller()
class Aspects {
  @DistributedLock('door')
  @Aspect
  @Get('aspect')
  @UseInterceptors(Noting)
  @SetMetadata(KIND, 'aspect')
  async route() {
    return { lock: currentLock()?.name };
  }

  @DistributedLock('aspect')
  @Aspect
  @Cron('* * * * * *', { name: 'aspect' })
  async job() {
    seen.push(currentLock()?.name);
  }
}

@Injectable()
class Jobs {
  @DistributedLock('cron-above')
  @Cron('* * * * * *', { name: 'cron-above' })
  async cronAbove() {
    seen.push(currentLock()?.name);
  }

  @Cron('* * * * * *', { name: 'cron-below' })
  @DistributedLock('cron-below')
  async cronBelow() {
    seen.push(currentLock()?.name);
  }

  @DistributedLock('interval-above')
  @Interval('interval-above', 100)
  async intervalAbove() {
    seen.push(currentLock()?.name);
  }

  @Interval('interval-below', 100)
  @DistributedLock('interval-below')
  async intervalBelow() {
    seen.push(currentLock()?.name);
  }

  @DistributedLock('timeout-above')
  @Timeout('timeout-above', 10)
  async timeoutAbove() {
    seen.push(currentLock()?.name);
  }

  @Timeout('timeout-below', 10)
  @DistributedLock('timeout-below')
  async timeoutBelow() {
    seen.push(currentLock()?.name);
  }

  @Interval('observable', 50)
  @DistributedLock('observable')
  observable(): Observable<void> {
    return timer(20).pipe(map(() => void seen.push(currentLock()?.name)));
  }

  @DistributedLock('wrapped:{0.id}')
  @Traced
  async wrapped(_order: { readonly id: number }) {
    return currentLock()?.name;
  }
}

let stage: DoorStage;
beforeEach(() => {
  seen.length = 0;
  stage = new DoorStage();
});
afterEach(() => stage.close());

describe('above or below other decorators', () => {
  test.each(['below', 'above', 'between'])(
    'a route, its interceptors and its metadata stay: %s',
    async (path) => {
      const app = await stage.start({ controllers: [Doors] });
      expect(await request(app, `/${path}`)).toMatchObject({ status: 200, body: { lock: 'door' } });
      expect(seen[0]).toBe(path);
    },
  );

  test.each(['below', 'above', 'between'])('a route is guarded: %s', async (path) => {
    const app = await stage.start({ controllers: [Doors] });
    await stage.hold('door');
    expect(await request(app, `/${path}`)).toMatchObject({ status: 423 });
  });

  test('another wrapper below runs inside the lock', async () => {
    const app = await stage.start({ controllers: [Doors] });
    await request(app, '/between');
    expect(seen).toEqual(['between', 'traced']);
  });

  test('a route and a job below an aspect, whose function inherits their metadata, stay', async () => {
    const app = await stage.start({ imports: [ScheduleModule.forRoot()], controllers: [Aspects] });
    expect(await request(app, '/aspect')).toMatchObject({ status: 200, body: { lock: 'door' } });
    expect(seen).toContain('aspect');
    seen.length = 0;
    await until('the job ran under its lock', () => seen.includes('aspect'));
  });

  test('a template needs no parameter names, which another wrapper hides', async () => {
    const app = await stage.start({ providers: [Jobs] });
    await expect(app.get(Jobs).wrapped({ id: 7 })).resolves.toBe('wrapped:7');
  });

  test('scheduled methods are scheduled, and run under their lock', async () => {
    const app = await stage.start({ imports: [ScheduleModule.forRoot()], providers: [Jobs] });
    const registry = app.get(ModuleRef).get(SchedulerRegistry, { strict: false });
    const names = ['cron-above', 'cron-below'];
    expect([...registry.getCronJobs().keys()].toSorted()).toEqual(names);
    expect(registry.getIntervals().toSorted()).toEqual(['interval-above', 'interval-below', 'observable']);
    const all = ['above', 'below'].flatMap((place) =>
      ['cron', 'interval', 'timeout'].map((kind) => `${kind}-${place}`),
    );
    await until('every job ran under its lock', () =>
      [...all, 'observable'].every((name) => seen.includes(name)),
    );
    expect(seen).not.toContain(undefined);
  });

  test('name, length and the metadata of documentation stay', () => {
    expect(Doors.prototype.below.name).toBe('below');
    expect(Doors.prototype.between).toHaveLength(0);
    expect(Reflect.getMetadata('swagger/apiOperation', Doors.prototype.below)).toEqual({ summary: 'below' });
    expect(Reflect.getMetadata('swagger/apiOperation', Doors.prototype.above)).toEqual({ summary: 'above' });
  });
});
