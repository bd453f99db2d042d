import { objectOf, objectsOf } from '../../base/text/jsonValue.ts'
import { type Json, lengthOf, maxText } from './toolText.ts'

/** Room for the note, and for a cursor that is longer than the one that it replaces. */
const reserved = 1000

interface Page extends Json {
  data: Json[]
  page: Json
}

/**
 * Returns a page of a list whose text is not too long. A page that is too long is requested again with fewer rows: its cursor then leads to
 * the first row that was left out.
 */
export async function boundedPage(request: (limit: number | undefined) => Promise<Json>): Promise<Json> {
  const first = withoutWayBack(await request(undefined))
  let page = first
  while (!isShort(page) && page.data.length > 1) page = withoutWayBack(await request(Math.max(1, fittingRows(page))))
  if (page === first || page.page.has_more !== true) return page
  const note = `Only ${page.data.length} rows fit. Send cursor = page.next_cursor for the rest, or select fewer fields.`
  return { note, ...page }
}

/** Tools go forwards only. */
function withoutWayBack(response: Json): Page {
  const { prev_cursor: _left, ...page } = objectOf(response.page)
  return { ...response, data: objectsOf(response.data), page }
}

const isShort = (response: Json): boolean => lengthOf(response) <= maxText

function fittingRows(response: Page): number {
  let room = maxText - reserved - lengthOf({ ...response, data: [] })
  const tooLong = response.data.findIndex((row) => {
    room -= lengthOf(row) + 1
    return room < 0
  })
  return tooLong === -1 ? response.data.length - 1 : tooLong
}
