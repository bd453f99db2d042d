import { hash } from 'node:crypto'
import markdownIt from 'markdown-it'
import footnotes from 'markdown-it-footnote'

// Tags inside Markdown are shown as text. The format html allows tags.
const options = { html: false, linkify: true, typographer: false }

const markdown = createMarkdown(options).use(footnotes)
/** People who write a comment expect the line breaks that they type. */
const comments = createMarkdown({ ...options, breaks: true })

/** Renders Markdown as HTML that is not sanitised. Footnotes have ids of their text, so that two texts on one page do not share them. */
export const renderMarkdown = (text: string): string => markdown.render(text, { docId: hash('sha256', text).slice(0, 6) })

export const renderComment = (text: string): string => comments.render(text)

function createMarkdown(settings: typeof options & { breaks?: boolean }): ReturnType<typeof markdownIt> {
  const created = markdownIt(settings)
  // Addresses with a scheme only: `node.js` and `readme.md` are words.
  created.linkify.set({ fuzzyLink: false, fuzzyEmail: false }).add('//', null).add('ftp:', null)
  // After the texts of a line are joined.
  created.core.ruler.push('task_list', ({ tokens }) => {
    for (const [index, { type, children }] of tokens.entries()) {
      const [first] = children ?? []
      const isItem = type === 'inline' && tokens[index - 1]?.type === 'paragraph_open' && tokens[index - 2]?.type === 'list_item_open'
      if (isItem && first?.type === 'text') first.content = first.content.replace(/^\[([ xX])\] /, (_all, mark) => checkBox(mark !== ' '))
    }
  })
  return created
}

/** A task of a list as a character: screen readers, feeds and e-mails show it. */
export const checkBox = (isDone: boolean): string => (isDone ? '\u2611 ' : '\u2610 ')
