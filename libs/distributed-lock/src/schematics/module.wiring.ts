import { importName } from './import.writer.js';
import { addImports, type ElementLines } from './imports.writer.js';
import { readImportStatements } from './import.reader.js';
import { readModule } from './module.reader.js';
import { nodesOf, NotUnderstood, requireSyntax, type ParsedSource } from './parsed.source.js';
import { readStyle } from './source.style.js';
import { applyChanges } from './text.change.js';

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
export function wireModule(parsed: ParsedSource, wiring: Wiring): WiringResult {
  try {
    return { source: change(parsed, wiring) };
  } catch (error) {
    if (error instanceof NotUnderstood) return { reason: error.message };
    throw error;
  }
}

function change(parsed: ParsedSource, { redis, schedule, className }: Wiring): string {
  requireSyntax(parsed);
  const { ts, file } = parsed;
  const source = file.text;
  const module = readModule(parsed, className);
  const statements = readImportStatements(parsed);
  const style = readStyle(source, statements);
  const names = module.imports === null ? [] : nodesOf(ts, module.imports).filter(ts.isIdentifier);
  const wired = new Set(names.map(({ text }) => text));
  const missing = [
    ...(schedule && !wired.has(SCHEDULE_MODULE) ? [SCHEDULE_MODULE] : []),
    ...(wired.has(LOCK_MODULE) ? [] : [LOCK_MODULE]),
  ];
  if (missing.length === 0) return source;
  const elements = missing.map((name) =>
    name === LOCK_MODULE ? lockElement(redis, style) : [`${SCHEDULE_MODULE}.forRoot()`],
  );
  const imported = missing.flatMap((name) => {
    const from = name === LOCK_MODULE ? 'nestjs-distributed-lock' : '@nestjs/schedule';
    return importName(name, from, statements, style);
  });
  // Both names go behind the same statement: one change, or they would come in the wrong order.
  const [first, ...rest] = imported;
  const merged = first ? [{ ...first, text: first.text + rest.map(({ text }) => text).join('') }] : [];
  return applyChanges(source, [...merged, addImports(file, module, elements, style)]);
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
