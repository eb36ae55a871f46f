/**
 * A small working submission, which is a container that listens on port 8080: a starting point for
 * builders, and a submission of the demonstration.
 */
export interface ContainerExample {
  /** The name of the example and of its folder. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Absolute path in the image → path relative to this folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** The command of every container. */
export const ENTRYPOINT = ['node', '/app/server.mjs'] as const;

/** The demonstration task and its data; every path is relative to this folder. */
export const sentiment = {
  task: 'sentiment/task.yaml',
  training: 'sentiment/train.jsonl',
  datasets: [
    { name: 'round-1', file: 'sentiment/round-1.jsonl', role: 'round', round: 1 },
    { name: 'round-2', file: 'sentiment/round-2.jsonl', role: 'round', round: 2 },
    { name: 'static', file: 'sentiment/static.jsonl', role: 'static' },
  ],
  /** Examples that annotators write against the target models. */
  collected: { file: 'sentiment/round-3.jsonl', round: 3 },
} as const;

export const containerExamples: readonly ContainerExample[] = [
  {
    name: 'lexicon',
    title: 'Lexicon',
    description: 'Counts words of praise and of blame; a negation turns them round. Learns nothing.',
    files: {
      '/app/server.mjs': 'server/server.mjs',
      '/app/model.mjs': 'lexicon/model.mjs',
      '/app/words.mjs': 'lexicon/words.mjs',
    },
  },
  {
    name: 'naive-bayes',
    title: 'Naive Bayes',
    description: 'Multinomial naive Bayes over words and pairs of words, trained on 400 examples when it starts.',
    files: {
      '/app/server.mjs': 'server/server.mjs',
      '/app/model.mjs': 'naive-bayes/model.mjs',
      '/app/features.mjs': 'naive-bayes/features.mjs',
      '/app/naive-bayes.mjs': 'naive-bayes/naive-bayes.mjs',
      '/app/train.jsonl': sentiment.training,
    },
  },
  {
    name: 'large-and-slow',
    title: 'Large and slow',
    description: 'Kernel ridge regression with a weight for every pair of features: better than a lexicon, at a price.',
    files: {
      '/app/server.mjs': 'server/server.mjs',
      '/app/model.mjs': 'large-and-slow/model.mjs',
      '/app/features.mjs': 'large-and-slow/features.mjs',
      '/app/pair-weights.mjs': 'large-and-slow/pair-weights.mjs',
      '/app/ridge.mjs': 'large-and-slow/ridge.mjs',
      '/app/lexicon.mjs': 'lexicon/model.mjs',
      '/app/words.mjs': 'lexicon/words.mjs',
      '/app/train.jsonl': sentiment.training,
    },
  },
];

/** A container for one of the tasks in `libs/tasks/ready`. */
export interface OtherExample extends ContainerExample {
  readonly task: string;
}

/** Examples for kinds of inputs and outputs that the demonstration task does not have. */
export const otherExamples: readonly OtherExample[] = [
  {
    name: 'dominant-colour',
    task: 'vqa',
    title: 'Dominant colour',
    description: 'Answers questions about a PNG with the colour that most of it has.',
    files: {
      '/app/server.mjs': 'server/instances.mjs',
      '/app/model.mjs': 'dominant-colour/model.mjs',
      '/app/png.mjs': 'dominant-colour/png.mjs',
    },
  },
  {
    name: 'dictionary',
    task: 'translation',
    title: 'Dictionary',
    description: 'Translates from English into German word by word.',
    files: {
      '/app/server.mjs': 'server/instances.mjs',
      '/app/model.mjs': 'dictionary/model.mjs',
      '/app/words.mjs': 'dictionary/words.mjs',
    },
  },
];

/** A model that is trained and exported to ONNX when it is needed. Paths are relative to this folder. */
export const onnxExample = {
  name: 'onnx-bow',
  kind: 'onnx',
  title: 'Bag of words (ONNX)',
  description: 'Averaged word vectors and a linear layer, trained on 400 examples and exported to ONNX in a second.',
  training: sentiment.training,
} as const;

/** A file of answers without a model. */
export const predictionsExample = {
  name: 'predictions',
  kind: 'predictions',
  title: 'Rules (predictions only)',
  description: 'Lexicon, naive Bayes and rules for turns of phrase, as a file of answers: shown, never promoted.',
  file: 'predictions/predictions.jsonl',
} as const;
