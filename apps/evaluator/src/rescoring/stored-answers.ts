export { StoredAnswers } from '@assay/storage';
