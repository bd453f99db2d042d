import { z } from 'zod'
import { invisible, isVisible } from '../../base/text/visibleText.ts'
import { filePurposeNames } from '../../engine/declare/filePurposes.ts'
import { drawingLimits } from './cleanSvg.ts'
import { filenameForm } from './fileWriting.ts'

export const fileFields = {
  filename: z
    .string()
    .regex(filenameForm, 'must be a name of 1 to 255 characters without a path')
    .refine((name) => name === '' || isVisible(name), invisible)
    .meta({ description: 'Name under which the file is saved.', example: 'kiln.webp' }),
  contentType: z
    .string()
    .min(3)
    .max(127)
    .meta({
      description: `Media type; the bytes must match it. An SVG drawing has at most ${drawingLimits.bytes} bytes, ${drawingLimits.elements} elements and ${drawingLimits.depth} levels.`,
      example: 'image/webp',
    }),
  purpose: z
    .enum(filePurposeNames)
    .meta({ component: 'FilePurpose' })
    .meta({ description: 'Purpose of the file, which decides on allowed types, size and visibility.', example: 'image' }),
  visibility: z
    .enum(['public', 'private'])
    .meta({ component: 'FileVisibility' })
    .meta({ description: 'Public files are served to everybody, private files only at signed URLs.', example: 'public' }),
  checksum: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 lower-case hexadecimal digits')
    .meta({ description: 'SHA-256 of the bytes.', example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' }),
}
