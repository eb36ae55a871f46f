// For: confidence intervals of means and proportions.
export { twoSidedNormal } from './normal.js';
export { meanEstimate } from './t-interval.js';
export { proportionEstimate, proportionFromSums, wilson } from './wilson.js';
