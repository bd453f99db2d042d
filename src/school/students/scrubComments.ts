import { type Expression, sql } from 'kysely'
import { escapeHtml } from '../../base/text/escapeHtml.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'

/**
 * Removes a person from their comments: the author becomes empty, and their names and addresses in the text are replaced. The rest of the
 * text stays, because others have replied to it.
 */
export async function scrubComments(
  writer: SchoolWriter,
  { personId, words }: { personId: string; words: readonly string[] },
): Promise<void> {
  const texts = [...new Set(words)].filter((text) => [...text].length > 1)
  await scrubThreads(writer, { personId, words: texts.filter(isUnmistakable) })
  const replaced = withoutWords(texts)
  await writer
    .updateTable('comment')
    .set(({ ref }) => ({
      person_id: null,
      body: replaced(ref('body')),
      body_html: replaced(ref('body_html')),
      moderation: sql`(${ref('moderation')} - 'reason') #- '{before,reason}'`,
    }))
    .where('person_id', '=', personId)
    .execute()
}

/** Removes names and addresses from the comments of other people in the threads in which the person wrote. */
async function scrubThreads(writer: SchoolWriter, { personId, words }: { personId: string; words: readonly string[] }): Promise<void> {
  if (words.length === 0) return
  const replaced = withoutWords(words)
  const threads = writer
    .selectFrom('comment')
    .select((comment) => comment.fn.coalesce('comment.parent_id', 'comment.id').as('id'))
    .where('comment.person_id', '=', personId)
  await writer
    .updateTable('comment')
    .set(({ ref }) => ({ body: replaced(ref('body')), body_html: replaced(ref('body_html')) }))
    .where((comment) => comment.or([comment('id', 'in', threads), comment('parent_id', 'in', threads)]))
    .where('body', '~*', patternOf(words))
    .execute()
}

/** True for a text that is not also a word of a language, as a single name can be. */
const isUnmistakable = (text: string): boolean => /@|\s/.test(text.trim()) || isUnspaced(text)

const isUnspaced = (text: string): boolean => unspaced.test(text)
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hangul}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]{2}/u

const withoutWords =
  (words: readonly string[]) =>
  <Text extends string | null>(text: Expression<Text>) =>
    sql<Text>`regexp_replace(${text}, ${patternOf(words)}, '[removed]', 'gi')`

/** The longest first: an address may begin with a name. */
const patternOf = (words: readonly string[]): string =>
  words
    .toSorted((a, b) => b.length - a.length)
    .map(wholeWord)
    .join('|')

/**
 * Returns a pattern that matches the text as whole words only, because a name may be part of another word. The text and the HTML of a
 * comment contain the same characters, as themselves or as entities. Scripts without spaces have no whole words.
 */
const wholeWord = (text: string): string => {
  const pattern = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[&<>"']/g, (one) => `(?:${one}|${escapeHtml(one)})`)
  if (isUnspaced(text)) return pattern
  return `${/^[\p{L}\p{N}_]/u.test(text) ? '\\m' : ''}${pattern}${/[\p{L}\p{N}_]$/u.test(text) ? '\\M' : ''}`
}
