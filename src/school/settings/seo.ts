import { z } from 'zod'
import { lineOrEmpty } from '../../engine/declare/fields.ts'

/** Data for search engines about a page of the school's site. */
export const seo = z
  .object({
    title: lineOrEmpty(70).nullable().default(null).meta({ description: 'Title for search engines.', example: 'Clay course' }),
    description: z.string().max(200).nullable().default(null).meta({ description: 'Text for search engines.', example: null }),
    noindex: z.boolean().default(false).meta({ description: 'True to ask search engines not to index the page.', example: false }),
  })
  .meta({ description: 'Data for search engines.', example: { title: 'Clay course', description: null, noindex: false }, component: 'Seo' })
