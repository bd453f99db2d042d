import type { Middleware } from 'koa'
import type { ServerConfig } from '../config/server.ts'
import type { CurrentPerson } from '../domain/accounts/findPerson.ts'
import { storeUpload } from '../domain/files/storeUpload.ts'
import { storeUploadedFile } from '../domain/files/storeUploadedFile.ts'
import { downloadRoute } from '../files/downloadRoute.ts'
import { uploadRoute } from '../files/uploadRoute.ts'
import type { Answer } from '../framework/call.ts'
import { apiPath, type Operation } from '../framework/declare/operations.ts'
import type { CursorSigner } from '../framework/read/cursor.ts'
import { run } from '../framework/run.ts'
import type { FailureLimit } from '../http/rateLimit.ts'
import { toPublicId } from '../lib/ids.ts'
import type { Keyring } from '../lib/keyring.ts'
import { Problem } from '../lib/problem.ts'
import { callerFrom } from '../policy/caller.ts'
import type { ExternalServices, FileServices } from '../policy/externalServices.ts'
import { fileUrl } from '../policy/fileUrl.ts'
import type { School } from '../policy/school.ts'
import { type AddressSigner, signAddress } from '../policy/signedAddress.ts'
import type { Database } from '../store/database.ts'
import { planRemoval } from '../store/fileRemovals.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import { findReadyFile } from '../store/files.ts'

export interface FilesArguments {
  database: Database
  storage: FileStorage
  keyring: Keyring
  limits(): ServerConfig['storage']
  operations: readonly Operation[]
  findPerson(schoolId: string, accountId: string): Promise<CurrentPerson | undefined>
  /** Requests for files that fail. */
  failures: FailureLimit
  /** Signs cursors, as everywhere that a declaration is read. */
  signer: CursorSigner
  /** What declarations reach, files included. */
  externalServices(): ExternalServices
}

const signedMinutes = { media: 360, others: 5 }
/** How long bytes wait for their row before they are removed. */
const patienceSeconds = 3600
const freeSeconds = 30
const longestSeconds = 3600

/** Everything about files that the composition needs: what declarations reach, and the two addresses of bytes. */
export function createFiles(args: FilesArguments): { externalServices: FileServices; uploads: Middleware; downloads: Middleware } {
  const { database, storage, keyring, limits } = args
  const [uploads, downloads] = [signerOf(keyring, 'uploads'), signerOf(keyring, 'downloads')]
  const prefixes = new Map(args.operations.map(({ resource }) => [resource.object, resource.idPrefix]))
  const externalServices: FileServices = {
    get limits() {
      const { quota_bytes: quotaBytes, uploads_per_minute: uploadsPerMinute, bytes_per_day: bytesPerDay } = limits()
      return { quotaBytes, uploadsPerMinute, bytesPerDay }
    },
    uploadAddress(school, uploadId, expiresAt) {
      const query = new URLSearchParams({ ...signAddress(uploads, [school.id, uploadId], expiresAt) })
      return `${school.issuer}${apiPath}/storage/uploads/${toPublicId('upl', uploadId)}/content?${query}`
    },
    downloadAddress(school, file) {
      const minutes = /^(video|audio)\//.test(file.content_type) ? signedMinutes.media : signedMinutes.others
      const expiresAt = new Date(Math.floor(Date.now() / 1000 + minutes * 60) * 1000)
      const query = new URLSearchParams({ ...signAddress(downloads, [school.id, file.id], expiresAt) })
      return { url: `${fileUrl(school, file)}?${query}`, expires_at: expiresAt.toISOString() }
    },
    async store(school, key, { contentType, bytes, read }) {
      await planRemoval(database.sql, { school_id: school.id, storage_key: key }, patienceSeconds)
      return await storeUploadedFile(storage, { key, contentType, byteSize: bytes, checksum: null }, read())
    },
    publicId: (object, id) => toPublicId(prefixes.get(object) ?? 'req', id),
  }
  return {
    externalServices,
    uploads: uploadRoute({
      signer: uploads,
      store: (key, sent) => storeUpload({ database, storage }, key, sent),
      describe: (school, file) => asUploader(args, { school, ...file }),
      secondsFor: (bytes) => Math.min(longestSeconds, freeSeconds + Math.ceil(bytes / limits().slowest_bytes_per_second)),
    }),
    downloads: downloadRoute({
      failures: args.failures,
      signer: downloads,
      find: (schoolId, id) => findReadyFile(database.sql, schoolId, id),
      read: (key, range) => storage.read(key, range),
    }),
  }
}

const signerOf = (keyring: Keyring, purpose: 'uploads' | 'downloads'): AddressSigner => ({
  sign: (text) => keyring.sign(purpose, text),
  verify: (text, signature) => keyring.verify(purpose, text, signature),
})

/** The file as the person reads it who brought it: the road of every other answer. */
async function asUploader(
  { database, operations, findPerson, signer, externalServices }: FilesArguments,
  { school, fileId, accountId }: { school: School; fileId: string; accountId: string },
): Promise<Answer> {
  const operation = operations.find(({ id }) => id === 'getFile')
  const person = await findPerson(school.id, accountId)
  if (!operation || !person) throw new Problem('signature_invalid')
  const scopes = [operation.scope]
  const caller = callerFrom(person, { scopes, clientId: '', grantId: '' }, new Set(scopes))
  const sent = { parameters: () => ({ id: toPublicId('fil', fileId) }) }
  const surroundings = { database: database.kysely, school, signer, externalServices: externalServices() }
  return await run(operation, caller, sent, surroundings)
}
