import type { Expression, Statement } from 'luaparse';

declare module 'luaparse/lib/ast.js' {
  interface Base<TType extends string> {
    range?: [number, number];
  }
  interface CallExpression {
    /** In parentheses, which leave its first value only. */
    isSingle?: boolean;
  }
}

/** A problem in a Lua source; `line` counts from 1. */
export interface Problem {
  readonly line: number;
  readonly message: string;
}

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
  /** The function's name. */
  readonly name: string;
  /** The file in `lua/parts/` that it stands in, and the line that it begins on. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
  /** Whether it is embedded on its own, too: for scripts of users. */
  readonly isPublic: boolean;
  readonly description: string[];
  /** The parts that it calls. */
  readonly needs: ReadonlySet<string>;
  /** What it is compiled from. */
  readonly body: readonly Statement[];
}

/** A piece of a script: text of its own, or a part by its name. */
export type Piece = { readonly own: string } | { readonly part: string };

export interface Script {
  readonly name: string;
  readonly header: Header;
  /** What its text is put together from, with a line end between two pieces. */
  readonly pieces: readonly Piece[];
  readonly text: string;
  readonly sha1: string;
  /** Without its parts: what it is compiled from. */
  readonly body: readonly Statement[];
}
