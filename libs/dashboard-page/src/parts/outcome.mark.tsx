import { styleOf } from '../jobs/outcomes.js';

interface OutcomeProps {
  readonly outcome: string;
}

const HEIGHT = 12;

/** The mark of an outcome as it is in a strip. */
export function OutcomeMark({ outcome }: OutcomeProps) {
  const { tone, bars } = styleOf(outcome);
  return (
    <svg class="mark" aria-hidden="true" width={3} height={HEIGHT} viewBox={`0 0 3 ${HEIGHT}`}>
      {bars.map(([top, height]) => (
        <rect
          key={top}
          class={`fill-${tone}`}
          y={top * HEIGHT}
          width={3}
          height={Math.max(1.5, height * HEIGHT)}
        />
      ))}
    </svg>
  );
}

/** The mark and the word. */
export function OutcomeText({ outcome }: OutcomeProps) {
  const { label, tone } = styleOf(outcome);
  return (
    <span class={`outcome text-${tone}`}>
      <OutcomeMark outcome={outcome} />
      {label}
    </span>
  );
}
