import { newId } from '../../src/base/ids.ts'
import type { Sql } from '../../src/database/connection/sql.ts'
import type { FileStorage } from '../../src/database/files/fileStorage.ts'
import type { FileServices } from '../../src/engine/externalServices.ts'

export interface FileRow {
  id?: string
  filename?: string
  purpose?: string
  visibility?: string
  status?: string
  uploaded_by?: string | null
  width?: number | null
  height?: number | null
}

/** Creates the row of a file as after an upload. Returns its id. */
export async function newFile(sql: Sql, schoolId: string, file: FileRow = {}): Promise<string> {
  const { id = newId(), filename = 'kiln.webp', purpose = 'image', visibility = 'public', status = 'ready' } = file
  await sql.query(
    `INSERT INTO file (school_id, id, filename, content_type, bytes, purpose, visibility, status, storage_key, uploaded_by, width, height)
     VALUES ($1, $2, $3, 'image/webp', 12, $4, $5, $6, $7, $8, $9, $10)`,
    [schoolId, id, filename, purpose, visibility, status, `key-${id}`, file.uploaded_by ?? null, file.width ?? 1600, file.height ?? 900],
  )
  return id
}

/** The file service for declarations, in tests that transfer no bytes. */
export const filesWithoutBytes: FileServices = {
  limits: { quotaBytes: 1_000_000_000, uploadsPerMinute: 1000, bytesPerDay: 1_000_000_000 },
  uploadAddress: ({ issuer }, uploadId) => `${issuer}/uploads/${uploadId}`,
  downloadAddress: ({ issuer }, { id }) => ({ url: `${issuer}/files/${id}`, expires_at: '2026-03-01T00:05:00.000Z' }),
  store: () => Promise.reject(new Error('no bytes are stored here')),
  publicId: (object, id) => `${object} ${id}`,
}

/** A storage backend that discards its input. */
export const noStorage: FileStorage = {
  async write(_key, contents) {
    await contents.resume().toArray()
  },
  async read() {
    return undefined
  },
  async remove() {},
  async check() {},
  describe: () => 'files are stored nowhere',
  close() {},
}
