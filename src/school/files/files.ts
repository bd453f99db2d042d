import { z } from 'zod'
import { fileUrl } from '../../base/fileUrl.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, nothing } from '../../engine/declare/expressions.ts'
import { reference } from '../../engine/declare/fields.ts'
import { fileFields } from './fileFields.ts'
import { checkForm, fileOfForm, releaseFile, storeFormFile } from './fileWriting.ts'
import { metadataKinds } from './pictures/pictureParts.ts'
import { storage } from './storage.ts'
import { isUploadedBy, referencesOf } from './visibleFiles.ts'

const pixels = (description: string) => z.int().nullable().meta({ description, example: 1600 })

export const files = defineResource({
  name: 'files',
  path: 'storage/files',
  object: 'file',
  idPrefix: 'fil',
  table: 'file',
  about:
    'A file of the school: a picture, a video, a download. A file that no field, no text and no change that can be taken back names for 30 days is moved to the trash, and removed 7 days later.',
  undo: 'The bytes of a file are removed with it.',
  scopes: storage,
  schema: z.object({
    filename: fileFields.filename,
    content_type: fileFields.contentType,
    byte_size: z.int().meta({ description: 'Size in bytes.', example: 48_213 }),
    checksum_sha256: fileFields.checksum
      .nullable()
      .meta({ description: 'SHA-256 of the bytes. For a pending file, the announced value.', example: null }),
    purpose: fileFields.purpose,
    visibility: fileFields.visibility,
    status: z.enum(['pending', 'ready', 'failed', 'deleted']).meta({ component: 'FileStatus' }).meta({
      description:
        'Status. `deleted`: in the trash; a field that names the file takes it out. The file counts against the quota until it is removed.',
      example: 'ready',
    }),
    alt: z
      .string()
      .max(300)
      .nullable()
      .meta({ description: 'Text alternative for people who cannot see the picture.', example: 'A kiln, open' }),
    width: pixels('Width of a picture in pixels.'),
    height: pixels('Height of a picture in pixels.'),
    metadata_removed: z
      .array(z.enum(metadataKinds).meta({ description: 'Kind of metadata.', example: 'gps' }))
      .nullable()
      .meta({
        description:
          'What was removed from the bytes of a public picture, which keeps its pixels, colour profile and orientation; byte_size and checksum_sha256 describe the rest. Null for other files, and for a picture that a job cleans soon.',
        example: ['camera', 'gps'],
      }),
    duration_seconds: z.int().nullable().meta({ description: 'Duration of audio or video, if known.', example: null }),
    url: z.url().nullable().meta({ description: 'URL of a public file.', example: null }),
    references_count: z.int().meta({ description: 'Number of references to the file.', example: 2 }),
    uploaded_by: reference('acc', 'Account that uploaded the file.')
      .nullable()
      .meta({ description: 'Account that uploaded the file.', idPrefix: 'acc', example: null }),
  }),
  derived: {
    byte_size: { from: ['bytes'], of: ({ bytes }) => Number(bytes) },
    url: {
      from: ['visibility', 'status', 'filename'],
      of: (file, { school }) => (file.visibility === 'public' && file.status === 'ready' ? fileUrl(school, file) : null),
    },
    references_count: { select: referencesOf, of: (count: number | string) => Number(count) },
  },
  inputs: z.object({
    file: fileFields.filename.meta({ description: 'The file itself, with its name and type.', example: 'kiln.webp', format: 'binary' }),
  }),
  writable: [
    { field: 'purpose', on: 'create' },
    { field: 'visibility', on: 'create' },
    { field: 'alt', on: 'create' },
  ],
  required: ['purpose', 'file'],
  filters: ['purpose', 'status', 'created_at', 'uploaded_by'],
  search: ['filename'],
  sorts: ['-created_at'],
  visibility: { anonymous: nothing, learner: isUploadedBy, lecturer: isUploadedBy, staff: everything },
  views: { own: isUploadedBy },
  operations: {
    list: 'write',
    get: 'write',
    create: {
      scope: 'write',
      errors: ['quota_exceeded', 'type_not_allowed'],
      id: 'uploadFile',
      undo: 'A file to which nothing refers is removed by itself.',
      takes: { type: 'multipart/form-data', maxBytes: 26_214_400, receive: storeFormFile },
      check: checkForm,
      defaults: fileOfForm,
    },
    remove: {
      scope: 'write',
      asksFirst: 'irreversible',
      parameters: z.object({
        force: z.boolean().default(false).meta({ description: 'Staff only: also remove all references to the file.', example: false }),
      }),
      before: releaseFile,
    },
  },
})
