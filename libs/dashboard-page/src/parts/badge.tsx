import type { ComponentChildren } from 'preact';
import type { Tone } from '../jobs/outcomes.js';

interface BadgeProps {
  readonly tone: Tone;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

/** A state in a few words. */
export function Badge({ tone, title, children }: BadgeProps) {
  return (
    <span class={`badge tone-${tone}`} title={title}>
      {children}
    </span>
  );
}
