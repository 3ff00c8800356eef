/** @typedef {{ info: string, content: string }} Fence */
/** @typedef {(tokens: Fence[], index: number, ...rest: unknown[]) => string} FenceRule */

/**
 * A plugin of markdown-it: a code block of Mermaid becomes a diagram, which the page draws in the colours of its theme.
 * @param {{ renderer: { rules: Record<string, FenceRule | undefined> } }} markdown
 */
export function diagrams(markdown) {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules['fence'] = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid')
      return `<MermaidDiagram source="${encodeURIComponent(token.content)}" />`;
    return fence?.(tokens, index, ...rest) ?? '';
  };
}
