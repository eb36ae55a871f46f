/**
 * The marks of figures that are not plain measurements. Pages, CLI, LaTeX and CSV use the mark,
 * name and sentence defined here. A figure with several marks shows them in this order.
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
  short: {
    mark: '§',
    name: 'short',
    sentence: 'The data has too few different examples for a longer measurement, so the throughput is less certain.',
  },
  rounded: {
    mark: '∼',
    name: 'rounded',
    sentence: 'A score on hidden data, with no more digits than its interval supports. The owner of the task sees all.',
  },
} as const;

export type FigureMark = keyof typeof FIGURE_MARKS;
/** The marks of a score on one dataset. */
export type DatasetMark = Extract<FigureMark, 'own' | 'contaminated' | 'rounded'>;

/** The mark of models that evaluators of users have run. It is beside the name or the owner of the model. */
export const OWN_EVALUATOR = {
  mark: '⌂',
  name: 'own evaluator',
  sentence: 'An evaluator of a user, not of the service, ran the model. The service cannot verify what it reports.',
} as const;

/** An evaluator of a user. */
export interface NamedEvaluator {
  readonly name: string;
  /** The username of its owner. */
  readonly owner: string;
}

/** Returns evaluators of users with their owners, for example `gpu-1 (ada), lab (ben)`. */
export const evaluatorNames = (evaluators: readonly NamedEvaluator[]): string =>
  evaluators.map(({ name, owner }) => `${name} (${owner})`).join(', ');

/** Returns the evaluators of users behind several evaluations, each once, in the form of `evaluatorNames`. */
export const evaluatorNamesOf = (
  evaluations: readonly { readonly evaluators?: readonly NamedEvaluator[] | undefined }[],
): string =>
  [...new Set(evaluations.flatMap(({ evaluators = [] }) => evaluators.map((each) => evaluatorNames([each]))))].join(
    ', ',
  );

/** The facts that a board has about a model and its data. */
export interface MarkedModel {
  /** Datasets that were collected against the model. */
  readonly own?: readonly string[] | undefined;
  /**
   * Contamination by dataset: `exposed` if any of its data was public before the model was
   * submitted.
   */
  readonly exposure?: Readonly<Record<string, string>> | undefined;
}

interface MarkedEstimate {
  readonly estimated?: boolean | undefined;
  readonly contended?: boolean | undefined;
  readonly short?: boolean | undefined;
  readonly rounded?: boolean | undefined;
}

/** Returns the marks of a score on one dataset. */
export function datasetMarks(
  { own = [], exposure = {} }: MarkedModel,
  dataset: string,
  { rounded }: MarkedEstimate = {},
): DatasetMark[] {
  return [
    ...(own.includes(dataset) ? (['own'] as const) : []),
    ...(exposure[dataset] === 'exposed' ? (['contaminated'] as const) : []),
    ...(rounded ? (['rounded'] as const) : []),
  ];
}

/** Returns the marks of a cell of a board, which may be fitted. */
export const boardCellMarks = (model: MarkedModel, dataset: string, estimate: MarkedEstimate = {}): FigureMark[] =>
  inOrder(
    new Set([...datasetMarks(model, dataset, estimate), ...(estimate.estimated ? (['estimated'] as const) : [])]),
  );

/** Returns the marks of the score on a dataset, for the model on one `side` of a comparison. */
export const comparedMarks = <Side extends string>(
  {
    own,
    exposure,
  }: { readonly own: Readonly<Record<Side, boolean>>; readonly exposure: Readonly<Record<Side, string>> },
  side: Side,
  estimate: MarkedEstimate,
): DatasetMark[] =>
  datasetMarks({ own: own[side] ? [side] : [], exposure: { [side]: exposure[side] } }, side, estimate);

/**
 * Returns the marks of a score over several datasets.
 *
 * @param datasets those of non-zero weight
 */
export function aggregateMarks(
  model: MarkedModel,
  datasets: readonly string[],
  { estimated, rounded }: MarkedEstimate,
): FigureMark[] {
  const marks = new Set<FigureMark>(datasets.flatMap((dataset) => datasetMarks(model, dataset)));
  // fitted values replace the cells of the own rounds
  if (estimated) {
    marks.delete('own');
    marks.add('estimated');
  }
  if (rounded) marks.add('rounded');
  return inOrder(marks);
}

/** Returns the marks of a cost. */
export const costMarks = ({ contended, short }: MarkedEstimate): FigureMark[] => [
  ...(contended ? (['contended'] as const) : []),
  ...(short ? (['short'] as const) : []),
];

/** Returns the marks as they precede a figure, for example `≈°`. */
export const markText = (marks: readonly FigureMark[]): string => marks.map((name) => FIGURE_MARKS[name].mark).join('');

/** Returns one line per mark: `≈ estimated: Fitted from …`. */
export const marksLegend = (marks: Iterable<FigureMark>): string[] =>
  inOrder(new Set(marks)).map((name) => {
    const { mark, name: title, sentence } = FIGURE_MARKS[name];
    return `${mark} ${title}: ${sentence}`;
  });

const inOrder = (marks: ReadonlySet<FigureMark>): FigureMark[] =>
  (Object.keys(FIGURE_MARKS) as FigureMark[]).filter((name) => marks.has(name));
