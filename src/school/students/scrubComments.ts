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
  // The longest first: an address may begin with a name.
  const pattern = texts
    .toSorted((a, b) => b.length - a.length)
    .map(wholeWord)
    .join('|')
  const replaced = <Text extends string | null>(text: Expression<Text>) => sql<Text>`regexp_replace(${text}, ${pattern}, '[removed]', 'gi')`
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

/**
 * Returns a pattern that matches the text as whole words only, because a name may be part of another word. The text and the HTML of a
 * comment contain the same characters, as themselves or as entities.
 */
const wholeWord = (text: string): string => {
  const pattern = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/[&<>"']/g, (one) => `(?:${one}|${escapeHtml(one)})`)
  return `${/^[\p{L}\p{N}_]/u.test(text) ? '\\m' : ''}${pattern}${/[\p{L}\p{N}_]$/u.test(text) ? '\\M' : ''}`
}
