import { expect } from 'vitest';
import ts from 'typescript';
import { wireModule, type Wiring } from '../../libs/distributed-lock/src/schematics/module.wiring.js';
import { parseSource } from '../../libs/distributed-lock/src/schematics/parsed.source.js';

/** How the Nest CLI begins a module. */
export const HEAD = `import { Module } from '@nestjs/common';
import { AppController } from './app.controller';
import { AppService } from './app.service';

`;

function run(source: string, wiring: Partial<Wiring>) {
  const redis = 'redis://localhost:6379';
  return wireModule(parseSource(ts, 'app.module.ts', source), {
    redis,
    schedule: false,
    className: undefined,
    ...wiring,
  });
}

/** The changed source; throws where it is refused. */
export function wire(source: string, wiring: Partial<Wiring> = {}): string {
  const result = run(source, wiring);
  if ('reason' in result) throw new Error(result.reason);
  return result.source;
}

/** Why it is refused. */
export function refusal(source: string, wiring: Partial<Wiring> = {}): string {
  const result = run(source, wiring);
  return 'reason' in result ? result.reason : `changed to\n${result.source}`;
}

/** The elements of `imports`, as the compiler reads them; throws where the source is no TypeScript. */
export function importsOf(source: string): string[] {
  const { diagnostics = [] } = ts.transpileModule(source, {
    reportDiagnostics: true,
    compilerOptions: { experimentalDecorators: true, target: ts.ScriptTarget.ES2022 },
  });
  expect(diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual(
    [],
  );
  const file = ts.createSourceFile('app.module.ts', source, ts.ScriptTarget.ES2022, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && /^['"]?imports['"]?$/.test(node.name.getText())) {
      if (ts.isArrayLiteralExpression(node.initializer))
        found.push(...node.initializer.elements.map((element) => element.getText().split(/[.(]/)[0] ?? ''));
    } else ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
