import type { Readable } from 'node:stream'
import { DeleteObjectCommand, GetObjectCommand, NoSuchKey, S3Client } from '@aws-sdk/client-s3'
import { Disk } from 'flydrive'
import { S3Driver } from 'flydrive/drivers/s3'
import { newId } from '../../base/ids.ts'
import type { BucketAddress } from '../../base/net/storageAddress.ts'
import { causeOf, type FileStorage, storageFailure } from './fileStorage.ts'

export interface BucketCredentials {
  accessKeyId: string
  secretAccessKey: string
}

/**
 * File storage in a bucket of Amazon S3 or a service that speaks its protocol. Without `credentials` they are found where
 * Amazon's tools look: environment, shared files, the role of the machine.
 */
export function bucketFiles({ bucket, endpoint, region }: BucketAddress, credentials?: BucketCredentials): FileStorage {
  const client = new S3Client({
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true, ...(region === undefined && { region: 'us-east-1' }) }),
    ...(credentials && { credentials }),
    // Services other than Amazon's reject checksums that are sent after a stream.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // A connection that falls silent ends; a long one that goes on does not.
    requestHandler: { connectionTimeout: 5000, socketTimeout: 30_000 },
    maxAttempts: 3,
    // The library would write to the console and not to our log.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
  })
  const disk = new Disk(new S3Driver({ client, bucket, visibility: 'private', supportsACL: false }))
  const place = `the bucket ${bucket}${endpoint === undefined ? '' : ` at ${new URL(endpoint).host}`}`
  const remove = async (key: string): Promise<void> => {
    await client.send(new DeleteObjectCommand({ Bucket: bucket, Key: key }))
  }
  return {
    async write(key, contents, { bytes, contentType }) {
      try {
        await disk.putStream(key, contents, { contentLength: bytes, contentType })
      } catch (error) {
        await remove(key).catch(() => {})
        throw causeOf(error)
      }
    },
    async read(key, range) {
      const requested = range && { Range: `bytes=${range.first}-${range.last}` }
      try {
        const { Body: body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, ...requested }))
        return body as Readable | undefined
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined
        throw error
      }
    },
    remove,
    async check() {
      const key = `check/${newId()}`
      try {
        await disk.put(key, 'writable')
        await remove(key)
      } catch (error) {
        throw storageFailure(place, error)
      }
    },
    describe: () => `files are stored in ${place}`,
    close: () => client.destroy(),
  }
}
