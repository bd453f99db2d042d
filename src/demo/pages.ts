import { z } from 'zod'
import type { Block } from '../domain/pages/pageBlock.ts'
import { readDemoFile } from './readDemoFile.ts'

const page = z.strictObject({
  slug: z.string(),
  title: z.string(),
  kind: z.enum(['home', 'landing', 'about', 'legal', 'custom']),
  status: z.enum(['draft', 'published']),
  // The test of the demo checks the blocks against the schema of the resource, which this module cannot import.
  blocks: z.array(z.custom<Block>((block) => z.strictObject({ type: z.string(), props: z.looseObject({}) }).safeParse(block).success)),
})

export type DemoPage = z.infer<typeof page>

export const pages: readonly DemoPage[] = readDemoFile('pages', z.array(page))
