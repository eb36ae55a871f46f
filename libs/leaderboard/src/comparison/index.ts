// For: comparisons of models.
export { ComparisonService } from './comparison.service.js';
export { DatasetDifferences } from './dataset-differences.js';
