// For: what a round publishes: data cards and exports of annotations.
export { AnnotationExports } from './annotation-exports.service.js';
export { cardText } from './card-text.js';
export { DataCards } from './data-cards.service.js';
