/** A small submission that works: what a builder starts from, and what the demonstration submits. */
export interface Example {
  /** Also the name of its folder. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

/** A container that listens on port 8080. */
export interface ContainerExample extends Example {
  readonly kind: 'container';
  /** Absolute path in the image → path from this folder. */
  readonly files: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
}

/** A model that is trained and exported to ONNX when it is needed. */
export interface OnnxExample extends Example {
  readonly kind: 'onnx';
  /** Path from this folder of the JSON Lines that it is trained on. */
  readonly training: string;
}

/** Answers without a model. */
export interface PredictionsExample extends Example {
  readonly kind: 'predictions';
  /** Path from this folder. */
  readonly file: string;
}

const entrypoint = ['node', '/app/server.mjs'];

/** The demonstration task, beside its submissions; every path is from this folder. */
export const sentiment = {
  task: 'sentiment/task.yaml',
  training: 'sentiment/train.jsonl',
  datasets: [
    { name: 'round-1', file: 'sentiment/round-1.jsonl', role: 'round', round: 1 },
    { name: 'round-2', file: 'sentiment/round-2.jsonl', role: 'round', round: 2 },
    { name: 'static', file: 'sentiment/static.jsonl', role: 'static' },
  ],
  /** What people write against the models in the loop. */
  collected: { file: 'sentiment/round-3.jsonl', round: 3 },
} as const;

export const containerExamples: readonly ContainerExample[] = [
  {
    name: 'lexicon',
    kind: 'container',
    title: 'Lexicon',
    description: 'Counts words of praise and of blame; a negation turns them round. Learns nothing.',
    files: {
      '/app/server.mjs': 'server/server.mjs',
      '/app/model.mjs': 'lexicon/model.mjs',
      '/app/words.mjs': 'lexicon/words.mjs',
    },
    entrypoint,
  },
  {
    name: 'naive-bayes',
    kind: 'container',
    title: 'Naive Bayes',
    description: 'Multinomial naive Bayes over words and pairs of words, trained on 400 examples when it starts.',
    files: {
      '/app/server.mjs': 'server/server.mjs',
      '/app/model.mjs': 'naive-bayes/model.mjs',
      '/app/features.mjs': 'naive-bayes/features.mjs',
      '/app/naive-bayes.mjs': 'naive-bayes/naive-bayes.mjs',
      '/app/train.jsonl': sentiment.training,
    },
    entrypoint,
  },
  {
    name: 'large-and-slow',
    kind: 'container',
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
    entrypoint,
  },
];

/** A container for one of the tasks in `libs/tasks/ready`. */
export interface OtherExample extends ContainerExample {
  readonly task: string;
}

/** For inputs and outputs other than the demonstration's, which doesn't have them. */
export const otherExamples: readonly OtherExample[] = [
  {
    name: 'dominant-colour',
    task: 'vqa',
    kind: 'container',
    title: 'Dominant colour',
    description: 'Answers questions about a PNG with the colour that most of it has.',
    files: {
      '/app/server.mjs': 'server/instances.mjs',
      '/app/model.mjs': 'dominant-colour/model.mjs',
      '/app/png.mjs': 'dominant-colour/png.mjs',
    },
    entrypoint,
  },
  {
    name: 'dictionary',
    task: 'translation',
    kind: 'container',
    title: 'Dictionary',
    description: 'Translates from English into German word by word.',
    files: {
      '/app/server.mjs': 'server/instances.mjs',
      '/app/model.mjs': 'dictionary/model.mjs',
      '/app/words.mjs': 'dictionary/words.mjs',
    },
    entrypoint,
  },
];

export const onnxExample: OnnxExample = {
  name: 'onnx-bow',
  kind: 'onnx',
  title: 'Bag of words (ONNX)',
  description: 'Averaged word vectors and a linear layer, trained on 400 examples and exported to ONNX in a second.',
  training: sentiment.training,
};

export const predictionsExample: PredictionsExample = {
  name: 'predictions',
  kind: 'predictions',
  title: 'Rules (predictions only)',
  description: 'Lexicon, naive Bayes and rules for turns of phrase, as a file of answers: shown, never promoted.',
  file: 'predictions/predictions.jsonl',
};
