import type { KyselyPlugin } from 'kysely'
import type { Database, Reader, SchoolDatabase, SchoolReader, SchoolWriter, Writer } from '../connection/database.ts'
import { type ActorKind, actingAs, actorOf } from '../tables/actors.ts'
import { SchoolParameter } from './schoolParameter.ts'
import { restrictToSchool } from './schoolPredicates.ts'

/**
 * Returns the handle for one school: every table of a statement is restricted to the rows of the school, and every inserted row belongs
 * to it. Statements need not name `school_id`.
 * @throws Error if the handle is one of another school
 */
export function inSchool(handle: Writer, schoolId: string): SchoolWriter
export function inSchool(handle: Reader, schoolId: string): SchoolReader
export function inSchool(handle: Reader, schoolId: string): SchoolReader {
  if (isOfSchool(handle)) {
    if (handle.schoolId !== schoolId) throw new Error('a handle of one school cannot become one of another school')
    return handle
  }
  const changes = { count: 0 }
  const own = Object.assign(handle.withPlugin(schoolPlugin(schoolId, changes)), { schoolId })
  changesOfHandles.set(own, changes)
  return actingAs(own, actorOf(handle))
}

const changesOfHandles = new WeakMap<Reader, { count: number }>()

/** Returns how many statements through the handle could have changed rows: all but plain reads. Statements as text count. */
export const changesThrough = (handle: SchoolWriter): number | undefined => changesOfHandles.get(handle)?.count

/** Returns the database of one school. What its transactions change is recorded as a change by this kind of actor. */
export const schoolDatabase = (
  database: Pick<Database, 'kind' | 'kysely' | 'transaction'>,
  schoolId: string,
  kind: ActorKind,
): SchoolDatabase => ({
  kind: database.kind,
  schoolId,
  kysely: inSchool(database.kysely, schoolId),
  transaction: (work, purpose) => database.transaction((writer) => work(actingAs(inSchool(writer, schoolId), { kind })), purpose),
})

/** Returns the handle with another value in place of the school, for statements that are built once for all schools. */
export const withMarker = (handle: SchoolReader, marker: string): SchoolReader => inSchool(withoutSchool(handle), marker)

/** Returns the handle without the school, for statements as text that name the school themselves. Not for other modules. */
export function withoutSchool(handle: Reader): Reader {
  const changes = changesOfHandles.get(handle)
  if (changes) changes.count += 1
  return handle.withoutPlugins()
}

const isOfSchool = (handle: Reader): handle is SchoolReader => 'schoolId' in handle

function schoolPlugin(schoolId: string, changes: { count: number }): KyselyPlugin {
  const school = new SchoolParameter(schoolId)
  return {
    transformQuery({ node }) {
      if (node.kind === 'RawNode') throw new Error('a handle of one school cannot run a statement as text')
      if (node.kind !== 'SelectQueryNode' || node.with) changes.count += 1
      return restrictToSchool(node, school)
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
}
