/** The labels of an answer to a task of several labels: a JSON list of texts. */
export const labelList = (answer: string): readonly string[] => JSON.parse(answer) as readonly string[];

/** The gold labels of an example: the first acceptable list, which is the only one. */
export const goldLabels = (gold: readonly string[]): readonly string[] => labelList(gold[0] ?? '[]');

/** The labels that were answered; a tolerated bad answer finds none of the gold. */
export const answeredLabels = (predicted: string | null): readonly string[] =>
  predicted === null ? [] : labelList(predicted);
