export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'distributed-lock-dashboard.theme';

/** The theme that was chosen in this browser; `auto` where none was, or where storage is not allowed. */
export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((theme) => theme === stored) ?? 'auto';
  } catch {
    return 'auto';
  }
}

/** Shows a theme, and keeps it for the next visit if it can. */
export function chooseTheme(theme: Theme): void {
  applyTheme(theme);
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Without storage a choice lasts as long as the page.
  }
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
}
