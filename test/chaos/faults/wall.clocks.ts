import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFakeClock, type FakeClock } from '../../ticks/fake.clock.js';

/** Wall clocks by name, each in a file that its processes read. */
export class WallClocks {
  readonly names = new Set<string>();

  private constructor(
    private readonly folder: string,
    private readonly fake: FakeClock | string,
  ) {}

  static async make(): Promise<WallClocks> {
    return new WallClocks(await mkdtemp(join(tmpdir(), 'chaos-clocks-')), await findFakeClock());
  }

  get missing(): string | undefined {
    return typeof this.fake === 'string' ? this.fake : undefined;
  }

  /** What a process by that clock has to find in its environment. A clock that was never set is the machine's. */
  envOf(name: string): Record<string, string> {
    return typeof this.fake === 'string' ? {} : this.fake.envFor(join(this.folder, name));
  }

  async set(name: string, seconds: number): Promise<void> {
    this.names.add(name);
    const file = join(this.folder, name);
    await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    // In one step: a process that finds its clock empty ends itself.
    await rename(`${file}.new`, file);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
