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

/** A button that stays focused while its action is pending: a disabled one would lose the focus. */
export function ActionButton({ of, label, isPending, isDangerous, icon, onPress }: ActionButtonProps) {
  return (
    <button
      type="button"
      class={`button${isDangerous === true ? ' danger' : ''}`}
      aria-label={`${label}: ${of}`}
      aria-disabled={isPending}
      onClick={() => {
        if (!isPending) onPress();
      }}
    >
      {icon}
      {label}
    </button>
  );
}
