import type { LockModuleSettings } from '../../libs/distributed-lock/src/contracts/module.options.js';
import type { LockService } from '../../libs/distributed-lock/src/service/lock.service.js';
import { readSettings } from '../../libs/distributed-lock/src/startup/settings.reader.js';
import { MemoryStore } from '../../libs/distributed-lock/src/memory/memory.store.js';
import { openMemoryService } from '../../libs/distributed-lock/src/memory/open.memory.js';
import type { FleetServices } from '../locks/lock.fleet.js';

const PREFIX = 'test:';

/** Services on one store in memory, as if each were in a process of its own. */
export class MemoryServices implements FleetServices {
  readonly #memory = new MemoryStore();
  readonly #open: LockService[] = [];

  readonly store: FleetServices['store'] = {
    listeners: (channel) => Promise.resolve(this.#memory.channels.listeners(channel)),
    delete: async (names) => void names.map((name) => this.#memory.keys.delete(name)),
    refill: async (semaphore) => {
      this.#memory.keys.delete(`{${semaphore}}:timeout`);
      this.#memory.keys.delete(semaphore);
      this.#memory.keys.open(semaphore, 'string').value = '1';
    },
    permitsTaken: async (timeout) => {
      const ends = this.#memory.keys.read(timeout, 'zset')?.values() ?? [];
      return [...ends].filter((end) => end >= Date.now()).length;
    },
  };

  open(options: LockModuleSettings = {}): Promise<LockService> {
    const settings = readSettings({ namePrefix: PREFIX, shutdownTimeout: 200, ...options });
    const service = openMemoryService(settings, this.#memory);
    this.#open.push(service);
    return Promise.resolve(service);
  }

  keys(): Promise<string[]> {
    return Promise.resolve(this.#memory.keyNames());
  }

  channels(): Promise<string[]> {
    return Promise.resolve(this.#memory.channels.names());
  }

  async close(): Promise<void> {
    await Promise.all(this.#open.map((service) => service.shutDown()));
  }
}

/** A store for each fleet. */
export function memoryGround(): { readonly services: () => FleetServices } {
  return { services: () => new MemoryServices() };
}
