import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import { fileFields } from './fileFields.ts'
import { announceFile } from './fileWriting.ts'
import { storage } from './storage.ts'
import { isUploadOf, targetOf } from './visibleFiles.ts'

/** Uploads of large files: a client announces a file, then sends its bytes to a signed URL. */
export const uploads = defineResource({
  name: 'uploads',
  path: 'storage/uploads',
  object: 'upload',
  idPrefix: 'upl',
  table: 'upload',
  about: 'An announced file. Send its bytes once to the signed URL of the response, within one hour and without a token.',
  undo: 'An upload that is not finished expires by itself.',
  scopes: storage,
  schema: z.object({
    status: z
      .enum(['pending', 'receiving', 'completed'])
      .meta({ description: 'Status. completed: the file is ready. A failed upload can be repeated.', example: 'pending' }),
    file_id: reference('fil', 'The file that the upload creates.').meta({
      description: 'The file that the upload creates.',
      idPrefix: 'fil',
      example: 'fil_01jgwejj00e6srgkpqm2sqf05m',
    }),
    upload: z
      .object({
        method: z.literal('PUT').meta({ description: 'Method of the request.' }),
        url: z.url().meta({
          description: 'Signed URL for the bytes. It works once.',
          example: 'https://school.example/api/v1/storage/uploads/upl_01jgwejj00e6srgkpqm2sqf05m/content',
        }),
        headers: z.record(z.string(), z.string()).meta({ description: 'Headers to send.', example: { 'Content-Type': 'image/webp' } }),
        expires_at: timestamp().meta({ description: 'When the URL expires.', example: '2026-03-01T10:30:00.000Z' }),
      })
      .nullable()
      .meta({ description: 'Request to send the bytes; null once they are stored.', example: null }),
    expires_at: timestamp().meta({ description: 'When the upload expires.', example: '2026-03-01T10:30:00.000Z' }),
  }),
  derived: {
    upload: {
      select: targetOf,
      of: (
        { id, status, expires_at, content_type }: { id: string; status: string; expires_at: string; content_type: string },
        { school, externalServices },
      ) =>
        status === 'completed'
          ? null
          : {
              method: 'PUT' as const,
              url: externalServices.files.uploadAddress(school, id, new Date(expires_at)),
              headers: { 'Content-Type': content_type },
              expires_at: new Date(expires_at).toISOString(),
            },
    },
  },
  inputs: z.object({
    filename: fileFields.filename,
    content_type: fileFields.contentType,
    byte_size: z.int().min(1).meta({ description: 'Size in bytes, exactly.', example: 48_213 }),
    purpose: fileFields.purpose,
    visibility: fileFields.visibility,
    checksum_sha256: fileFields.checksum,
  }),
  required: ['filename', 'content_type', 'byte_size', 'purpose'],
  visibility: { anonymous: nothing, learner: isUploadOf, lecturer: isUploadOf, staff: everything },
  views: { own: isUploadOf },
  operations: {
    get: 'write',
    create: {
      scope: 'write',
      errors: ['quota_exceeded', 'type_not_allowed'],
      defaults: (writing, values) => announceFile(writing, values),
    },
  },
})
