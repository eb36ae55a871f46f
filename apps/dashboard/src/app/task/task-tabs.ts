export interface Tab {
  readonly path: string;
  readonly name: string;
}

/** The pages of a task, in their order: those of collection where it collects, those of its owner for them alone. */
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
