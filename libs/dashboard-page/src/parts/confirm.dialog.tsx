import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { typedWordOf } from '../format/visible.text.js';

interface ConfirmDialogProps {
  readonly title: string;
  /** The name that has to be typed. */
  readonly name: string;
  readonly label: string;
  /** What the action does. */
  readonly children: ComponentChildren;
  readonly onConfirm: () => void;
  /** It is closed, confirmed or not; the focus is where it was. */
  readonly onClosed: () => void;
}

/** Asks for the name of what will be lost, so that no row is mistaken for another. */
export function ConfirmDialog({ title, name, label, children, onConfirm, onClosed }: ConfirmDialogProps) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const { word, isWhole } = typedWordOf(name);
  const isConfirmed = typed.trim() === word || typed === name;
  useLayoutEffect(() => {
    dialog.current?.showModal();
    input.current?.focus();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={`${id}-title`} onClose={onClosed}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!isConfirmed) {
            input.current?.focus();
            return;
          }
          dialog.current?.close();
          onConfirm();
        }}
      >
        <h2 id={`${id}-title`}>{title}</h2>
        {children}
        <label for={`${id}-word`}>
          {isWhole ? 'To confirm, type the name:' : 'To confirm, type how the name begins:'}{' '}
          <bdi class="word mono">{word}</bdi>
        </label>
        <input
          ref={input}
          id={`${id}-word`}
          class="field mono"
          type="text"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <div class="dialog-actions">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="submit" class="button danger" aria-disabled={!isConfirmed}>
            {label}
          </button>
        </div>
      </form>
    </dialog>
  );
}
