import { UsageError } from './command.line.js';
import type { Terminal } from './terminal.js';

/**
 * Asks a question whose answer must be yes.
 * @param unasked why the answer is needed, for an input that is no terminal
 * @throws UsageError where there is no terminal for the question
 */
export async function isAgreed(terminal: Terminal, question: string, unasked: string): Promise<boolean> {
  const answer = await terminal.ask(`${question} [y/N] `);
  if (answer !== undefined) return /^y(?:es)?$/i.test(answer);
  throw new UsageError(`${unasked}, and there is no terminal: use --yes.`);
}
