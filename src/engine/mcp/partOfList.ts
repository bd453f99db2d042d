import { Problem } from '../../base/problem.ts'
import { objectsOf } from '../../base/text/jsonValue.ts'
import { type Json, lengthOf, maxText } from './toolText.ts'

/** Room for the page information and the note. */
const reserved = 500

/** A place in a list: an entry of it, and an entry of the list inside that entry. */
interface Place {
  entry: number
  inner: number
}

/**
 * Returns the part of a response that begins at the cursor and whose text is not too long. `name` is its list. An entry with a list inside,
 * such as a section with its lessons, is divided if it does not fit.
 * @throws Problem invalid_cursor
 */
export function partOfList(response: Json, name: string, cursor: string | undefined): Json {
  if (cursor === undefined && lengthOf(response) <= maxText) return response
  const from = placeOf(cursor)
  const entries = objectsOf(response[name])
  let room = maxText - reserved - lengthOf({ ...response, [name]: [] })
  const part: Json[] = []
  for (const [index, whole] of entries.entries()) {
    if (index < from.entry) continue
    const start = index === from.entry ? from.inner : 0
    const entry = start > 0 ? withInner(whole, innerOf(whole).slice(start)) : whole
    const length = lengthOf(entry) + 1
    if (length <= room) {
      part.push(entry)
      room -= length
      continue
    }
    const count = fittingInner(entry, room, part.length === 0)
    if (count > 0) part.push(withInner(entry, innerOf(entry).slice(0, count)))
    // A single entry that is too long is returned alone; its texts are shortened.
    else if (part.length === 0) part.push(entry)
    else return partial(response, { name, part, next: { entry: index, inner: start } })
    const isWhole = count === 0 || count === innerOf(entry).length
    const next = isWhole ? { entry: index + 1, inner: 0 } : { entry: index, inner: start + count }
    return partial(response, { name, part, next: next.entry < entries.length ? next : undefined })
  }
  return partial(response, { name, part, next: undefined })
}

function partial(response: Json, { name, part, next }: { name: string; part: Json[]; next: Place | undefined }): Json {
  const cursor = next ? `${next.entry}.${next.inner}` : null
  return {
    ...(cursor !== null && { note: 'This is a part. Send cursor = page.next_cursor for the rest.' }),
    ...response,
    [name]: part,
    page: { has_more: cursor !== null, next_cursor: cursor },
  }
}

/** Returns how many entries of the inner list fit; at least one if nothing else is in the part. */
function fittingInner(entry: Json, room: number, isFirst: boolean): number {
  const inner = innerOf(entry)
  let left = room - lengthOf(withInner(entry, [])) - 1
  const tooLong = inner.findIndex((one) => {
    left -= lengthOf(one) + 1
    return left < 0
  })
  const count = tooLong === -1 ? inner.length : tooLong
  return isFirst ? Math.max(count, Math.min(1, inner.length)) : count
}

const innerName = (entry: Json): string | undefined =>
  Object.entries(entry).find(([, value]) => Array.isArray(value) && typeof value[0] === 'object')?.[0]

const innerOf = (entry: Json): Json[] => {
  const name = innerName(entry)
  return name === undefined ? [] : objectsOf(entry[name])
}

const withInner = (entry: Json, inner: Json[]): Json => {
  const name = innerName(entry)
  return name === undefined ? entry : { ...entry, [name]: inner }
}

function placeOf(cursor: string | undefined): Place {
  if (cursor === undefined) return { entry: 0, inner: 0 }
  const [, entry, inner] = /^(\d{1,6})\.(\d{1,6})$/.exec(cursor) ?? []
  if (entry === undefined) throw new Problem('invalid_cursor')
  return { entry: Number(entry), inner: Number(inner) }
}
