import { importName } from './import.writer.js';
import { addImports, type ElementLines } from './imports.writer.js';
import { readImportStatements } from './import.reader.js';
import { NotUnderstood, readModule } from './module.reader.js';
import { UnreadableSource } from './source.scanner.js';
import { readStyle } from './source.style.js';
import { applyChanges } from './text.change.js';
import { TokenList } from './token.list.js';

export const LOCK_MODULE = 'DistributedLockModule';
export const SCHEDULE_MODULE = 'ScheduleModule';

/** What to add to a module. */
export interface Wiring {
  /** The address of Redis where REDIS_URL is not set. */
  readonly redis: string;
  /** Whether ScheduleModule is to be added, too. */
  readonly schedule: boolean;
  /** The class to change, where it is known. */
  readonly className: string | undefined;
}

/** The module's new source, or why it cannot be changed. */
export type WiringResult = { readonly source: string } | { readonly reason: string };

/** Adds the module of locks to a Nest module's source. Where it has that already, the source stays as it is. */
export function wireModule(source: string, wiring: Wiring): WiringResult {
  try {
    return { source: change(source, wiring) };
  } catch (error) {
    if (error instanceof NotUnderstood || error instanceof UnreadableSource) return { reason: error.message };
    throw error;
  }
}

function change(source: string, { redis, schedule, className }: Wiring): string {
  const tokens = new TokenList(source);
  const module = readModule(tokens, className);
  const statements = readImportStatements(tokens);
  const style = readStyle(source, statements);
  const wired = new Set<string>();
  for (let index = module.imports?.open ?? 0; index < (module.imports?.close ?? 0); index += 1)
    wired.add(tokens.at(index).value);
  const missing = [
    ...(schedule && !wired.has(SCHEDULE_MODULE) ? [SCHEDULE_MODULE] : []),
    ...(wired.has(LOCK_MODULE) ? [] : [LOCK_MODULE]),
  ];
  if (missing.length === 0) return source;
  const elements = missing.map((name) =>
    name === LOCK_MODULE ? lockElement(redis, style) : [`${SCHEDULE_MODULE}.forRoot()`],
  );
  const names = missing.flatMap((name) => {
    const from = name === LOCK_MODULE ? 'nestjs-distributed-lock' : '@nestjs/schedule';
    return importName(name, from, statements, style);
  });
  // Both names go behind the same statement: one change, or they would come in the wrong order.
  const [first, ...rest] = names;
  const merged = first ? [{ ...first, text: first.text + rest.map(({ text }) => text).join('') }] : [];
  return applyChanges(source, [...merged, ...addImports(tokens, module, elements, style)]);
}

/** The same in any project, so that it can also be shown to whoever has to write it by hand. */
export function lockElement(
  redis: string,
  { quote, lastComma }: { readonly quote: string; readonly lastComma: string },
): ElementLines {
  return [
    `${LOCK_MODULE}.forRoot({`,
    `\tredis: process.env.REDIS_URL ?? ${quote}${redis}${quote}${lastComma}`,
    '})',
  ];
}
