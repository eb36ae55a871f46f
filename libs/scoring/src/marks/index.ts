// For: the marks of figures on boards and in exports, with their legend.
export {
  aggregateMarks,
  comparedMarks,
  costMarks,
  datasetMarks,
  FIGURE_MARKS,
  type DatasetMark,
  type FigureMark,
  type MarkedModel,
  marksLegend,
  markText,
} from './figure-marks.js';
