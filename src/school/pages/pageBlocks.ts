import { z } from 'zod'
import { isLinkable, maxUrlLength } from '../../base/net/webUrl.ts'
import { line as lineOf, lineOrEmpty, text, webUrl } from '../../engine/declare/fields.ts'
import { markupText, textFormat } from '../../engine/declare/richText.ts'
import type { Block } from './pageContent.ts'

// Ids inside blocks are stored as sent: a block is one JSON value, and no column refers to ids inside it.
const idOf = (prefix: string, description: string) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`), `must be an id: ${prefix}_ and 26 characters`)
    .meta({ description, example: `${prefix}_01jgwejj00e6srgkpqm2sqf05m` })

const line = (max: number, description: string) => lineOf(max).meta({ description, example: 'Six benches and a kiln' })
const lineOrNone = (max: number, description: string) => lineOrEmpty(max).nullable().default(null).meta({ description, example: null })
const heading = () => lineOrNone(160, 'Heading above the block.')
const limit = () => z.int().min(1).max(24).default(6).meta({ description: 'Maximum number of entries.', example: 6 })
const ids = (prefix: string, description: string) =>
  z.array(idOf(prefix, description)).max(24).default([]).meta({ description, example: [] })

/** The target of a link: a web address, a mailto: address, or a path of the site. */
const link = (description: string) =>
  z
    .string()
    .max(maxUrlLength)
    .refine((text) => text.length > maxUrlLength || isLink(text), 'must be a path of the site, or begin with https://, http:// or mailto:')
    .meta({ description, example: '/courses' })

const isLink = (text: string): boolean => /^\/(?![/\\])[^\s\\]*$/.test(text) || isLinkable(text)

const picture = z.object({
  file_id: idOf('fil', 'Id of a public picture.'),
  alt: lineOrNone(300, 'Text alternative for people who cannot see the picture.'),
  caption: lineOrNone(300, 'Caption below the picture.'),
})

const action = z
  .object({ label: line(60, 'Label of the button.'), url: link('Target of the button.') })
  .nullable()
  .default(null)
  .meta({ description: 'A button.', example: null })

const format = () => textFormat('Format of the text.')

const props = {
  hero: {
    heading: line(160, 'Main heading.'),
    text: z.string().max(2000).nullable().default(null).meta({ description: 'Text below the heading.', example: null }),
    image: picture.nullable().default(null).meta({ description: 'Background picture.', example: null }),
    action,
  },
  text: { content: markupText(100_000, 'The text.').meta({ example: 'Come in.' }), content_format: format() },
  image: picture.shape,
  gallery: { heading: heading(), images: z.array(picture).max(40).default([]).meta({ description: 'Pictures.', example: [] }) },
  video: {
    url: webUrl(['https']).meta({ description: 'URL of the video.', example: 'https://video.example/kiln' }),
    title: line(160, 'Title of the video.'),
  },
  course_grid: {
    heading: heading(),
    course_ids: ids('crs', 'Courses, in this order. Default: the first courses of the catalogue.'),
    category: lineOrNone(60, 'Shows only courses of this category.'),
    limit: limit(),
  },
  plan_table: { heading: heading(), plan_ids: ids('mpl', 'Plans, in this order. Default: all.') },
  event_list: { heading: heading(), limit: limit() },
  post_list: { heading: heading(), tag: lineOrNone(40, 'Shows only posts with this tag.'), limit: limit() },
  lecturer_grid: { heading: heading(), lecturer_ids: ids('lec', 'Lecturers, in this order. Default: all.'), limit: limit() },
  testimonials: {
    heading: heading(),
    items: z
      .array(
        z.object({
          quote: text(1000).meta({ description: 'Quotation.', example: 'Six benches and a kiln' }),
          name: line(120, 'Name of the person.'),
          role: lineOrNone(120, 'Role of the person.'),
        }),
      )
      .max(24)
      .meta({ description: 'Testimonials.', example: [] }),
  },
  faq: {
    heading: heading(),
    items: z
      .array(
        z.object({
          question: line(300, 'The question.'),
          answer: text(5000, markupText(5000, 'The answer, in Markdown.')).meta({ example: 'Yes.' }),
        }),
      )
      .max(60)
      .meta({ description: 'Questions and answers.', example: [] }),
  },
  form: { form_id: idOf('frm', 'Id of a form.') },
  button: {
    label: line(60, 'Label of the button.'),
    url: link('Target of the button.'),
    style: z.enum(['primary', 'secondary']).default('primary').meta({ description: 'Style of the button.', example: 'primary' }),
  },
  divider: {},
  html: { html: markupText(200_000, 'HTML. Unsafe parts are removed.').meta({ example: '<p>Hello</p>' }) },
} as const satisfies Record<Block['type'], z.ZodRawShape>

const block = <Type extends Block['type']>(type: Type) =>
  z.object({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,40}$/, 'must be 1 to 40 characters from A-Z, a-z, 0-9, _ and -')
      .optional()
      .meta({ description: 'Id of the block, unique in its page. Generated if it is not sent.', example: 'intro' }),
    type: z.literal(type).meta({ description: 'Type of the block.', example: type }),
    props: z.object(props[type]).meta({ description: 'Properties of the block.', example: {} }),
  })

export const pageBlock = z
  .discriminatedUnion('type', [
    block('hero'),
    block('text'),
    block('image'),
    block('gallery'),
    block('video'),
    block('course_grid'),
    block('plan_table'),
    block('event_list'),
    block('post_list'),
    block('lecturer_grid'),
    block('testimonials'),
    block('faq'),
    block('form'),
    block('button'),
    block('divider'),
    block('html'),
  ])
  .meta({ component: 'PageBlock' })
