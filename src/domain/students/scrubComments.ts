import type { Sql } from '../../store/sql.ts'

/**
 * Takes a person out of the comments that they wrote: nobody is their author any more, and where they signed them, or left their address,
 * something else stands there. The rest stays: others have answered.
 */
export async function scrubComments(
  sql: Sql,
  { schoolId, personId, words }: { schoolId: string; personId: string; words: readonly string[] },
): Promise<void> {
  const texts = [...new Set(words.flatMap((word) => [word, escapedHtml(word)]))].filter((text) => [...text].length > 1)
  await sql.query(
    `UPDATE comment SET person_id = NULL, body = regexp_replace(body, $3, '[removed]', 'gi'),
            body_html = regexp_replace(body_html, $3, '[removed]', 'gi'), moderation = moderation - 'reason'
      WHERE school_id = $1 AND person_id = $2`,
    // The longest first: an address may begin with a name.
    [
      schoolId,
      personId,
      texts
        .toSorted((a, b) => b.length - a.length)
        .map(wholeWord)
        .join('|'),
    ],
  )
}

/** As the sanitiser writes text into HTML. */
const escapedHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** A pattern for the text where it stands by itself: a name may be a part of other words. */
const wholeWord = (text: string): string => {
  const pattern = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `${/^[\p{L}\p{N}_]/u.test(text) ? '\\m' : ''}${pattern}${/[\p{L}\p{N}_]$/u.test(text) ? '\\M' : ''}`
}
