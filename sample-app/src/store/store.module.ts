import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { AppSettings } from '../settings/app.settings.js';

/**
 * A write that waits for a reconnect, or is sent again after one, would overwrite what others wrote meanwhile, under
 * a lock that we no longer have: it fails instead.
 */
const NEVER_LATE = { maxRetriesPerRequest: 0, autoResendUnfulfilledCommands: false };

/** The application's own connection, for its data. The locks have theirs. */
@Global()
@Module({
  providers: [
    {
      provide: Redis,
      inject: [AppSettings],
      useFactory: ({ redisUrl, keyPrefix }: AppSettings) => new Redis(redisUrl, { keyPrefix, ...NEVER_LATE }),
    },
  ],
  exports: [Redis],
})
export class StoreModule implements OnApplicationShutdown {
  constructor(private readonly redis: Redis) {}

  async onApplicationShutdown(): Promise<void> {
    await this.redis.quit();
  }
}
