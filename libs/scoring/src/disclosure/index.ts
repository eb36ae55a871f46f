// For: scores on hidden data with no more digits than their interval supports.
export { roundedCount, roundedEstimate, roundedNumber } from './rounded-estimate.js';
