/** What an error says, whatever was thrown: also what cannot be made a text. Never throws. */
export function errorText(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'an error that cannot be printed';
  }
}
