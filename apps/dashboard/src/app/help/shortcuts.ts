/** Keys that a page listens to, in the order of the help. */
export interface Shortcut {
  readonly keys: readonly string[];
  readonly what: string;
}

export interface ShortcutGroup {
  readonly where: string;
  readonly shortcuts: readonly Shortcut[];
}

export const SHORTCUT_GROUPS: readonly ShortcutGroup[] = [
  {
    where: $localize`Everywhere`,
    shortcuts: [
      { keys: ['Ctrl', 'K'], what: $localize`Search for tasks, models and people` },
      { keys: ['Esc'], what: $localize`Close what floats above the page` },
    ],
  },
  {
    where: $localize`Tabs of a task`,
    shortcuts: [{ keys: ['←', '→'], what: $localize`Go to the next tab, then Enter opens it` }],
  },
];
