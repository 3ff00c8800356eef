import ts from 'typescript';

/** What the bundler makes of a name that several modules have. */
const NUMBERED = /\b(\w+)\$\d+\b/g;

/**
 * Every exported name of a declaration file with the text of its declarations, sorted by name.
 * @param {string} file
 * @returns {string} Markdown
 */
export function listApi(file) {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
    types: ['node'],
    skipLibCheck: true,
    strict: true,
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${file} exports nothing`);
  const entries = checker.getExportsOfModule(module).map((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return { name: symbol.name, text: (target.declarations ?? []).map(printDeclaration).join('\n') };
  });
  return entries
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, text }) => `## ${name}\n\n\`\`\`ts\n${text}\n\`\`\`\n`)
    .join('\n');
}

/**
 * A declaration without comments and private members, in the printer's own layout.
 * @param {ts.Declaration} declaration
 */
function printDeclaration(declaration) {
  const printer = ts.createPrinter({ removeComments: true, newLine: ts.NewLineKind.LineFeed });
  // A variable's declaration is two nodes below the statement that says "const".
  const node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const { transformed } = ts.transform(node, [dropPrivateMembers]);
  const [result = node] = transformed;
  return printer
    .printNode(ts.EmitHint.Unspecified, result, node.getSourceFile())
    .replaceAll(NUMBERED, '$1')
    .replace(/^export /, '')
    .replace(/^(?:default )?declare /, '');
}

/**
 * @param {ts.TransformationContext} context
 * @returns {ts.Transformer<ts.Node>}
 */
function dropPrivateMembers(context) {
  /**
   * @param {ts.Node} node
   * @returns {ts.Node | undefined}
   */
  const visit = (node) => (isPrivate(node) ? undefined : ts.visitEachChild(node, visit, context));
  return (node) => visit(node) ?? node;
}

/** @param {ts.Node} node */
function isPrivate(node) {
  if (!ts.isClassElement(node)) return false;
  const hidden = ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private;
  return hidden !== 0 || (node.name !== undefined && ts.isPrivateIdentifier(node.name));
}
