// Multinomial naive Bayes with Laplace smoothing (Manning, Raghavan & Schütze 2008, ch. 13).

/**
 * Added to each count, so that an unseen pair of feature and label is unlikely but not impossible.
 */
const SMOOTHING = 0.5;

/**
 * Trains on labelled examples. `classify` returns one probability per label.
 * @param {readonly {features: readonly string[], label: string}[]} examples
 * @returns {{labels: string[], classify: (features: readonly string[]) => number[]}}
 */
export function train(examples) {
  const labels = [...new Set(examples.map(({ label }) => label))].sort();
  const counts = new Map();
  const totals = labels.map(() => 0);
  const documents = labels.map(() => 0);
  for (const { features, label } of examples) {
    const index = labels.indexOf(label);
    documents[index] += 1;
    for (const feature of features) {
      if (!counts.has(feature)) counts.set(feature, new Float64Array(labels.length));
      counts.get(feature)[index] += 1;
      totals[index] += 1;
    }
  }

  const classify = (features) => {
    const logarithms = documents.map((count) => Math.log(count / examples.length));
    for (const feature of features) {
      const seen = counts.get(feature);
      // a feature that no training example has says nothing about any label
      if (!seen) continue;
      for (let index = 0; index < labels.length; index += 1) {
        logarithms[index] += Math.log((seen[index] + SMOOTHING) / (totals[index] + SMOOTHING * counts.size));
      }
    }
    return softmax(logarithms);
  };
  return { labels, classify };
}

function softmax(logarithms) {
  const top = Math.max(...logarithms);
  const weights = logarithms.map((value) => Math.exp(value - top));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}
