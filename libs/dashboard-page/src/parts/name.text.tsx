import { piecesOf, visibleText } from '../format/visible.text.js';

interface NameTextProps {
  readonly value: string;
  /** Of an id, which is compared letter by letter. */
  readonly isMono?: boolean;
  /** Shown whole; otherwise cut after two lines. */
  readonly isWhole?: boolean;
  /** Instead of the name itself. */
  readonly title?: string;
}

/** A name that may have any characters: isolated from the text around it, each character of it visible, the whole of it in its title. */
export function NameText({
  value,
  isMono = false,
  isWhole = false,
  title = visibleText(value),
}: NameTextProps) {
  const pieces = piecesOf(value);
  return (
    <bdi class={`name${isMono ? ' mono' : ''}${isWhole ? '' : ' clamp'}`} title={title}>
      {value === '' ? <i class="muted">(empty)</i> : null}
      {pieces.map(({ text, isEscape }) => (isEscape ? <span class="escape">{text}</span> : text))}
    </bdi>
  );
}
