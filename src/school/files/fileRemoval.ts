import { audienceOf, type PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { releaseBytes } from '../../database/tables/files.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'

interface Removal {
  writer: SchoolWriter
  caller: PersonCaller
  externalServices: ExternalServices
  parameters: ReadonlyMap<string, unknown>
}

/**
 * Releases the references to a file that is deleted (only staff, with `force`), and its bytes.
 * @throws Problem resource_in_use with everything that refers to the file; access_denied if others than staff use `force`
 */
export async function releaseFile(
  { writer, caller, externalServices, parameters }: Removal,
  file: { id: string; storage_key: string; bytes: string | number },
): Promise<undefined> {
  const isForced = parameters.get('force') === true
  if (isForced && audienceOf(caller) !== 'staff') {
    throw new Problem('access_denied', { description: 'Only staff can delete a file that is in use.' })
  }
  const ofFile = writer.selectFrom('file_reference').where('file_id', '=', file.id)
  const referrers = await ofFile
    .select(['ref_type', 'ref_id', 'field'])
    .where('field', '<>', 'revisions')
    .orderBy('ref_type')
    .orderBy('ref_id')
    .limit(100)
    .execute()
  if (referrers.length > 0 && !isForced) {
    throw new Problem('resource_in_use', {
      description: 'The file is in use. Remove it from the resources in `details`, or let staff delete it with force=true.',
      details: referrers.map(({ ref_type, ref_id, field }) => {
        const id = externalServices.files.publicId(ref_type, ref_id)
        return {
          field,
          code: 'resource_in_use',
          message: `${ref_type} ${id} refers to the file in ${field}.`,
          meta: { type: ref_type, id },
        }
      }),
    })
  }
  await writer.deleteFrom('file_reference').where('file_id', '=', file.id).execute()
  await releaseBytes(writer, { school_id: writer.schoolId, ...file })
}
