import { Problem } from '../../lib/problem.ts'
import { audienceOf, type PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { Writer } from '../../store/database.ts'
import { releaseBytes } from '../../store/files.ts'
import type { Sql } from '../../store/sql.ts'

interface Removal {
  sql: Sql
  writer: Writer
  school: { id: string }
  caller: PersonCaller
  externalServices: ExternalServices
  parameters: ReadonlyMap<string, unknown>
}

/**
 * Lets go of a file that is to be removed: of what refers to it, where the school's staff say so, and of its bytes.
 * @throws Problem resource_in_use with everything that refers to it; access_denied where others than staff would force it
 */
export async function releaseFile(
  { sql, writer, school, caller, externalServices, parameters }: Removal,
  file: { id: string; storage_key: string; bytes: string | number },
): Promise<undefined> {
  const isForced = parameters.get('force') === true
  if (isForced && audienceOf(caller) !== 'staff') {
    throw new Problem('access_denied', { description: 'Only staff remove a file that is in use.' })
  }
  const ofFile = writer.selectFrom('file_reference').where('school_id', '=', school.id).where('file_id', '=', file.id)
  const referrers = await ofFile.select(['ref_type', 'ref_id', 'field']).orderBy('ref_type').orderBy('ref_id').limit(100).execute()
  if (referrers.length > 0 && !isForced) {
    throw new Problem('resource_in_use', {
      description: 'The file is in use. Take it out of what details name, or let staff remove it with force=true.',
      details: referrers.map(({ ref_type, ref_id, field }) => {
        const id = externalServices.files.publicId(ref_type, ref_id)
        return { field, code: 'resource_in_use', message: `${ref_type} ${id} names it in ${field}.`, meta: { type: ref_type, id } }
      }),
    })
  }
  await writer.deleteFrom('file_reference').where('school_id', '=', school.id).where('file_id', '=', file.id).execute()
  await releaseBytes(sql, { school_id: school.id, ...file })
}
