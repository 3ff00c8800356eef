import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const LIBRARY = fileURLToPath(new URL('../../libs/distributed-lock/src/', import.meta.url));

/** The files that the package exports. */
const ENTRIES = [
  'index.ts',
  ...['dashboard', 'health', 'metrics', 'tracing', 'testing'].map((path) => `${path}/index.ts`),
];

/** Types that can have properties of ours. */
const OBJECTS = ts.TypeFlags.Object | ts.TypeFlags.Intersection;

/** A parameter, or a group in its object, through which a caller gives options by name. */
export interface OptionDoor {
  /** `Lockable.lock(options)`, or `DistributedLockModule.forRoot(options).waitTime` for a group. */
  readonly door: string;
  /** The names that the type has. */
  readonly names: readonly string[];
}

/** The public API, as the compiler sees it. */
export class PublicApi {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor() {
    this.#program = ts.createProgram(
      ENTRIES.map((entry) => LIBRARY + entry),
      {
        module: ts.ModuleKind.NodeNext,
        target: ts.ScriptTarget.ES2023,
        lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
        types: ['node'],
        skipLibCheck: true,
        strict: true,
        exactOptionalPropertyTypes: true,
        experimentalDecorators: true,
      },
    );
    this.#checker = this.#program.getTypeChecker();
  }

  /** Every parameter of every exported function, class and interface that takes an object of options, and its groups. */
  optionDoors(): OptionDoor[] {
    const doors = this.#signatures().flatMap(({ name, signature }) =>
      signature.parameters.flatMap((parameter) => {
        const type = this.#checker.getTypeOfSymbol(parameter);
        return this.#groups(`${name}(${parameter.name})`, type);
      }),
    );
    return doors.toSorted((a, b) => (a.door < b.door ? -1 : 1));
  }

  /**
   * Everything by which a caller gives the library a function to call: a parameter, an option, and what a decorator decorates
   * (`@DistributedLock`).
   */
  functionDoors(): string[] {
    const doors = this.#signatures().flatMap(({ name, signature }) => [
      ...signature.parameters.flatMap((parameter) =>
        this.#functions(`${name}(${parameter.name})`, this.#checker.getTypeOfSymbol(parameter)),
      ),
      ...(isDecorator(signature) ? [`@${name}`] : []),
    ]);
    return [...new Set(doors)].toSorted();
  }

  /** Every time that a caller gives: an option, an option in a group, or a parameter of its own, as `door.option` or `door(parameter)`. */
  times(): string[] {
    const times = this.#signatures().flatMap(({ name, signature }) =>
      signature.parameters.flatMap((parameter) => {
        const type = this.#checker.getTypeOfSymbol(parameter);
        return this.#timesIn(`${name}(${parameter.name})`, parameter, type);
      }),
    );
    return [...new Set(times)].toSorted();
  }

  /** The methods of an exported interface or class with those that it inherits, without what is internal. */
  methodsOf(name: string): string[] {
    const symbol = this.#exports().find((each) => each.name === name);
    if (symbol === undefined) throw new Error(`${name} is not exported`);
    return this.#checker
      .getDeclaredTypeOfSymbol(symbol)
      .getProperties()
      .filter((each) => isMethod(each) && !isInternal(each) && !each.name.startsWith('__'))
      .map((each) => each.name)
      .toSorted();
  }

  #functions(door: string, given: ts.Type): string[] {
    const types = given.isUnion() ? given.types : [given];
    return types.flatMap((type) => {
      if (type.getCallSignatures().length > 0) return [door];
      if ((type.flags & OBJECTS) === 0) return [];
      const properties = type.getProperties();
      // An interface with one method, as `CallHandler` has, is a function by another name.
      const [only, ...more] = properties;
      if (only !== undefined && more.length === 0 && isMethod(only)) return [`${door}.${only.name}`];
      if (!this.#isOptions(type)) return [];
      return properties.flatMap((property) =>
        this.#functions(`${door}.${property.name}`, this.#checker.getTypeOfSymbol(property)),
      );
    });
  }

  #timesIn(path: string, symbol: ts.Symbol, type: ts.Type): string[] {
    const own = this.#isTime(symbol, type) ? [path] : [];
    const types = type.isUnion() ? type.types : [type];
    const inside = types
      .filter((each) => this.#isOptions(each))
      .flatMap((each) => each.getProperties())
      .flatMap((each) => this.#timesIn(`${path}.${each.name}`, each, this.#checker.getTypeOfSymbol(each)));
    return [...own, ...inside];
  }

  /** A `Duration`, or a number whose docstring says that it is in ms. */
  #isTime(symbol: ts.Symbol, type: ts.Type): boolean {
    const types = type.isUnion() ? type.types : [type];
    const isNumber = types.some((each) => (each.flags & ts.TypeFlags.Number) !== 0);
    const isDuration = isNumber && types.some((each) => (each.flags & ts.TypeFlags.TemplateLiteral) !== 0);
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    return isDuration || (isNumber && /\b(?:ms|milliseconds|seconds)\b/.test(text));
  }

  #groups(door: string, given: ts.Type): OptionDoor[] {
    const types = given.isUnion() ? given.types : [given];
    return types
      .filter((type) => this.#isOptions(type))
      .flatMap((type) => {
        const properties = type.getProperties();
        const nested = properties.flatMap((property) =>
          this.#groups(`${door}.${property.name}`, this.#checker.getTypeOfSymbol(property)),
        );
        return [{ door, names: properties.map(({ name }) => name) }, ...nested];
      });
  }

  /** An object of ours with data in it: no function, no list, no class, and nothing that only has methods. */
  #isOptions(type: ts.Type): boolean {
    const isObject = (type.flags & OBJECTS) !== 0;
    if (!isObject || type.isClass() || type.getCallSignatures().length > 0) return false;
    if (this.#checker.isArrayType(type) || this.#checker.isTupleType(type)) return false;
    const properties = type.getProperties();
    const ours = properties.filter((property) => (property.declarations ?? []).some(isOurs));
    return ours.length > 0 && !properties.every(isMethod) && !isClassOf(type);
  }

  #signatures(): { name: string; signature: ts.Signature }[] {
    return this.#exports().flatMap((symbol) => {
      const own = (symbol.declarations ?? []).flatMap((declaration) =>
        this.#checker
          .getTypeOfSymbolAtLocation(symbol, declaration)
          .getCallSignatures()
          .map((signature) => ({ name: symbol.name, signature })),
      );
      const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0;
      const isInterface = (symbol.flags & ts.SymbolFlags.Interface) !== 0;
      if (!isClass && !isInterface) return own;
      const members = [...(symbol.members?.values() ?? [])];
      const statics = isClass ? [...(symbol.exports?.values() ?? [])] : [];
      const makers = isClass ? this.#constructorsOf(symbol) : [];
      return [
        ...makers.map((signature) => ({ name: `new ${symbol.name}`, signature })),
        ...[...members, ...statics]
          .filter((member) => isMethod(member) && !isInternal(member))
          .flatMap((member) =>
            this.#checker
              .getTypeOfSymbol(member)
              .getCallSignatures()
              .map((signature) => ({ name: `${symbol.name}.${member.name}`, signature })),
          ),
      ];
    });
  }

  #constructorsOf(symbol: ts.Symbol): readonly ts.Signature[] {
    return this.#checker
      .getTypeOfSymbol(symbol)
      .getConstructSignatures()
      .filter(({ declaration }) => declaration === undefined || !isHidden(declaration));
  }

  #exports(): ts.Symbol[] {
    return ENTRIES.flatMap((entry) => {
      const source = this.#program.getSourceFile(LIBRARY + entry);
      const module = source && this.#checker.getSymbolAtLocation(source);
      if (!module) throw new Error(`${entry} exports nothing`);
      return this.#checker
        .getExportsOfModule(module)
        .map((symbol) =>
          symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol,
        );
    });
  }
}

/** What it gives is called with what it decorates. */
function isDecorator(signature: ts.Signature): boolean {
  return signature
    .getReturnType()
    .getCallSignatures()
    .some(({ parameters }) => parameters.length > 0);
}

function isOurs(node: ts.Node): boolean {
  return node.getSourceFile().fileName.startsWith(LIBRARY);
}

function isMethod(symbol: ts.Symbol): boolean {
  return (symbol.flags & ts.SymbolFlags.Method) !== 0;
}

function isClassOf(type: ts.Type): boolean {
  const declarations = type.symbol?.declarations ?? [];
  return declarations.some((each) => ts.isClassDeclaration(each));
}

function isInternal(symbol: ts.Symbol): boolean {
  return (symbol.declarations ?? []).some(
    (each) =>
      isHidden(each) ||
      (ts.isClassElement(each) && each.name !== undefined && ts.isPrivateIdentifier(each.name)) ||
      (ts.getCombinedModifierFlags(each) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0,
  );
}

/** Marked `@internal` or `@hidden`. */
function isHidden(node: ts.Node): boolean {
  return ts.getJSDocTags(node).some(({ tagName }) => ['internal', 'hidden'].includes(tagName.text));
}
