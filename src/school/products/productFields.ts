import { z } from 'zod'
import { uuidOf } from '../../base/ids.ts'
import type { ParameterValues } from '../../engine/declare/expressions.ts'
import { externalId, image, line, lineOrEmpty, metadata, money, reference, slug, timestamp } from '../../engine/declare/fields.ts'
import { richText } from '../../engine/declare/richText.ts'
import { seo } from '../settings/seo.ts'
import { maxFiles } from './productFiles.ts'

const fileTitle = line(160).meta({ description: 'Title of the file.', example: 'Glaze cards, A6' })

const fileId = reference('fil', 'Id of a private, completely uploaded file with the purpose digital_product.')

export const newFile = z.object({ file_id: fileId, title: fileTitle })

export const changedFile = z.object({ file_id: fileId.optional(), title: fileTitle.optional() })

export const fileParameter = z.object({ file: reference('dpf', 'Id of a file of the product.') })

export const fileIdOf = (parameters: ParameterValues<(typeof fileParameter)['shape']>): string => uuidOf('dpf', parameters.get('file'))

export const productSchema = z.object({
  title: line(160).meta({ description: 'Name of the product.', example: 'Glaze Recipe Cards' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'glaze-recipe-cards' }),
  subtitle: lineOrEmpty(200).nullable().meta({ description: 'One line below the title.', example: 'Forty cards to hang up' }),
  ...richText('description', { max: 20_000, description: 'Description of the product.', example: 'Forty glazes that do not crawl.' }),
  cover_image: image('Picture of the product.').nullable().meta({ description: 'Picture of the product.', example: null }),
  category: lineOrEmpty(60).nullable().meta({ description: 'Slug of the category in the shop.', example: 'ceramics' }),
  tags: z
    .array(line(40))
    .max(20)
    .meta({ description: 'Tags of the product.', example: ['glaze'] }),
  kind: z
    .enum(['ebook', 'template', 'audio', 'video', 'image_pack', 'software', 'bundle', 'other'])
    .meta({ component: 'ProductKind' })
    .meta({ description: 'Kind of the product.', example: 'template' }),
  status: z
    .enum(['draft', 'published', 'archived'])
    .meta({ component: 'ProductStatus' })
    .meta({ description: 'Visitors see only published products.', example: 'published' }),
  access: z
    .enum(['free', 'paid', 'plan_only'])
    .meta({ component: 'ProductAccess' })
    .meta({ description: 'How people get the product. Everybody can download a free product.', example: 'paid' }),
  price: money('Price of a paid product.')
    .nullable()
    .meta({ description: 'Price; null unless access is paid.', example: { amount: 1900, currency: 'EUR' } }),
  compare_at_price: money('Former price.').nullable().meta({ description: 'Former price, greater than the current one.', example: null }),
  files: z
    .array(
      z.object({
        id: reference('dpf', 'Id of the file within the product.'),
        file_id: reference('fil', 'Id of the uploaded file.').meta({ view: 'staff', idPrefix: 'fil' }),
        title: z.string().meta({ description: 'Title of the file.', example: 'Glaze cards, A6' }),
        filename: z.string().meta({ description: 'File name of the download.', example: 'glaze-cards.pdf' }),
        content_type: z.string().meta({ description: 'Media type.', example: 'application/pdf' }),
        byte_size: z.int().meta({ description: 'Size in bytes.', example: 48_213 }),
        version: z.int().meta({ description: 'Increases when the content is replaced.', example: 1 }),
        download_url: z
          .url()
          .nullable()
          .default(null)
          .meta({ description: 'Temporary URL of the content, for staff. Others request a download.', example: null, view: 'staff' }),
        expires_at: timestamp().nullable().default(null).meta({ description: 'When download_url expires.', example: null, view: 'staff' }),
      }),
    )
    .meta({ description: 'Files of the product, in their order.', example: [] }),
  preview_file: z
    .object({
      file_id: reference('fil', 'Id of a public file.'),
      url: z.url().meta({ description: 'URL of the file.', example: 'https://school.example/files/fil_01/sample.pdf', readOnly: true }),
      filename: z.string().meta({ description: 'File name.', example: 'sample.pdf', readOnly: true }),
      content_type: z.string().meta({ description: 'Media type.', example: 'application/pdf', readOnly: true }),
      byte_size: z.int().meta({ description: 'Size in bytes.', example: 18_422, readOnly: true }),
    })
    .nullable()
    .meta({ description: 'Public preview of the product.', example: null }),
  license: z.string().max(2000).nullable().meta({ description: 'Licence terms.', example: 'For your own studio.' }),
  download_limit: z
    .int()
    .min(1)
    .max(1000)
    .nullable()
    .meta({ description: 'How often each person may download a file; null without a limit.', example: 20 }),
  updates_note: z.string().max(2000).nullable().meta({ description: 'Changes in the latest version.', example: null }),
  owned: z
    .boolean()
    .meta({ description: 'True if the caller owns the product: bought, granted, or included in a plan.', example: true, view: 'own' }),
  sales_count: z.int().meta({ description: 'Number of sales.', example: 31, view: 'staff' }),
  seo,
  position: z.int().meta({ description: 'Position in the shop.', example: 3, view: 'staff' }),
  published_at: timestamp().nullable().meta({ description: 'When the product was first published.', example: '2026-03-01T09:30:00.000Z' }),
  archived_at: timestamp().nullable().meta({ description: 'When the product was archived.', example: null }),
  external_id: externalId(),
  metadata: metadata(),
})

export const downloadResponse = z.object({
  url: z.url().meta({
    description: 'URL of the content. Anybody with the URL can use it until it expires.',
    example: 'https://school.example/files/fil_01/glaze-cards.pdf',
  }),
  expires_at: timestamp().meta({ description: 'When the URL expires.', example: '2026-03-01T09:35:00.000Z' }),
})

export const productCopy = z.object({
  title: line(160).optional().meta({ description: 'Name of the copy.', example: 'Glaze Recipe Cards, second set' }),
  slug: slug().optional().meta({ description: 'Readable key of the copy.', example: 'glaze-recipe-cards-2' }),
})

export const fileOrder = z.object({
  file_ids: z
    .array(reference('dpf', 'Id of a file of the product.'))
    .max(maxFiles)
    .meta({ description: 'All files of the product, each once.', example: [] }),
})

export const productWritable = [
  'title',
  'slug',
  'subtitle',
  'description',
  'description_format',
  'cover_image',
  'category',
  'tags',
  'kind',
  'access',
  'price',
  'compare_at_price',
  'preview_file',
  'license',
  'download_limit',
  'updates_note',
  'seo',
  'position',
  'external_id',
  'metadata',
] as const
