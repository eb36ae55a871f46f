// For: the marks of figures on boards and in exports, with their legend.
export {
  aggregateMarks,
  boardCellMarks,
  comparedMarks,
  costMarks,
  datasetMarks,
  evaluatorNames,
  evaluatorNamesOf,
  FIGURE_MARKS,
  type DatasetMark,
  type FigureMark,
  type MarkedModel,
  marksLegend,
  markText,
  type NamedEvaluator,
  OWN_EVALUATOR,
} from './figure-marks.js';
