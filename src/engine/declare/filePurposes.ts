import { keysOf } from '../../base/text/keysOf.ts'

const mebibyte = 1_048_576

/** The purpose of a file: the allowed types, the maximum size, and the default visibility. */
export interface FilePurpose {
  types: readonly string[]
  maxBytes: number
  visibility: 'public' | 'private'
}

const pictures = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'] as const
const films = ['video/mp4', 'video/webm'] as const
const sounds = ['audio/mpeg', 'audio/mp4', 'audio/ogg', 'audio/wav'] as const
const documents = [
  'application/pdf',
  'application/zip',
  'application/epub+zip',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'text/csv',
  'text/plain',
  ...pictures,
  ...sounds,
  ...films,
] as const

/** All purposes. Files of other purposes cannot be uploaded. */
export const filePurposes = {
  image: { types: [...pictures, 'image/svg+xml'], maxBytes: 10 * mebibyte, visibility: 'public' },
  avatar: { types: ['image/png', 'image/jpeg', 'image/webp'], maxBytes: 2 * mebibyte, visibility: 'public' },
  lesson_video: { types: films, maxBytes: 2048 * mebibyte, visibility: 'private' },
  lesson_audio: { types: sounds, maxBytes: 500 * mebibyte, visibility: 'private' },
  attachment: { types: documents, maxBytes: 2048 * mebibyte, visibility: 'private' },
  digital_product: { types: documents, maxBytes: 2048 * mebibyte, visibility: 'private' },
  captions: { types: ['text/vtt', 'application/x-subrip'], maxBytes: mebibyte, visibility: 'private' },
} as const satisfies Record<string, FilePurpose>

export type FilePurposeName = keyof typeof filePurposes

export const filePurposeNames = keysOf(filePurposes)

export const imagePurposes: readonly FilePurposeName[] = ['image', 'avatar']
