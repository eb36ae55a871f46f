export interface Tab {
  readonly path: string;
  readonly name: string;
}

/**
 * Returns the tabs of a task in order. Collection tabs need a task that collects; the settings are
 * for its owner.
 */
export function taskTabs(of: { readonly collects: boolean; readonly isOwner: boolean }): readonly Tab[] {
  const collection = [
    { path: 'annotate', name: $localize`Annotate` },
    { path: 'validate', name: $localize`Validate` },
  ];
  return [
    { path: './', name: $localize`Overview` },
    { path: 'leaderboard', name: $localize`Leaderboard` },
    { path: 'rounds', name: $localize`Rounds` },
    ...(of.collects ? collection : []),
    { path: 'data', name: $localize`Data` },
    ...(of.isOwner ? [{ path: 'settings', name: $localize`Settings` }] : []),
  ];
}
