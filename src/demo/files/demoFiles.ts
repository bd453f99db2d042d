import type { FilePurposeName } from '../../policy/filePurposes.ts'
import { courses } from '../courses.ts'
import { demoSections } from '../lessons.ts'
import { products } from '../products.ts'
import { lecturers } from '../school.ts'

export interface DemoFileUse {
  type: 'course' | 'lecturer' | 'appearance' | 'page' | 'lesson' | 'digital_product'
  row: number | string
  field: string
}

/** A file of the folder `demo/files`. */
export interface DemoFile {
  filename: string
  content_type: 'image/svg+xml' | 'image/png' | 'application/pdf' | 'text/csv'
  purpose: FilePurposeName
  alt: string | null
  use: DemoFileUse
}

const drawing = (name: string, alt: string, use: DemoFileUse): DemoFile => ({
  ...{ filename: `${name}.svg`, content_type: 'image/svg+xml', purpose: 'image' },
  alt,
  use,
})

const ofSchool = (field: string): DemoFileUse => ({ type: 'appearance', row: 0, field })

const looks: readonly DemoFile[] = [
  drawing('lantern-logo', 'Lanternfield', ofSchool('logo')),
  drawing('lantern-logo-dark', 'Lanternfield', ofSchool('logo_dark')),
  drawing('lantern', 'A lantern', ofSchool('favicon')),
  drawing('workshop', 'Rings in wet clay', ofSchool('cover')),
  { ...drawing('', 'Seven glazes side by side', ofSchool('social_image')), filename: 'glazes.png', content_type: 'image/png' },
]

const ofLecturers = (['avatar', 'cover_image'] as const).flatMap((field) =>
  lecturers.map(({ slug, display_name, headline }, row): DemoFile => {
    const use: DemoFileUse = { type: 'lecturer', row, field }
    return field === 'cover_image'
      ? drawing(`${slug}-bench`, headline, use)
      : { filename: `${slug}.png`, content_type: 'image/png', purpose: 'avatar', alt: display_name, use }
  }),
)

const courseCovers = courses.map(({ slug, title }, row) => drawing(slug, title, { type: 'course', row, field: 'cover_image' }))

const pagePictures = [
  drawing('home', 'Rings in wet clay', { type: 'page', row: 'home', field: 'blocks' }),
  drawing('about', 'The long table', { type: 'page', row: 'about', field: 'blocks' }),
]

/** Every eighth lesson has an attachment. */
const attachments = (): DemoFile[] =>
  demoSections()
    .flatMap(({ lessons }) => lessons)
    .flatMap(({ title }, row): DemoFile[] => {
      const name = title
        .toLowerCase()
        .replace(/[^a-z]+/g, '-')
        .replace(/^-|-$/g, '')
      const use: DemoFileUse = { type: 'lesson', row, field: 'attachment_file_ids' }
      return row % 8 === 0 ? [{ filename: `${name}.pdf`, content_type: 'application/pdf', purpose: 'attachment', alt: null, use }] : []
    })

const productFiles = products.flatMap(({ files }, row) =>
  files.map(({ filename, content_type }): DemoFile => {
    const use: DemoFileUse = { type: 'digital_product', row, field: 'files' }
    return { filename, content_type, purpose: 'digital_product', alt: null, use }
  }),
)

export const demoFiles = (): DemoFile[] => [...looks, ...ofLecturers, ...courseCovers, ...pagePictures, ...attachments(), ...productFiles]
