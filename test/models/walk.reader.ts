/** One line that a Promela model prints: a transition, its arguments, its verdict, and what Redis has after it. */
export interface Transition {
  readonly line: string;
  /** `script`, `new`, `pass`, `instant`, `grace`. */
  readonly kind: string;
  /** The script's name. */
  readonly script: string;
  readonly verdict: string;
  readonly args: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

export function readTransition(line: string): Transition {
  const [call = '', state = ''] = line.split(' | ');
  const [what = '', verdict = ''] = call.split(' -> ');
  const [kind = '', script = ''] = what.split(' ');
  return { line, kind, script, verdict, args: pairsOf(what), after: pairsOf(state) };
}

function pairsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)=([\w.:,]+?)(?=,? |,?$)/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** `2.1` is attempt 1 of tick 2; `0.0` is none. */
export function runOf(text: string | undefined): { tick: number; attempt: number } {
  const [tick = 0, attempt = 0] = (text ?? '').split('.').map(Number);
  return { tick, attempt };
}

/** The holder ids of a walk: the model uses its few again and again, the library never. */
export class HolderIds {
  readonly #generations = new Map<string, number>();

  renew(id: string | undefined): void {
    this.#generations.set(id ?? '', this.#generation(id) + 1);
  }

  of(id: string | undefined): string {
    return `6e38a1f0-0000-4000-8000-00000000000${id}:${this.#generation(id)}`;
  }

  #generation(id: string | undefined): number {
    return this.#generations.get(id ?? '') ?? 0;
  }
}
