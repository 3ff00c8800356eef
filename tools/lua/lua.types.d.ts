/** A problem in a Lua source; `line` counts from 1. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}

export interface Token {
  readonly type: 'name' | 'keyword' | 'number' | 'string' | 'symbol' | 'end';
  /** The token as written; a string keeps its quotes. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
}

export type Expression =
  | { readonly type: 'name'; readonly name: string; readonly line: number }
  | { readonly type: 'number'; readonly value: number; readonly line: number }
  | {
      readonly type: 'string';
      /** Between the quotes, with its escapes as written. */
      readonly value: string;
      /** With the quotes; none where a name stands for the string. */
      readonly token?: string;
      readonly line: number;
    }
  | { readonly type: 'constant'; readonly text: string; readonly line: number }
  | { readonly type: 'unary'; readonly operator: string; readonly operand: Expression; readonly line: number }
  | {
      readonly type: 'binary';
      readonly operator: string;
      readonly left: Expression;
      readonly right: Expression;
      readonly line: number;
    }
  | { readonly type: 'index'; readonly object: Expression; readonly key: Expression; readonly line: number }
  | {
      readonly type: 'call';
      readonly callee: Expression;
      readonly args: Expression[];
      /** Written with a colon. */
      readonly isMethod?: boolean;
      /** In parentheses, which leave its first value only. */
      readonly isSingle?: boolean;
      readonly line: number;
    }
  | { readonly type: 'table'; readonly fields: Field[]; readonly line: number }
  | FunctionExpression;

/** One field of a table; without a key it has the next number. */
export interface Field {
  readonly key: Expression | null;
  readonly value: Expression;
}

export interface FunctionExpression {
  readonly type: 'function';
  readonly params: string[];
  /** Whether it takes more, as `...`. */
  readonly hasRest: boolean;
  readonly body: Statement[];
  readonly line: number;
}

export type Statement =
  | { readonly type: 'local'; readonly names: string[]; readonly values: Expression[]; readonly line: number }
  | {
      readonly type: 'localFunction';
      readonly name: string;
      readonly value: FunctionExpression;
      readonly line: number;
    }
  | {
      readonly type: 'assign';
      readonly targets: Expression[];
      readonly values: Expression[];
      readonly line: number;
    }
  | { readonly type: 'expression'; readonly value: Expression; readonly line: number }
  | { readonly type: 'break'; readonly line: number }
  | { readonly type: 'return'; readonly values: Expression[]; readonly line: number }
  | { readonly type: 'block'; readonly body: Statement[]; readonly line: number }
  | {
      readonly type: 'while';
      readonly condition: Expression;
      readonly body: Statement[];
      readonly line: number;
    }
  | {
      readonly type: 'repeat';
      readonly condition: Expression;
      readonly body: Statement[];
      readonly line: number;
    }
  | {
      readonly type: 'if';
      readonly branches: { readonly condition: Expression | null; readonly body: Statement[] }[];
      readonly line: number;
    }
  | {
      readonly type: 'numericFor';
      readonly name: string;
      readonly first: Expression;
      readonly limit: Expression;
      readonly step: Expression | null;
      readonly body: Statement[];
      readonly line: number;
    }
  | {
      readonly type: 'genericFor';
      readonly names: string[];
      readonly values: Expression[];
      readonly body: Statement[];
      readonly line: number;
    };

/** One declared position of KEYS or ARGV. */
export interface Declaration {
  readonly name: string;
  readonly description: string;
  readonly line: number;
}

/** A part that a script is built with. */
export interface Include {
  readonly name: string;
  readonly line: number;
}

export interface Header {
  readonly description: string[];
  readonly keys: Declaration[];
  readonly args: Declaration[];
  readonly shared: Declaration[];
  /** What stands behind the declared positions of KEYS, in any number; one declaration or none. */
  readonly otherKeys: Declaration[];
  readonly otherArgs: Declaration[];
  readonly replies: Declaration[];
  /** Keys that the script computes: `name` is their pattern. */
  readonly derived: Declaration[];
  readonly includes: Include[];
  readonly batch: boolean;
  readonly repeat: string;
}

/** What a name stands for at a place in the body. */
export interface Binding {
  /** The initial value of a local, where it has one of its own. */
  readonly value?: Expression;
  /** The first value and the step of a loop variable. */
  readonly loop?: { readonly first: Expression; readonly step: Expression | null };
  /** Whether it is a part's function. */
  readonly part?: boolean;
  /** The scope in which that value is to be read. */
  readonly scope: Scope;
}

export interface Scope {
  readonly parent: Scope | null;
  readonly names: Map<string, Binding>;
}

/** One local function that scripts share. */
export interface Part {
  /** The function's name; `hold-keys.lua` has `holdKeys`. */
  readonly name: string;
  readonly text: string;
  /** Whether it is embedded on its own, too: for scripts of users. */
  readonly isPublic: boolean;
  readonly description: string[];
  /** The parts that it calls. */
  readonly needs: ReadonlySet<string>;
  /** What it is compiled from. */
  readonly body: readonly Statement[];
}

export interface Script {
  readonly name: string;
  readonly header: Header;
  readonly text: string;
  readonly sha1: string;
  /** Without its parts: what it is compiled from. */
  readonly body: readonly Statement[];
}
