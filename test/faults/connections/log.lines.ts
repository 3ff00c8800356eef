import { Logger } from '@nestjs/common';
import { vi } from 'vitest';

/** What a test's application says: by Nest's logger, and past it. */
export class LogLines {
  readonly lines: string[] = [];
  /** What was printed raw. */
  readonly printed: string[] = [];

  constructor() {
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(Logger.prototype, level).mockImplementation((line: unknown) => {
        this.lines.push(`${level} ${String(line)}`);
      });
    for (const level of ['log', 'warn', 'error'] as const)
      vi.spyOn(console, level).mockImplementation((...words: readonly unknown[]) => {
        this.printed.push(words.map(String).join(' '));
      });
  }
}
