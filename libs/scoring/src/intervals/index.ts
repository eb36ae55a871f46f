// For: confidence intervals of means and proportions.
export { twoSidedNormal } from './normal.js';
export { meanEstimate } from './t-interval.js';
export { proportionEstimate, proportionOfClusters, wilson } from './wilson.js';
export { Z95 } from '../estimate.js';
