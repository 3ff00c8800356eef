import { OutcomeText } from '../parts/outcome.mark.js';
import { OUTCOMES } from './outcomes.js';

/** What the marks of a strip mean. */
export function OutcomeLegend() {
  return (
    <ul class="legend" aria-label="Marks of ticks">
      {OUTCOMES.map((outcome) => (
        <li key={outcome}>
          <OutcomeText outcome={outcome} />
        </li>
      ))}
      <li class="muted">
        The line below the marks: how long each run took. Its top is the longest run of the row.
      </li>
    </ul>
  );
}
