/** The command that runs a script. */
export type ScriptCommand = 'evalsha' | 'eval';

/** The words of a script's command in the order of Redis: its SHA-1 or its text, the number of its keys, the keys, and its arguments. */
export type ScriptWords = string[];

/** A client that scripts can be sent on. */
export interface ScriptPort {
  evalsha(sha1: string, numberOfKeys: number, ...rest: string[]): Promise<unknown>;
  eval(text: string, numberOfKeys: number, ...rest: string[]): Promise<unknown>;
}

/** Sends a script, in the fastest way that its client has. Never throws: it rejects. */
export type SendScript = (client: ScriptPort, how: ScriptCommand, words: ScriptWords) => Promise<unknown>;
