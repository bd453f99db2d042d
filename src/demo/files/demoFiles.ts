import type { FilePurposeName } from '../../policy/filePurposes.ts'
import { courses } from '../courses.ts'
import { demoSections } from '../lessons.ts'
import { type DemoProductFile, products } from '../products.ts'
import { lecturers } from '../school.ts'
import { glazeBands, lanternDrawing, logoDrawing, portrait, ringsDrawing } from './drawings.ts'
import { pdfOf } from './pdfOf.ts'

/** What a file of the demo is used for: the row, by its number or by its slug where it is a page, and the field that names it. */
export interface DemoFileUse {
  type: 'course' | 'lecturer' | 'appearance' | 'page' | 'lesson' | 'digital_product'
  row: number | string
  field: string
}

export interface DemoFile {
  filename: string
  content_type: 'image/svg+xml' | 'image/png' | 'application/pdf' | 'text/csv'
  purpose: FilePurposeName
  alt: string | null
  use: DemoFileUse
  bytes(): Buffer
}

const drawing = (filename: string, alt: string, use: DemoFileUse, bytes: () => Buffer): DemoFile => ({
  filename: `${filename}.svg`,
  content_type: 'image/svg+xml',
  purpose: 'image',
  alt,
  use,
  bytes,
})

const ofSchool = (field: string): DemoFileUse => ({ type: 'appearance', row: 0, field })
const [dark, light] = ['#3a2a1a', '#f6e7c8']

const looks: readonly DemoFile[] = [
  drawing('lantern-logo', 'Lanternfield', ofSchool('logo'), () => logoDrawing(dark)),
  drawing('lantern-logo-dark', 'Lanternfield', ofSchool('logo_dark'), () => logoDrawing(light)),
  drawing('lantern', 'A lantern', ofSchool('favicon'), () => lanternDrawing(dark)),
  drawing('workshop', 'Rings in wet clay', ofSchool('cover'), () => ringsDrawing(2, [1600, 500])),
  {
    ...drawing('', 'Seven glazes side by side', ofSchool('social_image'), () => glazeBands(240, 126)),
    filename: 'glazes.png',
    content_type: 'image/png',
  },
]

const portraits = lecturers.map(
  ({ slug, display_name }, index): DemoFile => ({
    filename: `${slug}.png`,
    content_type: 'image/png',
    purpose: 'avatar',
    alt: display_name,
    use: { type: 'lecturer', row: index, field: 'avatar' },
    bytes: () => portrait(index, 96),
  }),
)

const lecturerCovers = lecturers.map(({ slug, headline }, index) =>
  drawing(`${slug}-bench`, headline, { type: 'lecturer', row: index, field: 'cover_image' }, () => ringsDrawing(index + 20, [1600, 400])),
)

const courseCovers = courses.map(({ slug, title }, index) =>
  drawing(slug, title, { type: 'course', row: index, field: 'cover_image' }, () => ringsDrawing(index, [1200, 675])),
)

const pagePictures = [
  drawing('home', 'Rings in wet clay', { type: 'page', row: 'home', field: 'blocks' }, () => ringsDrawing(31, [1600, 600])),
  drawing('about', 'The long table', { type: 'page', row: 'about', field: 'blocks' }, () => ringsDrawing(33, [1200, 675])),
]

/** One lesson of eight has a sheet to take along. */
const sheets = (): DemoFile[] =>
  demoSections()
    .flatMap(({ lessons }) => lessons)
    .flatMap(({ title }, index) =>
      index % 8 === 0
        ? [
            {
              filename: `${title
                .toLowerCase()
                .replace(/[^a-z]+/g, '-')
                .replace(/^-|-$/g, '')}.pdf`,
              content_type: 'application/pdf' as const,
              purpose: 'attachment' as const,
              alt: null,
              use: { type: 'lesson' as const, row: index, field: 'attachment_file_ids' },
              bytes: () => pdfOf([title, 'Lanternfield School of Making', 'What to have ready, what to look for, and what went wrong:']),
            },
          ]
        : [],
    )

const goods: readonly DemoFile[] = products.flatMap(({ files }, row) =>
  files.map(({ title, filename, content_type, lines }) => ({
    filename,
    content_type,
    purpose: 'digital_product',
    alt: null,
    use: { type: 'digital_product', row, field: 'files' },
    bytes: () => goodsOf[content_type](title, lines),
  })),
)

const goodsOf: Record<DemoProductFile['content_type'], (title: string, lines: readonly string[]) => Buffer> = {
  'application/pdf': (title, lines) => pdfOf([title, 'Lanternfield School of Making', ...lines]),
  'text/csv': (_title, lines) => Buffer.from(`${lines.join('\r\n')}\r\n`),
  'image/png': () => glazeBands(320, 200),
}

/** The files of the demo: small, and made here, so that none lies in the repository. */
export const demoFiles = (): DemoFile[] => [
  ...looks,
  ...portraits,
  ...lecturerCovers,
  ...courseCovers,
  ...pagePictures,
  ...sheets(),
  ...goods,
]
