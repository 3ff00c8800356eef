import type { Violation } from './belief.js';
import type { World } from './world.js';

/** Collects the rules that a run has broken, each once. */
export abstract class RuleWatch {
  readonly violations: Violation[] = [];

  protected constructor(protected readonly world: World) {}

  report(rule: string, what: string): void {
    if (this.violations.some((violation) => violation.rule === rule)) return;
    const { now: at, events: event } = this.world;
    this.world.note(`VIOLATION ${rule}: ${what}`, this.world.outside);
    this.violations.push({ rule, at, event, what });
  }
}
