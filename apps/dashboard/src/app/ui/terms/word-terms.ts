import { FIGURE_MARKS, type FigureMark, OWN_EVALUATOR } from '@assay/scoring/marks';
import type { Explanation } from './explanation.js';

/**
 * Returns the explanation of a figure mark. Marks are declared once, for the pages and for all
 * exports.
 */
const markTerm = (mark: FigureMark): Explanation => {
  const { name, sentence } = FIGURE_MARKS[mark];
  return { name, sentence };
};

/**
 * The explanations of glossary terms for boards and collection. Named like the API's figure if
 * there is one.
 */
export const WORD_TERMS = {
  task: {
    name: $localize`task`,
    sentence: $localize`A problem that models solve: what they are given, what they answer, and what counts.`,
  },
  round: {
    name: $localize`round`,
    sentence: $localize`A period in which people write examples against the target models. When it closes, the examples become data that all models are evaluated on.`,
  },
  loop: {
    name: $localize`target model`,
    sentence: $localize`A model that people write the examples of a round against.`,
  },
  context: {
    name: $localize`context`,
    sentence: $localize`What people are shown to write about: a passage, an image.`,
  },
  annotation: {
    name: $localize`annotation`,
    sentence: $localize`An example that a person wrote against a target model.`,
  },
  validation: {
    name: $localize`validation`,
    sentence: $localize`What another person says of an example, without knowing who wrote it.`,
  },
  fooled: {
    name: $localize`fooled`,
    sentence: $localize`A target model answered the example wrongly, by the task's rule.`,
  },
  vmer: {
    name: $localize`vMER`,
    sentence: $localize`Validated model error rate: of all examples that were written, the share that fooled the model and that others found right. While examples are pending, it is a lower bound.`,
  },
  errorRateAmongValidated: {
    name: $localize`error rate among validated`,
    sentence: $localize`Of the examples that others found right, the share that fooled the model.`,
  },
  mer: {
    name: $localize`MER`,
    sentence: $localize`Model error rate: of the examples that were written, the share that fooled the model, before anybody checked them.`,
  },
  yield: {
    name: $localize`yield`,
    sentence: $localize`Of all examples that were checked, the share that others found right and that fooled the model: what is left of the effort.`,
  },
  agreement: {
    name: $localize`agreement`,
    sentence: $localize`How far validators give the same answer before they see the author's: 1 always, 0 as by chance.`,
  },
  saturation: {
    name: $localize`saturation`,
    sentence: $localize`How near the best model came to people: the first model is at −1, people are at 0.`,
  },
  dynascore: {
    name: $localize`score`,
    sentence: $localize`The weighted average of the percent metrics in points, plus points for low costs at a fixed exchange rate.`,
  },
  amrs: {
    name: $localize`exchange rate`,
    sentence: $localize`How many points of the score a cost is worth: 1 point per doubling, unless the task says otherwise.`,
  },
  weight: {
    name: $localize`weight`,
    sentence: $localize`How much a metric or a dataset counts in the score.`,
  },
  rank: {
    name: $localize`rank`,
    sentence: $localize`Its place, and the places that it may have with 95% confidence.`,
  },
  interval: {
    name: $localize`95% interval`,
    sentence: $localize`The 95% confidence interval: with repeated sampling, 95 of 100 such intervals contain the value that endless examples would give.`,
  },
  tie: {
    name: $localize`tie`,
    sentence: $localize`Two models are tied if the comparison of their scores does not exclude that they are equal. A can be tied with B and B with C although A and C are not.`,
  },
  first: {
    name: $localize`could be first`,
    sentence: $localize`Its rank interval contains rank 1: no other model is significantly ahead of it. One of these models is the best with 95% confidence.`,
  },
  stability: {
    name: $localize`stability`,
    sentence: $localize`How often the first stays the first when the weights move a little.`,
  },
  front: {
    name: $localize`Pareto front`,
    sentence: $localize`The models that no other beats in one of the metrics without being worse in another.`,
  },
  provisional: {
    name: $localize`provisional`,
    sentence: $localize`On boards before fixed exchange rates: fewer than 10 models are ranked, so exchange rates and scores still move with every model.`,
  },
  degenerate: {
    name: $localize`performance alone`,
    sentence: $localize`The score is the performance alone, because no other metric separates these models.`,
  },
  reference: {
    name: $localize`reference`,
    sentence: $localize`No model: what the most frequent label, a random one, or people would score.`,
  },
  majority: {
    name: $localize`majority label`,
    sentence: $localize`What always giving the most frequent label scores. A model should be above it.`,
  },
  baseline: {
    name: $localize`baseline`,
    sentence: $localize`The better of the majority label and random labels, or the model that the owner named. A model whose interval does not lie above it has no rank.`,
  },
  random: { name: $localize`random label`, sentence: $localize`What giving labels at random scores.` },
  human: {
    name: $localize`people`,
    sentence: $localize`How validators do: each one's answers, against what most of the others say.`,
  },
  own: markTerm('own'),
  estimated: markTerm('estimated'),
  exposure: markTerm('contaminated'),
  own_evaluator: { name: OWN_EVALUATOR.name, sentence: OWN_EVALUATOR.sentence },
  attempts: {
    name: $localize`attempts`,
    sentence: $localize`How many models its owner has submitted to the task. With enough attempts, some submissions score well by chance.`,
  },
  pending: {
    name: $localize`pending`,
    sentence: $localize`A figure that counts is still to come, so the model has no rank yet.`,
  },
  incomplete: {
    name: $localize`incomplete`,
    sentence: $localize`A figure that counts is missing for good, with the reason, so the model has no rank.`,
  },
  floor: {
    name: $localize`floor`,
    sentence: $localize`What a model that does nothing takes: no model can be faster than connection and sandbox are.`,
  },
  spread: {
    name: $localize`spread`,
    sentence: $localize`How far a cost differs between measurements of the same model.`,
  },
  contended: markTerm('contended'),
  short: markTerm('short'),
  rounded: markTerm('rounded'),
  repeatability: {
    name: $localize`repeatability`,
    sentence: $localize`Of the examples asked about twice, how many were answered otherwise the second time.`,
  },
  hardware: {
    name: $localize`hardware`,
    sentence: $localize`What the model ran on. A board compares the costs of one class of hardware alone.`,
  },
  perturbation: {
    name: $localize`perturbation`,
    sentence: $localize`A harmless change of an example's text, that should not change the answer.`,
  },
  slice: {
    name: $localize`slice`,
    sentence: $localize`The part of the examples that share a property, such as one topic.`,
  },
  chance: {
    name: $localize`gap by chance`,
    sentence: $localize`The gap that parts of these sizes have by chance alone; a smaller one says nothing.`,
  },
  reliability: {
    name: $localize`reliability diagram`,
    sentence: $localize`How often the model is right, by how sure it says it is.`,
  },
  difference: {
    name: $localize`difference`,
    sentence: $localize`The first minus the second, on the examples that both answered.`,
  },
  p_value: {
    name: $localize`p`,
    sentence: $localize`How often chance alone gives a difference at least as large.`,
  },
  holm: {
    name: $localize`corrected p`,
    sentence: $localize`p, corrected for all metrics and datasets of the comparison, or for all pairs (Holm). Below 5%, if the interval excludes 0 as well, one model is better.`,
  },
  discordant: {
    name: $localize`discordant`,
    sentence: $localize`The examples that only one of the two has right. All others say nothing about the difference.`,
  },
  detectable: {
    name: $localize`detectable difference`,
    sentence: $localize`The smallest difference that so many examples show in four of five cases.`,
  },
  dataset_role: {
    name: $localize`round or static`,
    sentence: $localize`Data of a round was written against models; static data came from elsewhere.`,
  },
  dataset_use: {
    name: $localize`scoring or reporting`,
    sentence: $localize`Scoring data decides ranks; reporting data is shown beside.`,
  },
  visibility: {
    name: $localize`visibility`,
    sentence: $localize`Whether anybody may read the examples (public), their inputs alone (inputs), or nothing (hidden).`,
  },
  benchmark_version: {
    name: $localize`benchmark version`,
    sentence: $localize`What is measured: the data, the metrics, the weights and the rules. Scores of one version can be compared.`,
  },
  board_revision: {
    name: $localize`board revision`,
    sentence: $localize`The board as it was published at one time. It never changes, so it can be cited.`,
  },
} as const satisfies Readonly<Record<string, Explanation>>;
