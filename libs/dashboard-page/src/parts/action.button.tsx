import type { ComponentChildren } from 'preact';

interface ActionButtonProps {
  /** What it acts on: part of the accessible name, for there is one such button in each row. */
  readonly of: string;
  readonly label: string;
  readonly isPending: boolean;
  readonly isDangerous?: boolean;
  readonly icon?: ComponentChildren;
  readonly onPress: () => void;
}

/**
 * A button that stays focused while its action is pending: a disabled one would lose the focus. The second click of a double-click does
 * nothing: by then the button may offer the opposite, such as "Resume" in the place of "Pause".
 */
export function ActionButton({ of, label, isPending, isDangerous, icon, onPress }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={`button${isDangerous === true ? ' danger' : ''}`}
      aria-label={`${label}: ${of}`}
      aria-disabled={isPending}
      onClick={({ detail }) => {
        if (!isPending && detail <= 1) onPress();
      }}
    >
      {icon}
      {label}
    </button>
  );
}
