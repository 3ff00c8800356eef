const WARNING = String.raw`^\[Cron\] Missed execution deadline by `;

/** Whether a line is cron's own warning of a late event loop: on a busy machine, of a few ms. */
export function isCronWarning(line: string): boolean {
  return new RegExp(WARNING).test(line);
}

/** What a process printed, without the lines of that warning, and the white space behind them. */
export function withoutCronWarnings(text: string): string {
  return text.replaceAll(new RegExp(`${WARNING}.*\\s*`, 'gm'), '');
}
