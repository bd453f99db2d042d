import { audienceOf, type PersonCaller } from '../../base/caller.ts'
import { newId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { dropRemoval } from '../../database/files/fileRemovals.ts'
import { takeRoom } from '../../database/files/storageUsage.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { recentUploads, releaseBytes } from '../../database/tables/files.ts'
import { type FilePurpose, type FilePurposeName, filePurposeNames, filePurposes } from '../../engine/declare/filePurposes.ts'
import type { ExternalServices, WaitingBytes } from '../../engine/externalServices.ts'
import type { CallerContext } from '../changeContext.ts'
import { drawingLimits } from './cleanSvg.ts'

export type FileContext = CallerContext

export interface FileProperties {
  filename: string
  content_type: string
  byte_size: number
  purpose: FilePurposeName
  visibility?: 'public' | 'private' | undefined
  checksum_sha256?: string | undefined
  alt?: string | null | undefined
}

const uploadMinutes = 60

/** The format of a file name: no path, and no characters that control a header or a terminal, or turn the direction of what follows. */
export const filenameForm = /^(?!\.{1,2}$)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069/\\]{1,255}$/u

/**
 * Checks that the caller may upload a file with this purpose, type and size.
 * @throws Problem access_denied, type_not_allowed, payload_too_large
 */
function requireAllowed(
  { purpose, content_type, byte_size }: Pick<FileProperties, 'purpose' | 'content_type' | 'byte_size'>,
  caller: PersonCaller,
): void {
  if (audienceOf(caller) === 'learner' && purpose !== 'avatar') {
    throw new Problem('access_denied', { description: 'Learners can upload only files with the purpose avatar.' })
  }
  const { types, maxBytes }: FilePurpose = filePurposes[purpose]
  if (!types.includes(content_type)) {
    const message = `A file with the purpose ${purpose} must have one of these types: ${types.join(', ')}.`
    throw new Problem('type_not_allowed', {
      description: message,
      details: [{ field: 'content_type', code: 'type_not_allowed', message, meta: { allowed: [...types] } }],
    })
  }
  if (content_type === 'image/svg+xml' && byte_size > drawingLimits.bytes) {
    const message = `byte_size: an SVG drawing must have at most ${drawingLimits.bytes} bytes. Simplify its paths, or upload it as PNG or WebP.`
    throw new Problem('payload_too_large', {
      description: message,
      details: [{ field: 'byte_size', code: 'max', message, meta: { max: drawingLimits.bytes } }],
    })
  }
  if (byte_size > maxBytes) {
    throw new Problem('payload_too_large', {
      description: `A file with the purpose ${purpose} must have at most ${maxBytes} bytes.`,
      details: [{ ...fieldError('byte_size', 'max', `must be at most ${maxBytes}`), meta: { max: maxBytes } }],
    })
  }
}

/** Creates a file whose bytes are uploaded later. Returns the columns of its upload. */
export async function announceFile(context: FileContext, announced: FileProperties): Promise<{ file_id: string; expires_at: Date }> {
  const { writer, caller, now } = context
  requireAllowed(announced, caller)
  await requireRoom(context, announced.byte_size)
  const id = newId()
  await writer
    .insertInto('file')
    .values({
      school_id: writer.schoolId,
      id,
      storage_key: `${writer.schoolId}/${id}`,
      uploaded_by: caller.accountId,
      ...columnsOf(announced),
      checksum_sha256: announced.checksum_sha256 ?? null,
    })
    .execute()
  await recordChange(writer, { type: 'file', resource_id: id, action: 'created', version: 1 })
  return { file_id: id, expires_at: new Date(now.getTime() + uploadMinutes * 60_000) }
}

export interface StoredFile {
  storage_key?: string
  content_type?: string
  bytes?: number
  checksum?: string
  width?: number | null
  height?: number | null
  metadataRemoved?: string[] | null
}

/**
 * Stores the file of a multipart form before its row is written. Errors in other fields are reported later, together.
 * @throws Problem if the caller may not upload such a file, or its content does not match its type
 */
export async function storeFormFile(
  { fields, file }: { fields: Readonly<Record<string, string>>; file: WaitingBytes | undefined },
  { school, caller, externalServices }: Pick<FileContext, 'school' | 'caller' | 'externalServices'>,
): Promise<StoredFile & Record<string, unknown>> {
  const purpose = filePurposeNames.find((name) => name === fields.purpose)
  if (!file || file.bytes === 0 || !purpose) return {}
  requireAllowed({ purpose, content_type: file.contentType, byte_size: file.bytes }, caller)
  const storage_key = `${school.id}/${newId()}`
  const isPublic = (fields.visibility ?? filePurposes[purpose].visibility) !== 'private'
  const { byteSize, ...facts } = await externalServices.files.store(school, storage_key, file, { isPublic })
  return { storage_key, content_type: file.contentType, bytes: byteSize, ...facts }
}

export function checkForm(
  { file }: Readonly<Record<string, unknown>>,
  { received = {} }: { received?: StoredFile | undefined },
): ProblemDetail[] {
  if (file === undefined) return [fieldError('file', 'required', 'is required')]
  return received.storage_key === undefined ? [fieldError('file', 'min', 'must not be empty')] : []
}

type FormValues = Readonly<Pick<FileProperties, 'purpose' | 'visibility' | 'alt'> & { file: string }>

/** Returns the columns of a file from a form, and cancels the planned removal of its bytes. */
export async function fileOfForm(context: FileContext & { received?: StoredFile | undefined }, values: FormValues) {
  const { writer, caller, now, received = {} } = context
  const { storage_key = '', content_type = '', bytes = 0, checksum = '', width = null, height = null, metadataRemoved = null } = received
  await requireRoom(context, bytes)
  const isStored = await dropRemoval(writer, { school_id: writer.schoolId, storage_key })
  if (!isStored) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' } })
  return {
    ...columnsOf({ ...values, filename: values.file, content_type, byte_size: bytes }),
    status: 'ready',
    storage_key,
    uploaded_by: caller.accountId,
    checksum_sha256: checksum,
    width,
    height,
    metadata_removed: metadataRemoved && JSON.stringify(metadataRemoved),
    unused_since: now,
  }
}

const columnsOf = ({ filename, content_type, byte_size, purpose, visibility, alt }: FileProperties) => ({
  filename,
  content_type,
  bytes: byte_size,
  purpose,
  visibility: visibility ?? filePurposes[purpose].visibility,
  alt: alt ?? null,
})

/** @throws Problem quota_exceeded of the school, rate_limited of the person */
async function requireRoom({ writer, caller, externalServices }: FileContext, bytes: number): Promise<void> {
  const { quotaBytes, uploadsPerMinute, bytesPerDay } = externalServices.files.limits
  if (!(await takeRoom(writer, writer.schoolId, { bytes, quota: quotaBytes }))) throw new Problem('quota_exceeded')
  // Read under the lock of the school's quota, so that concurrent requests see each other's uploads.
  const recent = await recentUploads(writer, writer.schoolId, caller.accountId)
  if (recent.inMinute < uploadsPerMinute && recent.bytesInDay + bytes <= bytesPerDay) return
  const isDay = recent.inMinute < uploadsPerMinute
  throw new Problem('rate_limited', {
    description: isDay
      ? `A person can upload at most ${bytesPerDay} bytes per day. Try again later.`
      : `A person can upload at most ${uploadsPerMinute} files per minute. Try again later.`,
    headers: { 'Retry-After': isDay ? '3600' : '60' },
  })
}

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
