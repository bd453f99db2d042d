import type { Page } from 'playwright-core'
import type { Database } from '../../src/database/connection/database.ts'

/** Two words without a place to break the line. The first one is Arabic, so that the name is written from the right. */
export const longName = `${`أكاديمية${'مدرسة'.repeat(15)}`.slice(0, 80)} ${'Werkstattgemeinschaft'.repeat(4).slice(0, 80)}`

const columns = ['name', 'title', 'display_name', 'headline', 'subtitle', 'summary', 'tagline', 'excerpt']

/** Gives every row of the schools the long name, in each column that people read as a name. */
export async function giveLongNames({ sql }: Pick<Database, 'sql'>): Promise<void> {
  const found = await sql.query<{ table_name: string; column_name: string }>(
    `SELECT table_name, column_name FROM information_schema.columns AS named
     WHERE table_schema = current_schema() AND column_name = ANY($1) AND data_type = 'text'
       AND (table_name = 'school' OR EXISTS (
         SELECT FROM information_schema.columns
         WHERE table_schema = current_schema() AND table_name = named.table_name AND column_name = 'school_id'))`,
    [columns],
  )
  for (const [table, named] of Map.groupBy(found, ({ table_name: table }) => table))
    await sql.query(`UPDATE ${table} SET ${named.map(({ column_name: column }) => `${column} = $1`).join(', ')}`, [longName])
}

/** Returns the elements in which the long name is not isolated from other words, or not written from the right. */
export const misdirected = (page: Page): Promise<string[]> =>
  page.evaluate(`(() => {
    const longName = ${JSON.stringify(longName)}
    const name = ${JSON.stringify(longName.slice(0, 13))}
    const startsBlock = (element) => {
      const block = element.closest('input, textarea, p, h1, h2, h3, li, figcaption, summary, blockquote')
      return block !== null && (typeof block.value === 'string' ? block.value : block.innerText).trim().startsWith(name) && getComputedStyle(block).unicodeBidi === 'plaintext'
    }
    const isFromRight = (element) => getComputedStyle(element).direction === 'rtl' || startsBlock(element)
    const isAlone = (text) => longName.startsWith(text.trim().replace('…', ''))
    // Inside a sentence, the first strong isolate (U+2068) encloses it.
    const isWrong = (text, element) => text.replaceAll('\\u2068' + name, '').includes(name) && !(isAlone(text) && isFromRight(element))
    const found = [...document.querySelectorAll('input:not([type="hidden"]), textarea')].filter((field) => isWrong(field.value, field))
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const { data, parentElement } = walker.currentNode
      if (isWrong(data, parentElement)) found.push(parentElement)
    }
    return found.map(({ outerHTML }) => outerHTML.slice(0, 200))
  })()`)
