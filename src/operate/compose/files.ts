import type { Middleware } from 'koa'
import { callerFrom } from '../../base/caller.ts'
import { fileUrl } from '../../base/fileUrl.ts'
import { toPublicId } from '../../base/ids.ts'
import type { Keyring } from '../../base/keyring.ts'
import { Problem } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { ServerConfig } from '../../config/server.ts'
import { planRemoval } from '../../database/files/fileRemovals.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { inSchool } from '../../database/school/inSchool.ts'
import { findReadyFile } from '../../database/tables/files.ts'
import type { ApiResponse } from '../../engine/call.ts'
import { apiPath } from '../../engine/declare/operations.ts'
import type { FileServices } from '../../engine/externalServices.ts'
import { run } from '../../engine/run.ts'
import { downloadRoute } from '../../school/files/downloadRoute.ts'
import { type AddressSigner, signAddress } from '../../school/files/signedAddress.ts'
import { storeUpload, storeUploadedFile } from '../../school/files/storeUploadedFile.ts'
import { uploadRoute } from '../../school/files/uploadRoute.ts'
import { type BasicParts, type Foundation, personIn } from './foundation.ts'

const signedMinutes = { media: 360, others: 5 }
/** How long uploaded bytes without a row are stored before they are deleted. */
const timeoutSeconds = 3600
const freeSeconds = 30
const longestSeconds = 3600

export interface FileServicesArguments extends Pick<BasicParts, 'database' | 'keyring' | 'operations'> {
  storage(): Promise<FileStorage>
  limits(): ServerConfig['storage']
}

export function createFileServices({ limits, database, storage, keyring, operations }: FileServicesArguments): FileServices {
  // The framework takes the time from the clock of this machine.
  const inSharedTime = (time: Date): Date => new Date(time.getTime() + keyring.now() - Date.now())
  const [uploads, downloads] = [signerOf(keyring, 'uploads'), signerOf(keyring, 'downloads')]
  const prefixes = new Map(operations.map(({ resource }) => [resource.object, resource.idPrefix]))
  return {
    get limits() {
      const { quota_bytes: quotaBytes, uploads_per_minute: uploadsPerMinute, bytes_per_day: bytesPerDay } = limits()
      return { quotaBytes, uploadsPerMinute, bytesPerDay }
    },
    uploadAddress(school, uploadId, expiresAt) {
      const query = new URLSearchParams({ ...signAddress(uploads, [school.id, uploadId], inSharedTime(expiresAt)) })
      return `${school.issuer}${apiPath}/storage/uploads/${toPublicId('upl', uploadId)}/content?${query}`
    },
    downloadAddress(school, file) {
      const minutes = /^(video|audio)\//.test(file.content_type) ? signedMinutes.media : signedMinutes.others
      const expiresAt = new Date(Math.floor(keyring.now() / 1000 + minutes * 60) * 1000)
      const query = new URLSearchParams({ ...signAddress(downloads, [school.id, file.id], expiresAt) })
      return { url: `${fileUrl(school, file)}?${query}`, expires_at: expiresAt.toISOString() }
    },
    async store(school, key, { contentType, bytes, read }, { isPublic }) {
      await planRemoval(database.kysely, { school_id: school.id, storage_key: key }, timeoutSeconds)
      return await storeUploadedFile(await storage(), { key, contentType, byteSize: bytes, checksum: null, isPublic }, read())
    },
    publicId: (object, id) => toPublicId(prefixes.get(object) ?? 'req', id),
  }
}

/** Creates the routes of the signed URLs at which bytes are uploaded and downloaded. */
export function createFileRoutes(foundation: Foundation): Middleware[] {
  const { runtime, database, databaseOf, storage, keyring, limits } = foundation
  return [
    downloadRoute({
      failures: limits.badCredentials,
      signer: signerOf(keyring, 'downloads'),
      find: (schoolId, id) => findReadyFile(database.kysely, schoolId, id),
      read: (key, range) => storage.read(key, range),
    }),
    uploadRoute({
      signer: signerOf(keyring, 'uploads'),
      store: (key, sent) => storeUpload({ database: databaseOf(key.schoolId), storage }, key, sent),
      describe: (school, file) => asUploader(foundation, { school, ...file }),
      secondsFor: (bytes) =>
        Math.min(longestSeconds, freeSeconds + Math.ceil(bytes / runtime.config.server.storage.slowest_bytes_per_second)),
    }),
  ]
}

const signerOf = (keyring: Keyring, purpose: 'uploads' | 'downloads'): AddressSigner => ({
  now: keyring.now,
  sign: (text) => keyring.sign(purpose, text),
  verify: (text, signature) => keyring.verify(purpose, text, signature),
})

/** Reads the uploaded file as its uploader sees it, through the same operation as every other request. */
async function asUploader(
  { database, operations, signer, externalServices }: Foundation,
  { school, fileId, accountId }: { school: School; fileId: string; accountId: string },
): Promise<ApiResponse> {
  const operation = operations.find(({ id }) => id === 'getFile')
  const person = await personIn(database)(school.id, accountId)
  if (!operation || !person) throw new Problem('signature_invalid')
  const scopes = [operation.scope]
  const caller = callerFrom(person, { scopes, clientId: '', grantId: '' }, new Set(scopes))
  const sent = { parameters: () => ({ id: toPublicId('fil', fileId) }) }
  const context = { database: inSchool(database.kysely, school.id), school, signer, externalServices }
  return await run(operation, caller, sent, context)
}
