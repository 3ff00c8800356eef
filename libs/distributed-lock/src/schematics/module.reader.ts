import type ts from 'typescript';
import { NotUnderstood, type ParsedSource } from './parsed.source.js';

/** What was found of a class with `@Module({ … })`. */
export interface DecoratedModule {
  /** The decorator's argument. */
  readonly metadata: ts.ObjectLiteralExpression;
  /** The array of its `imports`, or null where it has none. */
  readonly imports: ts.ArrayLiteralExpression | null;
}

/**
 * Finds the module to wire.
 * @param wanted the class that the application is made of, where that is known
 * @throws NotUnderstood where it is written in a way that this program does not know
 */
export function readModule({ ts, file }: ParsedSource, wanted: string | undefined): DecoratedModule {
  const all = file.statements.filter(ts.isClassDeclaration).flatMap((declaration) => {
    const calls = (ts.getDecorators(declaration) ?? []).map(({ expression }) => expression);
    const call = calls
      .filter(ts.isCallExpression)
      .find(({ expression }) => isNamed(ts, expression, 'Module'));
    return call === undefined ? [] : [{ className: declaration.name?.text, call }];
  });
  const found = all.find(({ className }) => className === wanted) ?? (all.length === 1 ? all[0] : undefined);
  if (found === undefined) {
    throw new NotUnderstood(
      all.length === 0 ? 'it has no class with @Module({ … })' : 'it has several classes with @Module({ … })',
    );
  }
  const [metadata, ...more] = found.call.arguments;
  if (metadata === undefined || !ts.isObjectLiteralExpression(metadata) || more.length > 0)
    throw new NotUnderstood('the argument of @Module() is not an object literal');
  return { metadata, imports: readImports(ts, metadata) };
}

function readImports(
  ts: ParsedSource['ts'],
  { properties }: ts.ObjectLiteralExpression,
): ts.ArrayLiteralExpression | null {
  const [found, ...more] = properties.filter(
    ({ name }) => name !== undefined && isNamed(ts, name, 'imports'),
  );
  if (more.length > 0) throw new NotUnderstood('it has two imports properties');
  if (found === undefined) {
    if (properties.some(ts.isSpreadAssignment))
      throw new NotUnderstood('its imports may come from a spread object');
    return null;
  }
  if (!ts.isPropertyAssignment(found) || !ts.isArrayLiteralExpression(found.initializer))
    throw new NotUnderstood('its imports are not an array literal');
  return found.initializer;
}

function isNamed(ts: ParsedSource['ts'], node: ts.Node, name: string): boolean {
  return (ts.isIdentifier(node) || ts.isStringLiteral(node)) && node.text === name;
}
