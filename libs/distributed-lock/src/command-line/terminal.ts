import { createInterface } from 'node:readline';
import { printable } from '../errors/printable.text.js';

type Write = (text: string) => unknown;

/** The source of answers: the standard input, as a rule. */
export type Answers = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** The output of a command, for people and programs. No text from Redis can move a cursor or write a line of its own. */
export class Terminal {
  constructor(
    private readonly out: Write = (text) => process.stdout.write(text),
    private readonly err: Write = (text) => process.stderr.write(text),
    private readonly input: Answers = process.stdin,
    private readonly isScreen = process.stdout.isTTY,
  ) {}

  /** The height of the screen; undefined where the output is no terminal. */
  get rows(): number | undefined {
    return this.isScreen ? process.stdout.rows : undefined;
  }

  /** @returns undefined where there is no terminal for the question */
  async ask(question: string): Promise<string | undefined> {
    if (this.input.isTTY !== true) return undefined;
    this.err(printable(question));
    const lines = createInterface({ input: this.input });
    try {
      // An input that ends gives no answer.
      for await (const answer of lines) return answer.trim();
      return '';
    } finally {
      lines.close();
    }
  }

  /** One line of JSON. Control characters that JSON leaves as they are become escapes, which it reads as the same text. */
  json(value: unknown): void {
    this.out(
      `${printable(JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each)))}\n`,
    );
  }

  line(text = ''): void {
    this.out(`${printable(text)}\n`);
  }

  /** Rows under their heads, each column as wide as its longest cell. */
  table(heads: readonly string[], rows: readonly (readonly string[])[]): void {
    const lines = [heads, ...rows].map((cells) => cells.map((cell) => printable(cell)));
    const widths = heads.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
    for (const cells of lines)
      this.line(
        cells
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      );
  }

  /** Lines in place of those that the screen shows; only where there is one. */
  screen(write: () => void): void {
    this.out('\u001b[H\u001b[2J');
    write();
  }

  /** For people, beside the result of the command. */
  note(text: string): void {
    this.err(`${printable(text)}\n`);
  }
}
