/**
 * The marks that tell readers that a figure is not a plain measurement. Pages, CLI, LaTeX and CSV take mark, name and sentence from here; a
 * figure with several marks has them in this order.
 */
export const FIGURE_MARKS = {
  own: {
    mark: '†',
    name: 'own round',
    sentence: 'The examples were collected against this very model, so it is wrong on them by construction.',
  },
  estimated: {
    mark: '≈',
    name: 'estimated',
    sentence: 'Fitted from the other results, because some of the examples were collected against this model.',
  },
  contaminated: {
    mark: '°',
    name: 'contaminated',
    sentence: 'Test data was public before submission.',
  },
  contended: {
    mark: '‡',
    name: 'contended',
    sentence: 'Something else used the host during the measurement, so the cost may be too high.',
  },
} as const;

export type FigureMark = keyof typeof FIGURE_MARKS;
/** Those of a score on one dataset. */
export type DatasetMark = Extract<FigureMark, 'own' | 'contaminated'>;

/** The facts about a model and its data that a board has. */
export interface MarkedModel {
  /** Datasets that were collected against the model. */
  readonly own?: readonly string[] | undefined;
  /** By dataset: `exposed` if any of its data was public before the model was submitted. */
  readonly exposure?: Readonly<Record<string, string>> | undefined;
}

interface MarkedEstimate {
  readonly estimated?: boolean | undefined;
  readonly contended?: boolean | undefined;
}

/** The marks of a score on one dataset. */
export function datasetMarks({ own = [], exposure = {} }: MarkedModel, dataset: string): DatasetMark[] {
  return [
    ...(own.includes(dataset) ? (['own'] as const) : []),
    ...(exposure[dataset] === 'exposed' ? (['contaminated'] as const) : []),
  ];
}

/** The marks of what model `side` of a comparison has on a dataset. */
export const comparedMarks = <Side extends string>(
  {
    own,
    exposure,
  }: { readonly own: Readonly<Record<Side, boolean>>; readonly exposure: Readonly<Record<Side, string>> },
  side: Side,
): DatasetMark[] => datasetMarks({ own: own[side] ? [side] : [], exposure: { [side]: exposure[side] } }, side);

/** The marks of a score over several datasets. @param datasets those that weigh */
export function aggregateMarks(
  model: MarkedModel,
  datasets: readonly string[],
  { estimated }: MarkedEstimate,
): FigureMark[] {
  const marks = new Set<FigureMark>(datasets.flatMap((dataset) => datasetMarks(model, dataset)));
  // the own rounds are replaced by the fitted values
  if (estimated) {
    marks.delete('own');
    marks.add('estimated');
  }
  return inOrder(marks);
}

/** The marks of a cost. */
export const costMarks = ({ contended }: MarkedEstimate): FigureMark[] => (contended ? ['contended'] : []);

/** The marks as they are written before a figure: `≈°`. */
export const markText = (marks: readonly FigureMark[]): string => marks.map((name) => FIGURE_MARKS[name].mark).join('');

/** `≈ estimated: Fitted from …`, a line for each of the marks. */
export const marksLegend = (marks: Iterable<FigureMark>): string[] =>
  inOrder(new Set(marks)).map((name) => {
    const { mark, name: title, sentence } = FIGURE_MARKS[name];
    return `${mark} ${title}: ${sentence}`;
  });

const inOrder = (marks: ReadonlySet<FigureMark>): FigureMark[] =>
  (Object.keys(FIGURE_MARKS) as FigureMark[]).filter((name) => marks.has(name));
