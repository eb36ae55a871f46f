import type { MyExamples } from '@assay/api-client/angular';

export type OwnExample = MyExamples['items'][number];

export const EXAMPLE_FATES = ['pending', 'validated', 'rejected', 'flagged', 'undecided', 'retracted'] as const;

/** The label for each outcome of an example, and the tone to show it in. */
export const FATES: Readonly<
  Record<OwnExample['fate'], { readonly words: string; readonly tone: 'good' | 'caution' | 'bad' | '' }>
> = {
  pending: { words: $localize`waits for validators`, tone: '' },
  validated: { words: $localize`found correct`, tone: 'good' },
  rejected: { words: $localize`found incorrect`, tone: 'bad' },
  flagged: { words: $localize`flagged`, tone: 'bad' },
  undecided: { words: $localize`undecided`, tone: 'caution' },
  retracted: { words: $localize`retracted`, tone: '' },
};

/** Returns the fields of an example as text. An image is replaced by a placeholder. */
export function fieldsOf({
  input,
}: Pick<OwnExample, 'input'>): readonly { readonly name: string; readonly text: string }[] {
  return Object.entries(input).map(([name, value]) => ({ name, text: textOf(value) }));
}

function textOf(value: unknown): string {
  if (typeof value === 'string') {
    // images arrive as base64 or as a data URL
    return /^data:|^[A-Za-z0-9+/=]{400,}$/.test(value) ? $localize`(an image)` : value;
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return value === null || value === undefined ? '' : JSON.stringify(value);
}

/** Returns a sentence that summarises the validators' verdicts; empty if there are none yet. */
export function verdictWords({ verdicts: { correct, incorrect, flagged } }: Pick<OwnExample, 'verdicts'>): string {
  const parts = [
    ...(correct > 0 ? [$localize`${correct}:count: agreed with you`] : []),
    ...(incorrect > 0 ? [$localize`${incorrect}:count: found another label right`] : []),
    ...(flagged > 0 ? [$localize`${flagged}:count: flagged it`] : []),
  ];
  return parts.length === 0 ? '' : $localize`Of those who looked, ${parts.join(', ')}:verdicts:.`;
}
