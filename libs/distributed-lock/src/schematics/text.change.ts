/** A text to put into a source in place of what stands between two positions. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Makes all changes at once; they must not overlap. */
export function applyChanges(source: string, changes: readonly TextChange[]): string {
  return changes
    .toSorted((a, b) => b.start - a.start)
    .reduce(
      (text, { start, end, text: inserted }) => text.slice(0, start) + inserted + text.slice(end),
      source,
    );
}
