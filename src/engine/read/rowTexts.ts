import { audienceOf } from '../../base/caller.ts'
import { onFirstUse } from '../../base/process/lazily.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { ApiResponse, Call } from '../call.ts'
import type { SeenRow } from '../declare/expressions.ts'
import { isLive, type MemberPart, sharesTexts } from '../declare/liveMembers.ts'
import { fieldSelector, type Shape } from '../declare/responseShape.ts'
import { isClosed, type RowMember } from '../declare/rowSerializer.ts'
import type { View } from '../declare/views.ts'
import { findReadableRows } from './findRows.ts'

export interface KeptTexts {
  /** The members that the request selects: the live ones or, if nothing is kept of the resource since the content has changed, all. */
  part: MemberPart | undefined
  /** Writes the JSON text of rows that the request has read with this database; undefined if they have changed meanwhile. */
  of(rows: readonly SeenRow[], database: SchoolReader): Promise<string[] | undefined>
}

/** Returns how the rows of a response are written from kept texts; undefined if they are not kept for this request. */
export async function keptTexts(call: Call, shape: Shape): Promise<KeptTexts | undefined> {
  const { operation, rowTexts, queryScope, isReplayed } = call
  const { resource } = operation
  if (!rowTexts || isReplayed || !resource.live || !isOfOwnMembers(shape) || !sharesTexts(queryScope.caller)) return undefined
  const content = await call.contentVersion
  if (content === undefined) return undefined
  const audience = audienceOf(queryScope.caller)
  const keyOf = (row: SeenRow): string =>
    `${queryScope.schoolId} ${resource.name} ${audience} ${row.seen_as} ${isClosed(row) ? 'closed' : ''} ${row.id}`
  const liveIn = (view: View): RowMember[] => resource.members[view].filter(([name]) => isLive(resource, name, audience))
  const live = { public: liveIn('public'), own: liveIn('own'), staff: liveIn('staff') }
  const name = `${queryScope.schoolId} ${resource.name} ${audience}`
  const select = shape.fields && fieldSelector(shape.fields)
  const part = rowTexts.get(name, content) ? 'live' : undefined
  return {
    part,
    async of(rows, database) {
      const known = new Map(rows.map((row) => [row.id, rowTexts.get(keyOf(row), `${content} ${row.version}`)]))
      const missing = new Map(rows.filter(({ id }) => !known.get(id)).map((row) => [row.id, keyOf(row)]))
      const read = part ? await findReadableRows(database, { ...queryScope, part: 'kept' }, [...missing.keys()]) : rows
      if (!part) rowTexts.keep(name, content, [])
      for (const row of read) {
        const pieces = piecesOf(resource.members[row.seen_as], live[row.seen_as], { row, call })
        rowTexts.keep(keyOf(row), `${content} ${row.version}`, pieces)
        if (missing.get(row.id) === keyOf(row)) known.set(row.id, pieces)
      }
      const texts = rows.flatMap((row) => {
        const pieces = known.get(row.id)
        if (!pieces) return []
        const text = joined(pieces, live[row.seen_as], { row, call })
        return [select ? JSON.stringify(select(JSON.parse(text))) : text]
      })
      return texts.length === rows.length ? texts : undefined
    },
  }
}

/** Expansions and fields on demand depend on columns that no text has. */
const isOfOwnMembers = ({ expansions, onDemand }: Shape): boolean => expansions.size === 0 && onDemand.length === 0

interface Presented {
  row: SeenRow
  call: Call
}

const memberText = ([name, read]: RowMember, { row, call }: Presented): string => {
  const value = JSON.stringify(read(row, call))
  return value === undefined ? '' : `,${JSON.stringify(name)}:${value}`
}

/** Returns the texts between the live members. The first member of a row is its id, which is never live. */
function piecesOf(members: readonly RowMember[], live: readonly RowMember[], presented: Presented): string[] {
  const pieces = ['']
  for (const member of members) {
    if (live.includes(member)) pieces.push('')
    else pieces.push(`${pieces.pop()}${memberText(member, presented)}`)
  }
  return pieces
}

function joined([first = '', ...others]: readonly string[], live: readonly RowMember[], presented: Presented): string {
  const members = live.map((member, place) => memberText(member, presented) + others[place])
  return `{${first.slice(1)}${members.join('')}}`
}

/** Returns a response whose body is parsed from its text when somebody reads it. */
export function withBody(text: string, response: Omit<ApiResponse, 'body' | 'text'>): ApiResponse {
  const parse = onFirstUse((): Record<string, unknown> => JSON.parse(text))
  return {
    ...response,
    text,
    get body() {
      return parse()
    },
  }
}
