import { audienceOf } from '../../base/caller.ts'
import { fromPublicId } from '../../base/ids.ts'
import type { ProblemDetail } from '../../base/problem.ts'
import { lockFiles, type NamedFile } from '../../database/files/fileReferences.ts'
import type { Write } from '../write/write.ts'
import type { Values } from './expressions.ts'
import { imagePurposes } from './filePurposes.ts'
import type { Operation } from './operations.ts'

type Changing = Pick<Write<Operation>, 'operation' | 'writer' | 'school' | 'caller'>

/** Returns an error for each field whose file does not exist in the school or is not available to the caller. A row may keep its files. */
export async function checkFileFields(
  { operation, writer, school, caller }: Changing,
  values: Values,
  row?: Values,
): Promise<ProblemDetail[]> {
  const named = operation.resource.fileFields.flatMap(({ field, column }) => {
    const { file_id } = Object(values[field])
    const id = typeof file_id === 'string' ? fromPublicId('fil', file_id) : undefined
    return id === undefined || row?.[column] === id ? [] : [{ field, id }]
  })
  const files = await lockFiles(
    writer,
    school.id,
    named.map(({ id }) => id),
  )
  return named.flatMap(({ field, id }): ProblemDetail[] => {
    const file = files.find((one) => one.id === id)
    const isVisible = file && (audienceOf(caller) === 'staff' || file.uploaded_by === caller.accountId)
    if (isVisible && isPicture(file)) return []
    const rule = isVisible
      ? 'must be the id of a public picture whose upload is complete'
      : 'must be the id of a file that exists in this school and that you may use'
    return [{ field: `${field}.file_id`, code: 'invalid_reference', message: `${field}.file_id: ${rule}.` }]
  })
}

const isPicture = ({ status, purpose, visibility }: NamedFile): boolean =>
  status === 'ready' && visibility === 'public' && imagePurposes.some((one) => one === purpose)
