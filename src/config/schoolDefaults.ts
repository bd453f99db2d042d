import { z } from 'zod'
import { contrastRatio, leastContrast } from '../base/text/contrast.ts'
import { emailForm } from '../base/text/emailAddress.ts'
import { palettes, themes } from '../base/text/palettes.ts'
import { timeZoneOf } from '../base/timeZone.ts'
import { webAddress } from './address.ts'
import { line } from './rules.ts'

const timeZones = Intl.supportedValuesOf('timeZone')
const currencies = Intl.supportedValuesOf('currency')

/** A language tag in the form of the page catalogues: `en`, `pt-BR`. */
const language = z
  .string()
  .refine((tag) => /^[a-z]{2,3}(-[A-Z][a-z]{3})?(-[A-Z]{2})?$/.test(tag))
  .meta({ title: 'a language tag such as en or pt-BR' })

const colour = (description: string, example: string) =>
  z
    .string()
    .refine((text) => /^#[0-9a-f]{6}$/.test(text))
    .optional()
    .meta({ title: "a colour such as '#1f6f5c', in quotes", description, examples: [example] })

const defined = (colors: object): object => Object.fromEntries(Object.entries(colors).filter(([, value]) => value !== undefined))

// Invalid colours are reported by their own rule.
const isReadable = ({ text, background }: { text: string; background: string }): boolean =>
  !(contrastRatio(text, background) < leastContrast)

const branding = z
  .strictObject({
    theme: z
      .enum(themes)
      .default('studio')
      .meta({ description: 'Theme of the pages.', examples: ['journal'] }),
    mode: z
      .enum(['light', 'dark', 'auto'])
      .default('auto')
      .meta({ description: 'Light, dark, or the preference of the device.', examples: ['light'] }),
    colors: z
      .strictObject({
        primary: colour('Buttons and links.', '#1f6f5c'),
        accent: colour('Highlights.', '#c4572f'),
        background: colour('Background of the page.', '#ffffff'),
        surface: colour('Background of cards and forms.', '#f6f3ee'),
        text: colour('Text.', '#22201d'),
      })
      .prefault({})
      .meta({ description: 'Colours. Default: those of the theme.', examples: [{ primary: '#1f6f5c' }] }),
  })
  .refine(({ theme, colors }) => isReadable({ ...palettes[theme], ...defined(colors) }), {
    path: ['colors'],
    params: { expected: `must have a contrast of at least ${leastContrast} between text and background` },
  })
  .prefault({})
  .meta({ description: 'Initial theme of the pages.', examples: [{ theme: 'journal' }] })

/** Initial values of a school's row. Later changes have no effect, because the school's staff maintain the row. */
export const schoolDefaults = z
  .strictObject({
    name: line(120)
      .optional()
      .meta({
        description: 'Name of the school. Default: derived from the file name.',
        examples: ['Lanternfield School of Making'],
      }),
    tagline: line(160)
      .optional()
      .meta({ description: 'One line below the name.', examples: ['Small crafts, taught slowly and well'] }),
    support_url: webAddress.optional().meta({ description: 'URL of the help page.', examples: ['https://school.example.com/help'] }),
    contact_email: z
      .email({ pattern: emailForm })
      .max(254)
      .optional()
      .meta({ title: 'an e-mail address', description: 'Contact address of the school.', examples: ['hello@example.com'] }),
    locale: language.default('en').meta({ description: 'Language of the content.', examples: ['de'] }),
    time_zone: z
      .string()
      .refine((name) => timeZoneOf(name) !== undefined, {
        params: { expected: 'must be a time zone of the IANA database, such as Europe/Berlin', names: timeZones },
      })
      .overwrite((name) => timeZoneOf(name) ?? name)
      .default('UTC')
      .meta({
        title: 'a time zone of the IANA database',
        description: 'Time zone of dates and statistics.',
        examples: ['Europe/Berlin'],
      }),
    currency: z
      .string()
      .refine((code) => currencies.includes(code), {
        params: { expected: 'must be a currency code of ISO 4217, such as EUR', names: currencies },
      })
      .default('EUR')
      .meta({
        title: 'a currency code of ISO 4217',
        description: 'Currency of all prices. It cannot change after the first sale.',
        examples: ['USD'],
      }),
    branding,
  })
  .prefault({})
  .meta({
    description: 'Initial values of the school. Read once, when the school is created.',
    examples: [{ name: 'Lanternfield School of Making' }],
  })
