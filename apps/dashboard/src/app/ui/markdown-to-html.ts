import DOMPurify from 'dompurify';
import { marked } from 'marked';

/** HTML of Markdown that anybody may have written, safe to be shown. */
export function markdownToHtml(text: string): string {
  const purifier = DOMPurify();
  purifier.addHook('afterSanitizeAttributes', (node) => {
    if (node.tagName !== 'A') return;
    node.setAttribute('rel', 'nofollow noopener noreferrer ugc');
    node.setAttribute('target', '_blank');
  });
  return purifier.sanitize(marked.parse(text, { async: false, gfm: true }), {
    // headings of a card stand below those of its page
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'img', 'svg', 'math', 'video', 'audio', 'iframe'],
    FORBID_ATTR: ['style', 'class', 'id', 'name'],
    ALLOW_DATA_ATTR: false,
  });
}
