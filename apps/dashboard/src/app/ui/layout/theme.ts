import { computed, Injectable, signal } from '@angular/core';

export type ThemeChoice = 'system' | 'light' | 'dark';

const STORED = 'theme';

/** The colour theme: light, dark, or that of the system. Stored in this browser. */
@Injectable({ providedIn: 'root' })
export class Theme {
  private readonly system = matchMedia('(prefers-color-scheme: dark)');
  private readonly systemIsDark = signal(this.system.matches);
  private readonly chosen = signal<ThemeChoice>(stored());

  readonly choice = this.chosen.asReadonly();
  /** The theme that is currently shown. */
  readonly shown = computed(() => {
    const choice = this.chosen();
    if (choice !== 'system') return choice;
    return this.systemIsDark() ? 'dark' : 'light';
  });

  constructor() {
    this.system.addEventListener('change', ({ matches }) => this.systemIsDark.set(matches));
  }

  choose(choice: ThemeChoice): void {
    this.chosen.set(choice);
    if (choice === 'system') {
      delete document.documentElement.dataset['theme'];
      localStorage.removeItem(STORED);
    } else {
      document.documentElement.dataset['theme'] = choice;
      localStorage.setItem(STORED, choice);
    }
  }
}

function stored(): ThemeChoice {
  const theme = document.documentElement.dataset['theme'];
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}
