import type { Writer } from './database.ts'
import { lockRows } from './lockRows.ts'

/** The facts that decide whether a row can reference a file. */
export interface NamedFile {
  id: string
  purpose: string
  visibility: string
  status: string
  uploaded_by: string | null
}

/** A row of the school that names files: `course` and its id. */
export interface Referrer {
  schoolId: string
  type: string
  id: string
}

export interface FileReference {
  field: string
  fileId: string
}

/** Files of the school, kept from being removed until the transaction ends. */
export async function lockFiles(writer: Writer, schoolId: string, ids: readonly string[]): Promise<NamedFile[]> {
  if (ids.length === 0) return []
  return await writer
    .selectFrom('file')
    .select(['id', 'purpose', 'visibility', 'status', 'uploaded_by'])
    .where('school_id', '=', schoolId)
    .where('id', 'in', [...new Set(ids)])
    .orderBy('id')
    .forKeyShare()
    .execute()
}

/** Makes these the only files that the row names in these fields. A file that loses its last reference is unused from now on. */
export async function setFileReferences(
  writer: Writer,
  referrer: Referrer,
  { fields, references }: { fields: readonly string[]; references: readonly FileReference[] },
): Promise<void> {
  const before = await ofReferrer(writer, referrer)
    .select(['file_id', 'field'])
    .where('field', 'in', [...fields])
    .execute()
  const key = (field: string, fileId: string): string => `${field} ${fileId}`
  const wanted = new Map(references.map((one) => [key(one.field, one.fileId), one]))
  const present = new Set(before.map((one) => key(one.field, one.file_id)))
  const gone = before.filter((one) => !wanted.has(key(one.field, one.file_id)))
  const added = [...wanted].filter(([name]) => !present.has(name)).map(([, one]) => one)
  for (const { field, file_id } of gone) await unlink(writer, referrer, { field, fileId: file_id })
  await touch(
    writer,
    referrer.schoolId,
    gone.map(({ file_id }) => file_id),
  )
  if (added.length === 0) return
  const { schoolId, type, id } = referrer
  await writer
    .insertInto('file_reference')
    .values(added.map(({ field, fileId }) => ({ school_id: schoolId, file_id: fileId, ref_type: type, ref_id: id, field })))
    .execute()
}

/** Forgets what a row that goes away has named. */
export async function removeFileReferences(writer: Writer, referrer: Referrer): Promise<void> {
  const { schoolId, type, id } = referrer
  const gone = await writer
    .deleteFrom('file_reference')
    .where('school_id', '=', schoolId)
    .where('ref_type', '=', type)
    .where('ref_id', '=', id)
    .returning('file_id')
    .execute()
  await touch(
    writer,
    schoolId,
    gone.map(({ file_id }) => file_id),
  )
}

const ofReferrer = (writer: Writer, { schoolId, type, id }: Referrer) =>
  writer.selectFrom('file_reference').where('school_id', '=', schoolId).where('ref_type', '=', type).where('ref_id', '=', id)

async function unlink(writer: Writer, { schoolId, type, id }: Referrer, { field, fileId }: FileReference): Promise<void> {
  await writer
    .deleteFrom('file_reference')
    .where('school_id', '=', schoolId)
    .where('file_id', '=', fileId)
    .where('ref_type', '=', type)
    .where('ref_id', '=', id)
    .where('field', '=', field)
    .execute()
}

async function touch(writer: Writer, schoolId: string, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return
  await lockRows(writer, 'file', { schoolId, ids: fileIds })
  await writer
    .updateTable('file')
    .set({ unused_since: new Date() })
    .where('school_id', '=', schoolId)
    .where('id', 'in', [...new Set(fileIds)])
    .execute()
}
