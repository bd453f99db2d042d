/** A digital product of the demo school. */
export interface DemoProduct {
  slug: string
  title: string
  subtitle: string
  description: string
  kind: 'ebook' | 'template' | 'audio' | 'image_pack' | 'bundle' | 'other'
  status: 'draft' | 'published'
  access: 'free' | 'paid' | 'plan_only'
  /** In cents, only where access is paid. */
  price_amount: number | null
  category: string
  tags: readonly string[]
  download_limit: number | null
  license: string | null
  files: readonly DemoProductFile[]
}

export interface DemoProductFile {
  title: string
  filename: string
  content_type: 'application/pdf' | 'text/csv' | 'image/png'
  lines: readonly string[]
}

const offered = { status: 'published', access: 'paid', price_amount: null, download_limit: null, license: null } as const
const ownUse = 'For your own bench. Share the pots, not the file.'

const pdf = (title: string, filename: string, ...lines: string[]): DemoProductFile => ({
  title,
  filename: `${filename}.pdf`,
  content_type: 'application/pdf',
  lines,
})
const table = (title: string, filename: string, ...lines: string[]): DemoProductFile => ({
  title,
  filename: `${filename}.csv`,
  content_type: 'text/csv',
  lines,
})

/** In the order of the shop. */
export const products: readonly DemoProduct[] = [
  {
    ...offered,
    slug: 'glaze-recipe-cards',
    title: 'Glaze Recipe Cards',
    subtitle: 'Twenty-four glazes, tested on our own clay',
    description: 'One card for each glaze: what goes in, what it did in our kiln, and what to change when yours crawls.',
    kind: 'ebook',
    price_amount: 1400,
    category: 'ceramics',
    tags: ['glaze', 'kiln'],
    license: ownUse,
    files: [
      pdf('The cards', 'glaze-recipe-cards', 'Straw: ash 40, feldspar 30, clay 30', 'Rust: iron 9 over Straw', 'Slate: cobalt 0.5, iron 2'),
      table('Weights for a bucket', 'glaze-weights', 'glaze,material,grams', 'Straw,ash,2000', 'Straw,feldspar,1500', 'Straw,clay,1500'),
    ],
  },
  {
    ...offered,
    slug: 'chair-plans',
    title: 'Chair Plans',
    subtitle: 'Full size, on eleven sheets',
    description: 'Every part of the chair from the course, drawn at its size, with the sight lines. Print it, tape it, saw it.',
    kind: 'template',
    price_amount: 2400,
    category: 'wood',
    tags: ['wood', 'chair'],
    download_limit: 10,
    license: ownUse,
    files: [pdf('Chair Plans', 'chair-plans', 'Seat 460 by 410', 'Front legs 12 degrees out, 8 forward', 'Bow 1150 along the curve')],
  },
  {
    ...offered,
    slug: 'indigo-vat-log',
    title: 'Indigo Vat Log',
    subtitle: 'A year of vats, a line a day',
    description: 'Sheets to keep beside the vat: temperature, smell, colour of the foam, and what you fed it.',
    kind: 'template',
    price_amount: 600,
    category: 'textiles',
    tags: ['dye'],
    files: [pdf('Log sheets', 'indigo-vat-log', 'Date, degrees, foam, fed, dipped')],
  },
  {
    ...offered,
    slug: 'loaf-timing-sheet',
    title: 'Loaf Timing Sheet',
    subtitle: 'From starter to crust, for your own day',
    description: 'Write down when you want to eat. It counts backwards to when you must get up.',
    kind: 'other',
    access: 'free',
    category: 'baking',
    tags: ['bread'],
    files: [pdf('Timing sheet', 'loaf-timing-sheet', 'Eat at noon: bake at nine, shape at ten the evening before')],
  },
  {
    ...offered,
    slug: 'binding-templates',
    title: 'Binding Templates',
    subtitle: 'Hole guides for five structures',
    description: 'Cut them from card once and punch straight for years.',
    kind: 'template',
    price_amount: 900,
    category: 'paper',
    tags: ['paper', 'sewing'],
    download_limit: 10,
    files: [
      pdf('Hole guides', 'binding-hole-guides', 'Pamphlet: three holes, 35 apart', 'Coptic: five holes, 28 apart'),
      pdf('Box nets', 'binding-box-nets', 'Measure the book, add two boards and a breath'),
    ],
  },
  {
    ...offered,
    slug: 'tool-wall-drawings',
    title: 'Tool Wall Drawings',
    subtitle: 'Where ours hang, and why',
    description: 'Drawings of the wall in the wood room. For members.',
    kind: 'image_pack',
    access: 'plan_only',
    category: 'wood',
    tags: ['wood', 'tools'],
    files: [{ title: 'The wall', filename: 'tool-wall.png', content_type: 'image/png', lines: [] }],
  },
  {
    ...offered,
    slug: 'fair-table-bundle',
    title: 'Fair Table Bundle',
    subtitle: 'Price tags, a packing list and a sum that works',
    description: 'What we take to the autumn fair, so that you do not have to find out in the rain.',
    kind: 'bundle',
    price_amount: 1100,
    category: 'business',
    tags: ['business'],
    files: [
      pdf('Price tags', 'price-tags', 'Say it aloud before you write it down'),
      table('Packing list', 'packing-list', 'what,how many', 'cloth,2', 'clips,24', 'change in coins,50'),
    ],
  },
  {
    ...offered,
    slug: 'kiln-firing-sheets',
    title: 'Kiln Firing Sheets',
    subtitle: 'Still being tested',
    description: 'Schedules for bisque and glaze. We want two more firings before anybody trusts them.',
    kind: 'template',
    status: 'draft',
    price_amount: 800,
    category: 'ceramics',
    tags: ['kiln'],
    files: [table('Schedules', 'firing-schedules', 'stage,degrees an hour,until', 'bisque,80,600', 'bisque,120,1000')],
  },
]
