import DOMPurify from 'dompurify';
import { marked } from 'marked';

/** What Markdown can say, and a few that people write as HTML in it: nothing that is fetched, is styled, is filled in or has a name. */
const TAGS =
  'a abbr b blockquote br caption code dd del details dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var'.split(
    ' ',
  );
const ATTRIBUTES = ['href', 'title', 'align', 'start', 'colspan', 'rowspan', 'open'];
/** To pages and to mail programs, or within this service. */
const ADDRESSES = /^(?:https?:|mailto:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

const MARKS = /[_*~`[\]<>!]/g;
/** In text without an empty line; what pairs them takes a time that grows with their square. */
const MOST_MARKS = 2_000;

/** HTML of Markdown that anybody may have written, safe to be shown. What would take too long to read is shown as it was written. */
export function markdownToHtml(text: string): string {
  const purifier = DOMPurify();
  purifier.addHook('afterSanitizeAttributes', (node) => {
    if (node.tagName !== 'A') return;
    node.setAttribute('rel', 'nofollow noopener noreferrer ugc');
    node.setAttribute('target', '_blank');
  });
  return purifier.sanitize(rendered(text), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESSES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

function rendered(text: string): string {
  if (text.split(/\n[ \t]*\n/).some((block) => (block.match(MARKS)?.length ?? 0) > MOST_MARKS)) return asWritten(text);
  try {
    return marked.parse(text, { async: false, gfm: true });
  } catch (error) {
    // quotes within quotes, deeper than there is room on the stack
    if (error instanceof RangeError) return asWritten(text);
    throw error;
  }
}

function asWritten(text: string): string {
  const holder = document.createElement('pre');
  holder.textContent = text;
  return holder.outerHTML;
}
