/** @typedef {import('./lua.types.js').Declaration} Declaration */
/** @typedef {import('./lua.types.js').Header} Header */
/** @typedef {import('./lua.types.js').Problem} Problem */

const COMMENT = /^--(?: (.*))?$/;
const TAG = /^@(\S*)\s*(.*)$/;
const NAMED = /^([A-Za-z_][A-Za-z0-9_]*)\s+(\S.*)$/;
const PATTERN = /^(\S+)\s+(\S.*)$/;
const NAMED_TAGS = /** @type {const} */ (['key', 'arg', 'shared', 'keys', 'args', 'reply']);
const REPEAT = /^(safe|unsafe): \S/;

/**
 * Reads the leading comment block of a script: its description and its declarations.
 * @param {string} source
 * @returns {{ header: Header, problems: Problem[] }}
 */
export function parseHeader(source) {
  const draft = {
    description: /** @type {string[]} */ ([]),
    key: /** @type {Declaration[]} */ ([]),
    arg: /** @type {Declaration[]} */ ([]),
    shared: /** @type {Declaration[]} */ ([]),
    keys: /** @type {Declaration[]} */ ([]),
    args: /** @type {Declaration[]} */ ([]),
    reply: /** @type {Declaration[]} */ ([]),
    derived: /** @type {Declaration[]} */ ([]),
    include: /** @type {import('./lua.types.js').Include[]} */ ([]),
    batch: /** @type {string[]} */ ([]),
    repeat: /** @type {string[]} */ ([]),
  };
  /** @type {Problem[]} */
  const problems = [];
  for (const [index, text] of source.split('\n').entries()) {
    const comment = COMMENT.exec(text.trimEnd());
    if (!comment) break;
    const content = (comment[1] ?? '').trim();
    const [, tag, rest = ''] = TAG.exec(content) ?? [];
    const line = index + 1;
    const named = NAMED_TAGS.find((known) => known === tag);
    /** @param {string} message */
    const refuse = (message) => problems.push({ line, message });
    if (tag === undefined) {
      if (content) draft.description.push(content);
    } else if (named) {
      const [, name, description] = NAMED.exec(rest) ?? [];
      if (name === undefined || description === undefined) refuse(`@${named} needs a name and a description`);
      else draft[named].push({ name, description, line });
    } else if (tag === 'derived') {
      const [, name, description] = PATTERN.exec(rest) ?? [];
      if (name === undefined || description === undefined)
        refuse('@derived needs a pattern and a description');
      else draft.derived.push({ name, description, line });
    } else if (tag === 'include') {
      if (!rest) refuse('@include names parts of lua/parts/');
      else draft.include.push(...rest.split(/\s+/).map((name) => ({ name, line })));
    } else if (tag === 'batch' || tag === 'repeat') {
      if (draft[tag].length > 0) refuse(`@${tag} is declared twice`);
      draft[tag].push(rest);
      if (tag === 'repeat' && !REPEAT.test(rest)) refuse('@repeat says "safe: why" or "unsafe: why"');
    } else {
      refuse(`unknown declaration @${tag}`);
    }
  }
  const header = {
    description: draft.description,
    keys: draft.key,
    args: draft.arg,
    shared: draft.shared,
    otherKeys: draft.keys,
    otherArgs: draft.args,
    replies: draft.reply,
    derived: draft.derived,
    includes: draft.include,
    batch: draft.batch.length > 0,
    repeat: draft.repeat[0] ?? '',
  };
  return { header, problems: [...problems, ...checkWhole(header, draft.repeat.length)] };
}

/**
 * @param {Header} header
 * @param {number} repeats
 * @returns {Problem[]}
 */
function checkWhole(header, repeats) {
  /** @type {Problem[]} */
  const problems = [];
  /** @param {string} message @param {number} [line] */
  const refuse = (message, line = 1) => problems.push({ line, message });
  if (header.description.length === 0) refuse('the header does not say what the script does');
  if (header.replies.length === 0) refuse('@reply is missing: declare every row that the script answers');
  if (repeats === 0) refuse('@repeat is missing: say whether the script may be sent again, and why');
  if (header.shared.length > 0 && !header.batch) {
    refuse('@shared is for scripts with @batch; declare an @arg', header.shared[0]?.line);
  }
  if (header.batch && header.keys.length === 0)
    refuse('@batch needs a @key: the operations are counted by their keys');
  const others = [...header.otherKeys, ...header.otherArgs];
  if (header.batch && others.length > 0)
    refuse('@keys and @args are for scripts without @batch', others[0]?.line);
  for (const [tag, list] of Object.entries({ keys: header.otherKeys, args: header.otherArgs }))
    if (list.length > 1) refuse(`@${tag} is declared twice`, list[1]?.line);
  const positions = [...header.keys, ...header.shared, ...header.args, ...others];
  for (const group of [positions, header.replies, header.derived]) {
    const seen = new Set();
    for (const { name, line } of group) {
      if (seen.has(name)) refuse(`"${name}" is declared twice`, line);
      seen.add(name);
    }
  }
  return problems;
}
