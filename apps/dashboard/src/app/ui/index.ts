// For: showing and sending data on any page: states, layout, texts, dialogs, fields and charts.
// Knows: Angular, Material and the API's problems.
// Must not know: any task; the texts of metrics and terms, which only some pages load.
export { Chart, CHART_SYMBOLS, type ChartColours } from './charts/chart.js';
export { Estimate } from './charts/estimate.js';
export { ValidatedErrorRate } from './charts/validated-error-rate.js';
export { columnScale, differenceScale, Whisker } from './charts/whisker.js';
export { Confirm } from './dialogs/confirm.js';
export { CopyButton } from './fields/copy-button.js';
export { Icon } from './layout/icon.js';
export { PageHeader } from './layout/page-header.js';
export { cursorPages, Pager } from './layout/pager.js';
export { Action, ActionProblem } from './states/action.js';
export { Empty } from './states/empty.js';
export { FailureReason } from './states/failure-reason.js';
export { Loaded } from './states/loaded.js';
export { Skeleton } from './states/skeleton.js';
export { DisclosureNote } from './text/disclosure-note.js';
export { Markdown } from './text/markdown.js';
export { Numbers } from './text/numbers.js';
export { cutText, plainText, valueText } from './text/plain-text.js';
export { When } from './text/when.js';
