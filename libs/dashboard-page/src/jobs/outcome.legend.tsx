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
      <li class="muted">The line below: how long each run took, by the longest one.</li>
    </ul>
  );
}
