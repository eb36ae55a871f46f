/**
 * Returns the ranks of gold and answer on an ordered scale: their indices in `labels`. If there are
 * several acceptable labels, the gold is the one nearest to the answer (of equally near ones, the
 * first). A tolerated bad answer counts as the label farthest from the first gold.
 */
export function ranksOf(
  gold: readonly string[],
  predicted: string | null,
  labels: readonly string[],
): readonly [expected: number, answered: number] {
  const golds = gold.map((label) => labels.indexOf(label));
  if (predicted === null) {
    const last = labels.length - 1;
    return [golds[0]!, 2 * golds[0]! < last ? last : 0];
  }
  const answered = labels.indexOf(predicted);
  const distance = (rank: number): number => Math.abs(rank - answered);
  return [golds.reduce((nearest, each) => (distance(each) < distance(nearest) ? each : nearest)), answered];
}
