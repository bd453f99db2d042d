import { toPublicId } from '../../../src/base/ids.ts'
import { newFile } from '../../support/files.ts'
import type { Exceptions } from '../derived/exceptions.ts'

export const exceptions: Exceptions = {
  /** A private file of a product: requests refer to other files by their URL. */
  create: async ({ database, school }) =>
    toPublicId('fil', await newFile(database.sql, school.id, { visibility: 'private', purpose: 'digital_product' })),
}
