import type { TurningRule } from '@assay/api-client/angular';

/** Converts an ISO time to the value of a `datetime-local` field, in the user's time zone. */
export function localOf(iso: string | undefined): string {
  if (iso === undefined) return '';
  const date = new Date(iso);
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/**
 * Converts the value of a `datetime-local` field to an ISO time; undefined if the field is empty.
 */
export const isoOf = (local: string): string | undefined => (local === '' ? undefined : new Date(local).toISOString());

/** Describes the rule that closes a round automatically, one sentence per condition. */
export function turningSentences(
  { examples, validated, closesAt, saturation }: TurningRule,
  written: {
    readonly count: (value: number) => string;
    readonly percent: (ratio: number) => string;
    readonly time: (iso: string) => string;
  },
): readonly string[] {
  return [
    ...(examples === undefined ? [] : [$localize`It closes with ${written.count(examples)}:count: examples written.`]),
    ...(validated === undefined
      ? []
      : [$localize`It closes with ${written.count(validated)}:count: examples found correct.`]),
    ...(closesAt === undefined ? [] : [$localize`It closes ${written.time(closesAt)}:time:.`]),
    ...(saturation === undefined
      ? []
      : [$localize`It closes when a new model gets ${written.percent(saturation)}:percent: % of what fooled right.`]),
  ];
}
