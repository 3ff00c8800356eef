import { renewalRenew } from './generated/lua.scripts.js';
import { ReplyReader } from './reply.reader.js';
import type { ScriptRunner } from './script.runner.js';

/** As Redisson's watchdog has it: up to 100 leases a call (wire format section 4). */
const LEASES_PER_CALL = 100;

/** The renewal of leases. */
export class RenewalScript {
  constructor(private readonly runner: ScriptRunner) {}

  /**
   * Raises the ttl of a hold that still exists to at least `lease` ms; 0 only looks.
   * @returns what is left in ms (-1: no ttl), or undefined when the hold is gone
   */
  async renew(lock: string, holder: string, lease: number): Promise<number | undefined> {
    const invocation = { keys: [lock], args: [holder, `${lease}`], perCall: LEASES_PER_CALL };
    const reply = ReplyReader.of(renewalRenew.name, lock, await this.runner.run(renewalRenew, invocation));
    return reply.integer(0) === 1 ? reply.integer(1) : undefined;
  }
}
