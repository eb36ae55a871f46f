// For: comparisons of models, and their answers.
export {
  AnsweredExample,
  AnsweredExamples,
  AnsweredExamplesQuery,
  ComparedExamples,
  ComparedExamplesQuery,
  ConfusionView,
  PerturbationQuery,
} from './answered-example.js';
export {
  ComparedModel,
  CompareMatrixView,
  CompareQuery,
  CompareView,
  DatasetComparison,
  Difference,
  ExampleDifference,
  ExampleDifferences,
  MetricComparison,
  SliceComparison,
} from './compare.js';
