import { z } from 'zod'
import { lineOrEmpty } from '../framework/declare/fields.ts'

/** What search engines are told of something that stands on the school's site. */
export const seo = z
  .object({
    title: lineOrEmpty(70).nullable().default(null).meta({ description: 'Title for search engines.', example: 'Clay course' }),
    description: z.string().max(200).nullable().default(null).meta({ description: 'Text for search engines.', example: null }),
    noindex: z.boolean().default(false).meta({ description: 'Whether search engines are asked to stay away.', example: false }),
  })
  .meta({ description: 'What search engines are told.', example: { title: 'Clay course', description: null, noindex: false } })
