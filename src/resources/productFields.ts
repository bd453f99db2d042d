import { z } from 'zod'
import { externalId, line, lineOrEmpty, metadata, money, reference, slug, timestamp } from '../framework/declare/fields.ts'
import { image } from '../framework/declare/image.ts'
import { richText } from '../framework/declare/richText.ts'
import { seo } from './seo.ts'

const fileTitle = line(160).meta({ description: 'What the file is called.', example: 'Glaze cards, A6' })

const fileId = reference('fil', 'Id of a private file for the purpose digital_product whose upload is complete.')

/** A file as it is added to a product. */
export const newFile = z.object({ file_id: fileId, title: fileTitle })

/** The same as it is changed. */
export const changedFile = z.object({ file_id: fileId.optional(), title: fileTitle.optional() })

/** The file of a product that an address names. */
export const fileParameter = z.object({ file: reference('dpf', 'Id of a file of the product.') })

/** What a digital product is made of. */
export const productSchema = z.object({
  title: line(160).meta({ description: 'Name of the product.', example: 'Glaze Recipe Cards' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'glaze-recipe-cards' }),
  subtitle: lineOrEmpty(200).nullable().meta({ description: 'One line below the title.', example: 'Forty cards to hang up' }),
  ...richText('description', { max: 20_000, description: 'What it is.', example: 'Forty glazes that do not crawl.' }),
  cover_image: image('Picture of the product.').nullable().meta({ description: 'Picture of the product.', example: null }),
  category: lineOrEmpty(60).nullable().meta({ description: 'Slug of its shelf in the shop.', example: 'ceramics' }),
  tags: z
    .array(line(40))
    .max(20)
    .meta({ description: 'Words to find it by.', example: ['glaze'] }),
  kind: z
    .enum(['ebook', 'template', 'audio', 'video', 'image_pack', 'software', 'bundle', 'other'])
    .meta({ description: 'What one gets.', example: 'template' }),
  status: z.enum(['draft', 'published', 'archived']).meta({ description: 'Visitors see published products only.', example: 'published' }),
  access: z.enum(['free', 'paid', 'plan_only']).meta({ description: 'How one gets it; a free one is for everybody.', example: 'paid' }),
  price: money('What it costs; only of paid products.')
    .nullable()
    .meta({ description: 'What it costs; null unless access is paid.', example: { amount: 1900, currency: 'EUR' } }),
  compare_at_price: money('A former price.').nullable().meta({ description: 'A former price, above the present one.', example: null }),
  files: z
    .array(
      z.object({
        id: reference('dpf', 'Id of the file within the product.'),
        file_id: reference('fil', 'Id of the bytes.').meta({ view: 'staff', idPrefix: 'fil' }),
        title: z.string().meta({ description: 'What it is called.', example: 'Glaze cards, A6' }),
        filename: z.string().meta({ description: 'Name under which it is saved.', example: 'glaze-cards.pdf' }),
        content_type: z.string().meta({ description: 'Type of the bytes.', example: 'application/pdf' }),
        byte_size: z.int().meta({ description: 'Size in bytes.', example: 48_213 }),
        version: z.int().meta({ description: 'Rises when the bytes are replaced.', example: 1 }),
        download_url: z
          .url()
          .nullable()
          .default(null)
          .meta({ description: 'Where staff read it, for a while. Everybody else asks for a download.', example: null, view: 'staff' }),
        expires_at: timestamp().nullable().default(null).meta({ description: 'Until when.', example: null, view: 'staff' }),
      }),
    )
    .meta({ description: 'What is in it, in its order.', example: [] }),
  preview_file: z
    .object({
      file_id: reference('fil', 'Id of a public file.'),
      url: z.url().meta({ description: 'Where it is.', example: 'https://school.example/files/fil_01/sample.pdf', readOnly: true }),
      filename: z.string().meta({ description: 'Its name.', example: 'sample.pdf', readOnly: true }),
      content_type: z.string().meta({ description: 'Its type.', example: 'application/pdf', readOnly: true }),
      byte_size: z.int().meta({ description: 'Its size in bytes.', example: 18_422, readOnly: true }),
    })
    .nullable()
    .meta({ description: 'A file that everybody may look at beforehand.', example: null }),
  license: z.string().max(2000).nullable().meta({ description: 'What one may do with it.', example: 'For your own studio.' }),
  download_limit: z
    .int()
    .min(1)
    .max(1000)
    .nullable()
    .meta({ description: 'How often one person may download; null where there is no limit.', example: 20 }),
  updates_note: z.string().max(2000).nullable().meta({ description: 'What is new in the last version.', example: null }),
  owned: z.boolean().meta({ description: 'Whether it is yours: bought, given, or part of your plan.', example: true, view: 'own' }),
  sales_count: z.int().meta({ description: 'How often it was sold.', example: 31, view: 'staff' }),
  seo,
  position: z.int().meta({ description: 'Place in the shop.', example: 3, view: 'staff' }),
  published_at: timestamp().nullable().meta({ description: 'When it was first published.', example: '2026-03-01T09:30:00.000Z' }),
  archived_at: timestamp().nullable().meta({ description: 'When it was taken out of the shop.', example: null }),
  external_id: externalId(),
  metadata: metadata(),
})

/** What a download is answered with. */
export const downloadAnswer = z.object({
  url: z
    .url()
    .meta({ description: 'Where the bytes are. Good for who has it.', example: 'https://school.example/files/fil_01/glaze-cards.pdf' }),
  expires_at: timestamp().meta({ description: 'Until when.', example: '2026-03-01T09:35:00.000Z' }),
})
