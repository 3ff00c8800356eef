/** How many days each month has, at most. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Whether none of the months of a cron expression has one of its days, as with 30 February: it never fires. cron itself finds that only by a
 * search through all days of eight years, which takes 10 to 50 ms.
 * @param expression as it was written: cron shows some lists of weekdays as all of them
 * @param fields as cron shows an expression: day of the month, month and weekday come last, each a list of numbers, or `*`. False for anything else
 */
export function isImpossibleDate(expression: string, fields: readonly string[]): boolean {
  const [days = '*', months = '*'] = fields.length < 3 ? [] : fields.slice(-3);
  const weekdays = expression.trim().split(/\s+/).at(-1);
  // Where both are limited, cron takes a day that is either of them.
  if (days === '*' || weekdays !== '*') return false;
  const earliest = Math.min(...days.split(',').map(Number));
  const lengths = months === '*' ? DAYS : months.split(',').map((month) => DAYS[Number(month) - 1] ?? 31);
  return earliest > Math.max(...lengths);
}
