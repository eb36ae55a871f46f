/** Parses the answer to a task of several labels: a JSON list of strings. */
export const labelList = (answer: string): readonly string[] => JSON.parse(answer) as readonly string[];

/** Returns the gold labels of an example: the first acceptable list, which is the only one. */
export const goldLabels = (gold: readonly string[]): readonly string[] => labelList(gold[0] ?? '[]');

/** Returns the answered labels; none for a tolerated bad answer. */
export const answeredLabels = (predicted: string | null): readonly string[] =>
  predicted === null ? [] : labelList(predicted);
