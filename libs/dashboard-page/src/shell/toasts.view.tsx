import { useBoard } from '../board.js';
import type { Toast } from '../actions/toast.list.js';
import { visibleText } from '../format/visible.text.js';
import { useStore } from '../store.js';

/** The answers of actions. Both regions are always there: a screen reader follows only those that it knows. */
export function ToastsView() {
  const { toasts } = useBoard();
  const shown = useStore(toasts.shown);
  const rows = (isError: boolean) =>
    shown.flatMap((toast) =>
      toast.isError === isError
        ? [<ToastRow key={toast.id} toast={toast} onClose={() => toasts.remove(toast.id)} />]
        : [],
    );
  return (
    <div class="toasts">
      <div role="alert">{rows(true)}</div>
      <div role="status" aria-live="polite">
        {rows(false)}
      </div>
    </div>
  );
}

function ToastRow({ toast, onClose }: { readonly toast: Toast; readonly onClose: () => void }) {
  return (
    <div class={`toast ${toast.isError ? 'bad' : 'ok'}`}>
      <bdi>{visibleText(toast.message)}</bdi>
      <button type="button" class="close" aria-label="Close this message" onClick={onClose}>
        <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M4 4l8 8M12 4l-8 8" />
        </svg>
      </button>
    </div>
  );
}
