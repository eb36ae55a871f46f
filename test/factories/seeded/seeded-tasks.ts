import type { TaskDefinitionInput } from '@assay/contracts/tasks';

const LABELS = ['entailment', 'neutral', 'contradiction'];

/**
 * Names that are hard to display: without a line-break opportunity, right to left, in non-Latin
 * scripts, and very long.
 */
export const ODD_NAMES = {
  unbroken: `Donaudampfschifffahrts${'elektrizitätenhauptbetriebswerk'.repeat(3)}`,
  rightToLeft: 'תיוג רגשות בעברית وتحليل المشاعر',
  nonLatin: '感情分析データセット第二版 — тональность отзывов',
  long: 'A benchmark whose name says everything about it, from the source of its texts to the guidelines of its annotators, and a little more',
} as const;

const text = [{ name: 'text', type: 'text' }] as const;
const many = { quota: { perDay: 500, total: 500 }, aggregate: { minimumExamples: 10 } } as const;

/** 11 models on three rounds and a static dataset, with slices, costs and an open round. */
export const INFERENCE: TaskDefinitionInput = {
  ...many,
  slug: 'inference',
  name: 'Natural language inference',
  description:
    'Does the **premise** entail the hypothesis, contradict it, or neither? Each round was written against the best models of the round before.',
  inputs: [
    { name: 'premise', type: 'text' },
    { name: 'hypothesis', type: 'text' },
  ],
  output: { name: 'label', type: 'label', labels: LABELS },
  performance: 'accuracy',
  metrics: ['accuracy', 'macro_f1', 'ece'],
  slices: ['genre', 'length'],
  loop: { size: 2, minimum: {} },
  collection: { instructions: 'Write a hypothesis that the models get wrong.', boardMinimum: 1 },
};

/** Predictions on three rounds. The board weighs costs, as that of every new task does. */
export const SARCASM: TaskDefinitionInput = {
  ...many,
  slug: 'sarcasm',
  name: 'Sarcasm detection',
  description: 'Is the comment sarcastic? Participants upload predictions.',
  inputs: [...text],
  output: { name: 'label', type: 'label', labels: ['sincere', 'sarcastic'] },
  performance: 'accuracy',
};

/** Failed, incomplete and cancelled models, and an open round with a content warning. */
export const TOXICITY: TaskDefinitionInput = {
  ...many,
  slug: 'toxicity',
  name: 'Toxic comments',
  description: 'Is the comment toxic?',
  inputs: [...text],
  output: { name: 'label', type: 'label', labels: ['harmless', 'toxic'] },
  performance: 'macro_f1',
  metrics: ['accuracy'],
  loop: { minimum: {} },
  collection: { contentWarning: 'You may read **insults**.', boardMinimum: 1 },
};

export const READING: TaskDefinitionInput = {
  ...many,
  slug: 'reading',
  name: 'Reading comprehension',
  description: 'Find the answer to the question in the passage.',
  inputs: [
    { name: 'passage', type: 'text' },
    { name: 'question', type: 'text' },
  ],
  output: { name: 'answer', type: 'span', of: 'passage' },
  performance: 'squad_f1',
  metrics: ['exact_match'],
  weights: { squad_f1: 1 },
  loop: { minimum: {} },
  collection: { instructions: 'Ask a question that the passage answers and the model does not.' },
};

export const TRANSLATION: TaskDefinitionInput = {
  ...many,
  slug: 'translation',
  name: 'Translation into German',
  language: 'de',
  inputs: [...text],
  output: { name: 'translation', type: 'text' },
  performance: 'chrf',
  metrics: ['bleu'],
  weights: { chrf: 4, bleu: 1 },
};

export const GRADES: TaskDefinitionInput = {
  ...many,
  slug: 'essay-grades',
  name: 'Essay grades',
  description: 'The grade from 0 to 100 that a teacher would give.',
  inputs: [{ name: 'essay', type: 'text' }],
  output: { name: 'grade', type: 'number' },
  performance: 'mae',
  metrics: ['pearson'],
  weights: { mae: 1 },
};

export const TOPICS: TaskDefinitionInput = {
  ...many,
  slug: 'topics',
  name: 'Topics of news',
  inputs: [...text],
  output: {
    name: 'topics',
    type: 'labels',
    labels: ['politics', 'sport', 'science', 'culture', 'weather', 'economy', 'health'],
  },
  performance: 'micro_f1',
  metrics: ['jaccard'],
  weights: { micro_f1: 2, memory: 1 },
};

/** Dozens of submissions that wait for an evaluator. */
export const REVIEWS: TaskDefinitionInput = {
  ...many,
  slug: 'reviews',
  name: 'Product reviews',
  description: 'How many stars did the customer give?',
  inputs: [...text],
  output: { name: 'stars', type: 'label', labels: ['1', '2', '3', '4', '5'] },
  performance: 'accuracy',
};

/** Datasets without any model. */
export const HEADLINES: TaskDefinitionInput = {
  ...many,
  slug: 'headlines',
  name: 'Clickbait headlines',
  description: 'Does the headline promise more than the article keeps?',
  inputs: [...text],
  output: { name: 'label', type: 'label', labels: ['fair', 'clickbait'] },
  performance: 'accuracy',
};

/** Only a definition. */
export const EMPTY: TaskDefinitionInput = {
  slug: 'emails',
  name: 'Urgent emails',
  inputs: [...text],
  output: { name: 'label', type: 'label', labels: ['urgent', 'routine'] },
  performance: 'accuracy',
};

/** An open round without any example. */
export const EMPTY_ROUND: TaskDefinitionInput = {
  slug: 'dialogue-acts',
  name: 'Dialogue acts',
  description: 'What does the speaker do with the sentence?',
  inputs: [...text],
  output: { name: 'act', type: 'label', labels: ['question', 'statement', 'request', 'promise'] },
  performance: 'accuracy',
  collection: { instructions: 'Write a sentence that somebody could say.' },
};

export const ONE_MODEL: TaskDefinitionInput = {
  ...many,
  slug: 'one-model',
  name: 'Spam',
  inputs: [...text],
  output: { name: 'label', type: 'label', labels: ['ham', 'spam'] },
  performance: 'accuracy',
};

/** Names in many scripts, long user names, and labels wider than a column. */
export const ODD: TaskDefinitionInput = {
  ...many,
  slug: 'a-slug-that-is-about-as-long-as-slugs-go',
  name: ODD_NAMES.long,
  description: `${ODD_NAMES.rightToLeft}. ${ODD_NAMES.unbroken}. ${ODD_NAMES.nonLatin}.`,
  inputs: [{ name: 'a_field_with_quite_a_long_name', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['积极', 'отрицательный', 'undecidable-without-more-context'] },
  performance: 'accuracy',
  slices: ['source'],
};

export const HEBREW: TaskDefinitionInput = {
  ...many,
  slug: 'hebrew',
  name: ODD_NAMES.rightToLeft,
  description: 'שאלה אחת בכל שורה.',
  language: 'he',
  inputs: [...text],
  output: { name: 'label', type: 'label', labels: ['שמח', 'עצוב'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
};

/** The seeded tasks in order of creation. `plantedTask` creates the fifteenth. */
export const SEEDED_TASKS = [
  INFERENCE,
  SARCASM,
  TOXICITY,
  READING,
  TRANSLATION,
  GRADES,
  TOPICS,
  REVIEWS,
  HEADLINES,
  EMPTY,
  EMPTY_ROUND,
  ONE_MODEL,
  ODD,
  HEBREW,
] as const;
