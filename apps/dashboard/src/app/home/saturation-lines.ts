import type { Overview, Saturation } from '../../client/types.gen.js';

/** How near models of a task came to people: of all its datasets, with the reason where it can't be told. */
export interface TaskSaturation {
  readonly task: string;
  readonly name: string;
  readonly performance: string;
  readonly overall: Saturation['overall'];
}

/** The saturation of a task of the overview; none where the task has no board yet. */
export function taskSaturation({
  task,
  name,
  saturation,
}: Pick<Overview['items'][number], 'task' | 'name' | 'saturation'>): readonly TaskSaturation[] {
  return saturation ? [{ task, name, performance: saturation.performance, overall: saturation }] : [];
}

/** The line of a task: [milliseconds since 1970, saturation], up to now. */
export type SaturationPoint = readonly [number, number];

/** Steps: the best holds until a better one comes, and until `now`. Empty where there is no saturation. */
export function saturationLine({ points }: Saturation['overall'], now: number): readonly SaturationPoint[] {
  const known = points.flatMap(({ at, saturation }): SaturationPoint[] =>
    saturation === null ? [] : [[Date.parse(at), saturation]],
  );
  const last = known.at(-1);
  return last ? [...known, [Math.max(now, last[0]), last[1]]] : [];
}

/** What the newest point of a task is; undefined where nobody knows. */
export function saturationNow({ points }: Saturation['overall']): { readonly value: number } | undefined {
  const value = points.at(-1)?.saturation ?? null;
  return value === null ? undefined : { value };
}

/** Why there is none, in words. */
export function whyNoSaturation(reason: Saturation['overall']['reason']): string {
  switch (reason) {
    case 'no_human_figure':
      return $localize`Human performance not known yet`;
    case 'no_model':
      return $localize`No ranked models yet`;
    case 'first_equals_human':
      return $localize`The first model matched human performance`;
    case null:
      return '';
  }
}
