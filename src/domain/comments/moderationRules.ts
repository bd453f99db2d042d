/** The rules of a school for comments of members, as its settings contain them. */
export interface CommentRules {
  comment_moderation?: 'none' | 'first' | 'all'
  /** A comment with more links is held. */
  comment_max_links?: number | null
  comment_blocked_words?: readonly string[]
}

interface CheckedComment {
  body: string
  /** The text as HTML. */
  html: string
  /** True if no comment of the author is published. */
  isFirst: boolean
}

/** Returns why a comment has to wait for a moderator; undefined if it can be published. Pure. */
export function holdReason(rules: CommentRules, { body, html, isFirst }: CheckedComment): string | undefined {
  const { comment_moderation: moderation = 'none', comment_max_links: links = null, comment_blocked_words: words = [] } = rules
  if (moderation === 'all') return 'Held: every comment is checked.'
  if (moderation === 'first' && isFirst) return 'Held: the first comment of the person.'
  if (links !== null && linksIn(body, html) > links) return 'Held: too many links.'
  const text = wordsOf(body)
  return words.some((word) => hasWords(text, wordsOf(word))) ? 'Held: it contains a blocked word.' : undefined
}

/** Counts links, also those that the HTML does not contain because they are only written as text. */
const linksIn = (body: string, html: string): number =>
  Math.max(html.match(/<a\s/gi)?.length ?? 0, body.match(/https?:\/\/|\bwww\./gi)?.length ?? 0)

/** Returns the words of a text in one form, between spaces, so that other signs between them do not matter. */
const wordsOf = (text: string): string =>
  ` ${(
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  ).join(' ')} `

const hasWords = (text: string, words: string): boolean => words.trim() !== '' && text.includes(words)
