import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const productFile = z.strictObject({
  title: z.string(),
  filename: z.string(),
  content_type: z.enum(['application/pdf', 'text/csv', 'image/png']),
})

const product = z.strictObject({
  slug: z.string(),
  title: z.string(),
  subtitle: z.string(),
  description: z.string(),
  kind: z.enum(['ebook', 'template', 'audio', 'image_pack', 'bundle', 'other']),
  status: z.enum(['draft', 'published']).default('published'),
  access: z.enum(['free', 'paid', 'plan_only']).default('paid'),
  price_amount: z.int().nullable().default(null),
  category: z.string(),
  tags: z.array(z.string()),
  download_limit: z.int().nullable().default(null),
  license: z.string().nullable().default(null),
  files: z.array(productFile),
})

export type DemoProduct = z.infer<typeof product>

export const products: readonly DemoProduct[] = readDemoFile('products', z.array(product))
