import { newId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import { audienceOf, type PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices, WaitingBytes } from '../../policy/externalServices.ts'
import { type FilePurpose, type FilePurposeName, filePurposes } from '../../policy/filePurposes.ts'
import type { School } from '../../policy/school.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import { dropRemoval } from '../../store/fileRemovals.ts'
import { recentUploads } from '../../store/files.ts'
import type { Sql } from '../../store/sql.ts'
import { takeRoom } from '../../store/storageUsage.ts'
import { drawingLimits } from './cleanSvg.ts'

/** What a rule here needs of the change that it belongs to. */
export interface FileContext {
  sql: Sql
  writer: Writer
  school: School
  caller: PersonCaller
  now: Date
  externalServices: ExternalServices
}

/** A file as it is announced. */
export interface Announced {
  filename: string
  content_type: string
  byte_size: number
  purpose: FilePurposeName
  visibility?: 'public' | 'private' | undefined
  checksum_sha256?: string | undefined
  alt?: string | null | undefined
}

/** How long the address of an upload lives. */
const uploadMinutes = 60

/** How a file may be called: no path, nothing that a header or a terminal would take for a command. */
export const filenameForm = /^(?!\.{1,2}$)[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\]{1,255}$/u

/**
 * Whether the caller may bring such a file at all.
 * @throws Problem access_denied, type_not_allowed, payload_too_large
 */
function requireAllowed(
  { purpose, content_type, byte_size }: Pick<Announced, 'purpose' | 'content_type' | 'byte_size'>,
  caller: PersonCaller,
): void {
  if (audienceOf(caller) === 'learner' && purpose !== 'avatar') {
    throw new Problem('access_denied', { description: 'Learners upload a picture of themselves and nothing else: the purpose avatar.' })
  }
  const { types, maxBytes }: FilePurpose = filePurposes[purpose]
  if (!types.includes(content_type)) {
    const message = `For the purpose ${purpose} a file is one of ${types.join(', ')}.`
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
      description: `For the purpose ${purpose} a file has at most ${maxBytes} bytes.`,
      details: [{ field: 'byte_size', code: 'max', message: `byte_size: at most ${maxBytes}`, meta: { max: maxBytes } }],
    })
  }
}

/** Makes a file whose bytes are still to come. Answers what its upload is. */
export async function announceFile(context: FileContext, announced: Announced): Promise<{ file_id: string; expires_at: Date }> {
  const { writer, sql, school, caller, now } = context
  requireAllowed(announced, caller)
  await requireRoom(context, announced.byte_size)
  const id = newId()
  await writer
    .insertInto('file')
    .values({
      school_id: school.id,
      id,
      storage_key: `${school.id}/${id}`,
      uploaded_by: caller.accountId,
      ...columnsOf(announced),
      checksum_sha256: announced.checksum_sha256 ?? null,
    })
    .execute()
  await recordChange(sql, { school_id: school.id, type: 'file', resource_id: id, action: 'created', version: 1 })
  return { file_id: id, expires_at: new Date(now.getTime() + uploadMinutes * 60_000) }
}

/** What `takeFile` has stored of a form's file. */
export interface Stored {
  storage_key?: string
  content_type?: string
  bytes?: number
  checksum?: string
  width?: number | null
  height?: number | null
}

/**
 * Stores the file of a form before its row is written. What the form says wrong is said later, with everything else.
 * @throws Problem where the caller may not bring such a file, or its bytes are not what they are said to be
 */
export async function takeFile(
  { fields, file }: { fields: Readonly<Record<string, string>>; file: WaitingBytes | undefined },
  { school, caller, externalServices }: Pick<FileContext, 'school' | 'caller' | 'externalServices'>,
): Promise<Stored & Record<string, unknown>> {
  const purpose = fields.purpose ?? ''
  if (!file || file.bytes === 0 || !Object.hasOwn(filePurposes, purpose)) return {}
  requireAllowed({ purpose: purpose as FilePurposeName, content_type: file.contentType, byte_size: file.bytes }, caller)
  const storage_key = `${school.id}/${newId()}`
  const { byteSize, ...facts } = await externalServices.files.store(school, storage_key, file)
  return { storage_key, content_type: file.contentType, bytes: byteSize, ...facts }
}

/** What is wrong with the file of a form. */
export function checkForm(
  { file }: Readonly<Record<string, unknown>>,
  { received = {} }: { received?: Stored | undefined },
): ProblemDetail[] {
  if (file === undefined) return [{ field: 'file', code: 'required', message: 'file: is required. Send it.' }]
  return received.storage_key === undefined ? [{ field: 'file', code: 'min', message: 'file: must not be empty' }] : []
}

/** The columns of a file that came in a form. Its bytes have a row from now on. */
export async function fileOfForm(context: FileContext & { received?: Stored | undefined }, values: Readonly<Record<string, unknown>>) {
  const { sql, school, caller, now, received = {} } = context
  const { storage_key = '', content_type = '', bytes = 0, checksum = '', width = null, height = null } = received
  await requireRoom(context, bytes)
  const isKept = await dropRemoval(sql, { school_id: school.id, storage_key })
  if (!isKept) throw new Problem('temporarily_unavailable', { headers: { 'Retry-After': '1' } })
  const announced = { ...values, filename: values.file, content_type, byte_size: bytes } as unknown as Announced
  return {
    ...columnsOf(announced),
    status: 'ready',
    storage_key,
    uploaded_by: caller.accountId,
    checksum_sha256: checksum,
    width,
    height,
    unused_since: now,
  }
}

const columnsOf = ({ filename, content_type, byte_size, purpose, visibility, alt }: Announced) => ({
  filename,
  content_type,
  bytes: byte_size,
  purpose,
  visibility: visibility ?? filePurposes[purpose].visibility,
  alt: alt ?? null,
})

/** @throws Problem quota_exceeded for the school, rate_limited for the person */
async function requireRoom({ sql, school, caller, externalServices }: FileContext, bytes: number): Promise<void> {
  const { quotaBytes, uploadsPerMinute, bytesPerDay } = externalServices.files.limits
  if (!(await takeRoom(sql, school.id, { bytes, quota: quotaBytes }))) throw new Problem('quota_exceeded')
  // Behind the lock of the school's room: of many who ask at once each sees those before.
  const recent = await recentUploads(sql, school.id, caller.accountId)
  if (recent.inMinute < uploadsPerMinute && recent.bytesInDay + bytes <= bytesPerDay) return
  const isDay = recent.inMinute < uploadsPerMinute
  throw new Problem('rate_limited', {
    description: isDay
      ? `One person brings at most ${bytesPerDay} bytes a day.`
      : `One person brings at most ${uploadsPerMinute} files a minute.`,
    headers: { 'Retry-After': isDay ? '3600' : '60' },
  })
}
