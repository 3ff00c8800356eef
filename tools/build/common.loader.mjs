/** @typedef {{ fileName: string, text: string }} File */

const IMPORT = /^import \{ (.+) \} from "((?:\.\.\/)+cjs\/(\w+))\.js";$/gm;
const WHY = `// For ES modules. Node searches a CommonJS file that one of them imports for the names that it exports, which takes longer than to
// run it. This file names none.
`;

/**
 * The file by which ES modules load a file of CommonJS.
 * @param {string} name
 * @returns {File}
 */
export function loaderOf(name) {
  return { fileName: `cjs/${name}.load.js`, text: `${WHY}module.exports = () => require("./${name}.js");\n` };
}

/**
 * @param {File} file an ES module, which imports files of CommonJS
 * @returns {File} the same, which loads them
 */
export function loadCommon({ fileName, text }) {
  const loading = text.replaceAll(
    IMPORT,
    (_line, names, path, name) =>
      `import $${name} from "${path}.load.js";\nconst { ${names.replaceAll(' as ', ': ')} } = $${name}();`,
  );
  if (/from "[./]*cjs\/\w+\.js"/.test(loading))
    throw new Error(`${fileName} imports CommonJS in another way`);
  return { fileName, text: loading };
}
