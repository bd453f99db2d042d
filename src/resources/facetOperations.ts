import { eraseByStaff } from '../domain/students/eraseByStaff.ts'
import { addFacet, findPersonByKeys } from '../domain/students/findOrCreatePerson.ts'
import {
  checkPerson,
  type PersonChange,
  recordOtherFacet,
  requireAuthorityOver,
  requireFreeEmail,
  requireNotErased,
} from '../domain/students/personWriting.ts'
import type { Values } from '../framework/declare/values.ts'
import type { Change, Removal, RowsInBulk } from '../framework/write/writing.ts'
import { cancelParameter } from './studentFields.ts'

type Facet = 'student' | 'member'

/** Writes the words that the school puts to the person. */
type WriteWords = (change: PersonChange, row: { id: string }, values: Values) => Promise<void>

/** A change of a person, of whom the other facet shows it as well. */
export const changeOf = (facet: Facet, writeWords: WriteWords): Change<'person', 'write'> => ({
  scope: 'write',
  check: (values, _writing, row) => checkPerson(values, row),
  async before(writing, row, values) {
    requireNotErased(row)
    await requireAuthorityOver(writing, row.id)
    await requireFreeEmail(writing, values, row)
    return {}
  },
  async after(writing, row, values) {
    await writeWords(writing, row, values)
    await recordOtherFacet(writing, row, facet, 'updated')
  },
})

/** The erasure of a person, by whichever facet it is asked for. */
export const erasureOf = (facet: Facet, id: string): Removal<'person', 'write'> => ({
  scope: 'write',
  id,
  roles: ['staff'],
  status: 204,
  parameters: cancelParameter,
  instead: eraseByStaff,
  after: (writing, row) => recordOtherFacet(writing, row, facet, 'deleted'),
})

/** Many people at once: who is known by one of the keys that an item names gets the facet. */
export const manyOf = (facet: Facet): RowsInBulk<'write'> => ({
  scope: 'write',
  roles: ['staff'],
  find: async ({ writer, school, now }, item) => {
    const id = await findPersonByKeys(writer, school.id, item)
    if (id !== undefined) await addFacet(writer, { schoolId: school.id, personId: id, facet, now })
    return id
  },
})
