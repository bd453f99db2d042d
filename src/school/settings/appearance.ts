import { z } from 'zod'
import { themes } from '../../base/text/palettes.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything } from '../../engine/declare/expressions.ts'
import { image, imageField, line, reference, timestamp, webUrl } from '../../engine/declare/fields.ts'
import { checkAppearance, resetTheme, selectNavigation, shownNavigation, storedNavigation } from './appearanceWriting.ts'
import { fontNames } from './themes.ts'

const colour = (description: string, example: string) =>
  z
    .string()
    .regex(/^#[0-9a-f]{6}$/, 'must be a colour such as #1f6f5c, in lower case')
    .meta({ description, example })

const font = (description: string, example: (typeof fontNames)[number]) =>
  z.enum(fontNames).meta({ component: 'Font' }).meta({ description, example })

const page = () => reference('pag', 'Id of a published page.').nullable().default(null)

const picture = (description: string) => image(description).nullable().meta({ description, example: null })

const linkUrl = () => webUrl(['https', 'http', 'mailto']).nullable().default(null)

const target = z
  .object({
    type: z
      .enum(['page', 'course_list', 'event_list', 'post_list', 'plan_list', 'url'])
      .meta({ component: 'MenuTargetType' })
      .meta({ description: 'Type of the target.', example: 'course_list' }),
    page_id: page().meta({ description: 'Page; only for type page.', idPrefix: 'pag', example: null }),
    url: linkUrl().meta({ description: 'URL; only for type url.', example: null }),
  })
  .meta({ description: 'Target of the item.', example: { type: 'course_list', page_id: null, url: null }, component: 'MenuTarget' })

const label = line(40).meta({ description: 'Label of the item.', example: 'Courses' })

const item = z
  .object({
    label,
    target,
    children: z.array(z.object({ label, target })).max(10).default([]).meta({ description: 'Items of the submenu.', example: [] }),
  })
  .meta({ component: 'MenuItem' })

const items = (description: string) => z.array(item).max(12).default([]).meta({ description, example: [] })

export const appearanceSchema = z.object({
  theme: z
    .enum(themes)
    .meta({ component: 'Theme' })
    .default('studio')
    .meta({ description: 'Theme that provides the defaults.', example: 'studio' }),
  mode: z
    .enum(['light', 'dark', 'auto'])
    .meta({ component: 'ColourMode' })
    .default('auto')
    .meta({ description: 'Light, dark, or the preference of the device.', example: 'auto' }),
  colors: z
    .object({
      primary: colour('Buttons and links.', '#1f6f5c'),
      accent: colour('Highlights.', '#c4572f'),
      background: colour('Behind everything.', '#ffffff'),
      surface: colour('Behind cards and forms.', '#f6f3ee'),
      text: colour('Text. Stands out from the background: a contrast of 4.5 or more (WCAG 2.2).', '#22201d'),
    })
    .meta({ description: 'The palette.', example: { primary: '#1f6f5c' } }),
  fonts: z
    .object({ heading: font('Of headings.', 'fraunces'), body: font('Of everything else.', 'source_sans') })
    .meta({ description: 'Font families.', example: { heading: 'fraunces', body: 'source_sans' } }),
  corner_radius: z
    .enum(['none', 'small', 'medium', 'large'])
    .meta({ component: 'CornerRadius' })
    .meta({ description: 'Roundness of corners.', example: 'medium' }),
  logo: picture('Logo on a light background.'),
  logo_dark: picture('Logo on a dark background.'),
  favicon: picture('Icon of the site in browser tabs.'),
  cover: picture('Large picture of the home page.'),
  social_image: picture('Preview picture for links to the school.'),
  navigation: z
    .object({ header: items('At the top of every page.'), footer: items('At its bottom.') })
    .prefault({})
    .meta({
      description: 'Menus of the site. Items whose page the caller cannot open are omitted.',
      example: { header: [], footer: [] },
    }),
  home_page_id: reference('pag', 'Id of a published page.')
    .nullable()
    .meta({ description: 'Home page of the site. It must be published.', idPrefix: 'pag', example: null }),
  announcement: z
    .object({
      text: line(200).meta({ description: 'Text of the announcement.', example: 'The kiln is open on Friday.' }),
      url: linkUrl().meta({ description: 'Target of the announcement.', example: null }),
      starts_at: timestamp().nullable().default(null).meta({ description: 'When it starts to be shown.', example: null }),
      ends_at: timestamp().nullable().default(null).meta({ description: 'When it stops being shown.', example: null }),
    })
    .nullable()
    .meta({ description: 'Announcement above every page.', example: null }),
  custom_css: z
    .string()
    .max(65_536)
    .nullable()
    .meta({ description: "The school's own stylesheet. It can load only files of the school.", example: null, view: 'staff' }),
})

export const appearance = defineResource({
  name: 'appearance',
  object: 'appearance',
  idPrefix: 'sch',
  table: 'appearance',
  about:
    "How the school looks: colours, fonts, pictures, navigation, and its own stylesheet, which is served at /assets/custom.css. Its id is the school's.",
  undo: true,
  scopes: {
    read: 'See the colours, logo and navigation of the school',
    write: { staff: 'Change or reset the colours, logo and navigation of the school' },
  },
  singleton: true,
  catalogue: false,
  schema: appearanceSchema,
  derived: {
    logo: imageField('appearance', 'logo'),
    logo_dark: imageField('appearance', 'logo_dark'),
    favicon: imageField('appearance', 'favicon'),
    cover: imageField('appearance', 'cover'),
    social_image: imageField('appearance', 'social_image'),
    navigation: {
      select: selectNavigation,
      of: shownNavigation,
      write: (navigation) => ({ links: JSON.stringify(storedNavigation(navigation)) }),
    },
  },
  writable: [
    'theme',
    'mode',
    'colors',
    'fonts',
    'corner_radius',
    'logo',
    'logo_dark',
    'favicon',
    'cover',
    'social_image',
    'navigation',
    'home_page_id',
    'announcement',
    'custom_css',
  ],
  visibility: { anonymous: everything, learner: everything, lecturer: everything, staff: everything },
  operations: {
    get: 'read',
    update: { scope: 'write', errors: ['low_contrast'], view: 'staff', needsIfMatch: ['navigation', 'custom_css'], check: checkAppearance },
    replace: { scope: 'write', errors: ['low_contrast'], view: 'staff', check: checkAppearance },
  },
  actions: {
    reset: {
      scope: 'write',
      view: 'staff',
      summary: "Reset colours, fonts and corners to the theme, and remove the school's own stylesheet",
      follows: 'updateAppearance',
      run: (_writing, appearance) => resetTheme(appearance),
    },
  },
})
