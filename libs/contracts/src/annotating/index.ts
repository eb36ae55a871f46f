// For: annotations, and figures of collection.
export {
  AnnotationView,
  AskNext,
  ChangeAnnotation,
  FlagContext,
  GivenLabel,
  InspectAnnotation,
  InspectInput,
  InspectionView,
  NextContext,
  SkipContext,
  TrialView,
  WriteAnnotation,
} from './annotating.js';
export {
  CollectionFigures,
  CollectionGroup,
  CollectionNumbers,
  type CollectionRate,
  type ValidatedErrorRate,
  type HumanFigures,
  type NumbersBy,
  OverviewView,
  SaturationView,
  TaskNumbersQuery,
  TrendQuery,
  TrendView,
} from './collection-numbers.js';
