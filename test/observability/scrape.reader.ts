/** A line of a scrape: a name, labels, a number. */
const LINE = /^distributed_lock_(?<name>\w+)(?:\{(?<labels>.*)\})? (?<value>\S+)/gm;
const LABEL = /(?<label>\w+)="(?<text>[^"]*)"/g;

interface Sample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
}

/** What Prometheus would read of the locks. */
export class Scrape {
  readonly #samples: readonly Sample[];

  constructor(text: string) {
    this.#samples = [...text.matchAll(LINE)].map(
      ({ groups: { name = '', labels = '', value = '' } = {} }) => ({
        name,
        labels: new Map(
          [...labels.matchAll(LABEL)].map(({ groups }) => [groups?.['label'] ?? '', groups?.['text'] ?? '']),
        ),
        value: Number(value),
      }),
    );
  }

  /** The sum over all series of that name that have these labels. */
  of(name: string, labels: Readonly<Record<string, string>> = {}): number {
    return this.values(name, labels).reduce((sum, value) => sum + value, 0);
  }

  /** The values of all series of that name that have these labels. */
  values(name: string, labels: Readonly<Record<string, string>> = {}): number[] {
    return this.#samples
      .filter((sample) => sample.name === name)
      .filter((sample) => Object.entries(labels).every(([label, text]) => sample.labels.get(label) === text))
      .map(({ value }) => value);
  }

  /** The names of all series. */
  get names(): Set<string> {
    return new Set(this.#samples.map(({ name }) => name));
  }

  /** The values of a label. */
  labels(label: string): Set<string> {
    return new Set(this.#samples.flatMap((sample) => sample.labels.get(label) ?? []));
  }
}
