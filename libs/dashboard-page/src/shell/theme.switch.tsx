import { useState } from 'preact/hooks';
import { chooseTheme, readTheme, THEMES, type Theme } from './theme.js';

const ICONS: Readonly<Record<Theme, string>> = {
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11zM8 2.5a5.5 5.5 0 0 1 0 11',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM8 1v1.6M8 13.4V15M1 8h1.6M13.4 8H15M3 3l1.2 1.2M11.8 11.8 13 13M3 13l1.2-1.2M11.8 4.2 13 3',
  dark: 'M13 9.6A5.5 5.5 0 0 1 6.4 3 5.5 5.5 0 1 0 13 9.6z',
};

const TITLES: Readonly<Record<Theme, string>> = {
  auto: 'Theme of the system',
  light: 'Light theme',
  dark: 'Dark theme',
};

export function ThemeSwitch() {
  const [chosen, setChosen] = useState(readTheme);
  return (
    <div class="segments" role="group" aria-label="Theme">
      {THEMES.map((theme) => (
        <button
          key={theme}
          type="button"
          aria-pressed={theme === chosen}
          aria-label={TITLES[theme]}
          title={TITLES[theme]}
          onClick={() => {
            chooseTheme(theme);
            setChosen(theme);
          }}
        >
          <svg class={`icon${theme === 'auto' ? ' half' : ''}`} viewBox="0 0 16 16" aria-hidden="true">
            <path d={ICONS[theme]} />
          </svg>
        </button>
      ))}
    </div>
  );
}
