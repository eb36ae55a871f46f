import DOMPurify from 'dompurify';
import { marked } from 'marked';

/**
 * The allowed elements: those of Markdown and a few that people write as HTML. None loads content,
 * carries styles, takes input or has a name.
 */
const TAGS =
  'a abbr b blockquote br caption code dd del details dfn div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var'.split(
    ' ',
  );
const ATTRIBUTES = ['href', 'title', 'align', 'start', 'colspan', 'rowspan', 'open'];
/** Allows links to web pages, mail addresses and paths of this service. */
const ADDRESSES = /^(?:https?:|mailto:|[^a-z]|[a-z+.-]+(?:[^a-z+.\-:]|$))/i;

const MARKS = /[_*~`[\]<>!]/g;
/**
 * The maximum number of marks in a block without an empty line. The time to pair them grows with
 * their square.
 */
const MOST_MARKS = 2_000;

/**
 * Converts untrusted Markdown to safe HTML. Text that would take too long to parse is shown as
 * written.
 */
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
    // nested quotes that exceed the stack
    if (error instanceof RangeError) return asWritten(text);
    throw error;
  }
}

function asWritten(text: string): string {
  const holder = document.createElement('pre');
  holder.textContent = text;
  return holder.outerHTML;
}
