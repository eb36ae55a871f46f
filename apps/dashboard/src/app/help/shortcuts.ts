/** A keyboard shortcut, as the help page lists it. */
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
      { keys: ['Ctrl', 'K'], what: $localize`Search for tasks, models, people and actions; outside of fields also /` },
      { keys: ['Esc'], what: $localize`Close what floats above the page` },
    ],
  },
  {
    where: $localize`Leaderboard`,
    shortcuts: [{ keys: ['↑', '↓'], what: $localize`From a button of a row to the same one in the next` }],
  },
  {
    where: $localize`Annotate`,
    shortcuts: [
      { keys: ['Ctrl', 'Enter'], what: $localize`Ask the models; afterwards continue` },
      { keys: ['1', '…', '9'], what: $localize`Choose a label` },
      { keys: ['Esc'], what: $localize`Leave the field, so that single keys work; w goes back to it` },
      { keys: ['N'], what: $localize`Next context` },
      { keys: ['T'], what: $localize`Try again with the same context` },
      { keys: ['C'], what: $localize`Change the example so that its label flips` },
      { keys: ['I'], what: $localize`Which words mattered to the model` },
      { keys: ['R'], what: $localize`Retract the example` },
      { keys: ['S'], what: $localize`Skip the context` },
      { keys: ['F'], what: $localize`Flag the context` },
      { keys: ['?'], what: $localize`All keys of the page, and whether single ones do anything` },
    ],
  },
  {
    where: $localize`Validate`,
    shortcuts: [
      { keys: ['1', '…', '9'], what: $localize`Choose a label; Enter gives it` },
      { keys: ['C'], what: $localize`The author is right` },
      { keys: ['I'], what: $localize`Another label is right` },
      { keys: ['F'], what: $localize`Flag the example` },
      { keys: ['N'], what: $localize`Next example` },
      { keys: ['?'], what: $localize`All keys of the page` },
    ],
  },
];
