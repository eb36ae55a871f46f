/** What every symbol is in unit specs. */
export default '<svg><path d="M0 0"/></svg>';
