import { NameText } from './name.text.js';

interface NameListProps {
  readonly names: readonly string[];
  /** Those beyond it are behind a button. */
  readonly shown?: number;
}

/** Instances and the like, one a line. */
export function NameList({ names, shown = 3 }: NameListProps) {
  const rest = names.slice(shown);
  return (
    <>
      <ul class="plain">
        {names.slice(0, shown).map((name) => (
          <li key={name}>
            <NameText value={name} />
          </li>
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details class="more">
          <summary>{rest.length} more</summary>
          <ul class="plain">
            {rest.map((name) => (
              <li key={name}>
                <NameText value={name} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}
