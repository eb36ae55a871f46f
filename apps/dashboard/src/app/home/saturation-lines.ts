import type { Overview, Saturation } from '@assay/api-client/angular';

/**
 * The saturation of a task over its datasets that have a weight and a human performance, with the
 * reason if it cannot be computed. Saturation is (best − human) ÷ |first − human|: −1 for the first
 * model, 0 for human performance.
 */
export interface TaskSaturation {
  readonly task: string;
  readonly name: string;
  readonly performance: string;
  readonly overall: Saturation['overall'];
}

/** Returns the saturation of a task. Empty if the task has no board yet. */
export function taskSaturation({
  task,
  name,
  saturation,
}: Pick<Overview['items'][number], 'task' | 'name' | 'saturation'>): readonly TaskSaturation[] {
  return saturation ? [{ task, name, performance: saturation.performance, overall: saturation }] : [];
}

/** A point of a task's line: [milliseconds since 1970, saturation]. */
export type SaturationPoint = readonly [number, number];

/**
 * Returns the points of a stepped line. The best value holds until a better one, and the last until
 * `now`. Empty if there is no saturation.
 */
export function saturationLine({ points }: Saturation['overall'], now: number): readonly SaturationPoint[] {
  const known = points.flatMap(({ at, saturation }): SaturationPoint[] =>
    saturation === null ? [] : [[Date.parse(at), saturation]],
  );
  const last = known.at(-1);
  return last ? [...known, [Math.max(now, last[0]), last[1]]] : [];
}

/** The latest saturation. Undefined if it is not known. */
export function saturationNow({ points }: Saturation['overall']): { readonly value: number } | undefined {
  const value = points.at(-1)?.saturation ?? null;
  return value === null ? undefined : { value };
}

/** Why there is no saturation. */
export const NO_SATURATION: Readonly<Record<NonNullable<Saturation['overall']['reason']>, string>> = {
  no_human_figure: $localize`Human performance not known yet`,
  no_model: $localize`No ranked models yet`,
  first_equals_human: $localize`The first model matched human performance`,
};
