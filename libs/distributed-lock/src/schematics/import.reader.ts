import type ts from 'typescript';
import type { ParsedSource } from './parsed.source.js';

/** A name of an import statement. */
export interface ImportedName {
  /** In this file. */
  readonly local: string;
  /** In the package: the same for `{ Name }`, and empty for a default or a namespace. */
  readonly original: string;
  readonly isType: boolean;
}

/** One `import … from '…'`. */
export interface ImportStatement {
  readonly from: string;
  readonly names: readonly ImportedName[];
  /** The position behind its last character. */
  readonly end: number;
  /** As the file writes them. */
  readonly quote: string;
  readonly semicolon: boolean;
}

/** The import statements of a file, in their order; `import()` and `import x = require()` are none. */
export function readImportStatements({ ts, file }: ParsedSource): ImportStatement[] {
  return file.statements.filter(ts.isImportDeclaration).map(({ importClause, moduleSpecifier, end }) => ({
    from: ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : '',
    names: importClause === undefined ? [] : namesOf(ts, importClause),
    end,
    quote: file.text.charAt(moduleSpecifier.getStart(file)),
    semicolon: file.text.charAt(end - 1) === ';',
  }));
}

function namesOf(
  ts: ParsedSource['ts'],
  { name, namedBindings, isTypeOnly }: ts.ImportClause,
): ImportedName[] {
  const whole = (local: ts.Identifier) => ({ local: local.text, original: '', isType: isTypeOnly });
  const named =
    namedBindings === undefined || ts.isNamespaceImport(namedBindings) ? [] : namedBindings.elements;
  return [
    ...(name === undefined ? [] : [whole(name)]),
    ...(namedBindings !== undefined && ts.isNamespaceImport(namedBindings)
      ? [whole(namedBindings.name)]
      : []),
    ...named.map((one) => ({
      local: one.name.text,
      original: (one.propertyName ?? one.name).text,
      isType: isTypeOnly || one.isTypeOnly,
    })),
  ];
}
