import { accountPaths } from '../../../base/accountPaths.ts'
import { isCountry } from '../../../base/text/countries.ts'
import { keysOf } from '../../../base/text/keysOf.ts'
import { type Palette, palettes, themes } from '../../../base/text/palettes.ts'
import { withQuery } from '../../../base/text/withQuery.ts'
import { schoolThemeColours } from '../../../base/themeColours.ts'
import { filePurposes } from '../../../engine/declare/filePurposes.ts'
import type { Appearance, SchoolRow } from '../../../school/apiRows.ts'
import { plainText } from '../../plainText.ts'
import type { Texts } from '../../texts.ts'
import type { AccountField, AccountSection } from '../accountPage.ts'
import { accountField } from '../ownFields.ts'
import type { OwnPageContext } from '../ownPage.ts'
import type { FirstSteps, StepName } from './firstSteps.ts'
import { hasDetails } from './sellerDetails.ts'

export interface SetUp {
  school: SchoolRow
  appearance: Appearance
  progress: FirstSteps
}

type Section = Omit<AccountSection, 'id' | 'heading'>

const path = accountPaths.schoolSetUp

export const setUpSections: Record<StepName, (context: OwnPageContext, shown: SetUp) => Section> = {
  details: detailsSection,
  imprint: ({ texts, form }, { school, progress }) => {
    const isDone = progress.steps.some(({ name, isDone }) => name === 'imprint' && isDone)
    const needsDetails = !hasDetails(school)
    return {
      paragraphs: [texts.parts(isDone ? 'setup.imprint_is' : needsDetails ? 'setup.imprint_details' : 'setup.imprint_how', {})],
      forms: isDone || needsDetails ? [] : [form('imprint', { submit: texts.text('setup.imprint_submit'), kind: 'main' })],
    }
  },
  look: lookSection,
  checkout: ({ texts, request: { school } }) => ({
    paragraphs: [texts.parts('setup.checkout_how', { file: `config/schools/${school.slug}.yaml`, key: 'checkout_url' })],
  }),
  staff: ({ texts }) => ({
    paragraphs: [texts.parts('setup.staff_why', {})],
    links: [{ href: `${accountPaths.schoolStaff}#invite`, label: texts.text('school.staff_invite') }],
  }),
  course: ({ texts, form, sent, errorOf }) => ({
    paragraphs: [texts.parts('setup.course_how', {})],
    forms: [
      form('course', {
        fields: [
          accountField({
            ...{ name: 'course_title', type: 'text', label: texts.text('setup.course_title'), autocomplete: 'off', maxLength: 160 },
            ...{ value: plainText(sent?.get('course_title') ?? '', 160), error: errorOf('course_title') },
            hint: texts.text('setup.course_hint'),
          }),
        ],
        submit: texts.text('setup.course_submit'),
        kind: 'main',
      }),
    ],
    links: [
      { href: '/docs/apps', label: texts.text('setup.course_agent') },
      { href: '/docs', label: texts.text('setup.course_import') },
    ],
  }),
  publish: ({ texts, form, request: { services, school } }, { progress: { draft } }) => ({
    paragraphs: [
      draft ? texts.parts('setup.publish_draft', { course: plainText(draft.title, 160) }) : texts.parts('setup.publish_none', {}),
    ],
    ...(draft && { forms: [form('publish', { submit: texts.text('setup.publish_submit'), kind: 'main', hidden: { id: draft.id } })] }),
    ...(services.hasPages(school) && { links: [{ href: '/', label: texts.text('setup.see_site') }] }),
  }),
}

export const typed = (sent: URLSearchParams, name: string): string | null => sent.get(name)?.trim().slice(0, 1000) || null

export const detailsIn = (sent: URLSearchParams) => ({
  contact_email: typed(sent, 'contact_email'),
  address: Object.fromEntries(
    (['name', 'line1', 'line2', 'postal_code', 'city', 'country'] as const).map((name) => [name, typed(sent, name)]),
  ),
  settings: { tax: { tax_id: typed(sent, 'tax_id') } },
})

function detailsSection({ texts, form, sent, errorOf }: OwnPageContext, { school }: SetUp): Section {
  const { address, contact_email: email, settings } = school
  const tags = { name: 'organization', line1: 'address-line1', line2: 'address-line2', postal_code: 'postal-code', city: 'address-level2' }
  const lengths = { name: 120, line1: 120, line2: 120, postal_code: 20, city: 120 }
  const field = (name: keyof typeof tags): AccountField =>
    accountField({
      ...{ name, type: 'text', label: texts.text(`setup.field_${name}`), autocomplete: tags[name], maxLength: lengths[name] },
      value: plainText(sent?.get(name) ?? address?.[name] ?? (name === 'name' ? school.name : ''), lengths[name]),
      isOptional: name === 'line2' || name === 'postal_code',
    })
  return {
    paragraphs: [texts.parts('setup.details_why', {})],
    forms: [
      form('details', {
        fields: [
          ...keysOf(tags).map(field),
          countryField(texts, sent?.get('country') ?? address?.country ?? school.locale.split('-')[1] ?? school.locale.toUpperCase()),
          accountField({
            ...{ name: 'contact_email', type: 'email', label: texts.text('setup.field_contact_email'), autocomplete: 'email' },
            ...{ value: plainText(sent?.get('contact_email') ?? email ?? '', 254), error: errorOf('contact_email') },
          }),
          accountField({
            ...{ name: 'tax_id', type: 'text', label: texts.text('setup.field_tax_id'), autocomplete: 'off', maxLength: 40 },
            ...{ value: plainText(sent?.get('tax_id') ?? settings.tax.tax_id ?? '', 40), isOptional: true },
            hint: texts.text('setup.tax_id_hint'),
          }),
        ],
        submit: texts.text('setup.save'),
        kind: 'main',
      }),
    ],
  }
}

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']

function countryField(texts: Texts, value: string): AccountField {
  const names = new Intl.DisplayNames(texts.language, { type: 'region' })
  const options = letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter(isCountry)
    .map((code) => ({ value: code, label: names.of(code) ?? code, isSelected: code === value }))
    .toSorted((one, other) => one.label.localeCompare(other.label, texts.language))
  return accountField({
    ...{ name: 'country', type: 'select', label: texts.text('setup.field_country'), autocomplete: 'country' },
    groups: [{ label: '', options: [{ value: '', label: texts.text('setup.choose'), isSelected: false }, ...options] }],
  })
}

/** Returns the imprint of a school in Markdown. */
export function imprintOf(texts: Texts, { name, address, contact_email: email, settings }: SchoolRow): string {
  const country = address?.country ? new Intl.DisplayNames(texts.language, { type: 'region' }).of(address.country) : null
  const place = [address?.postal_code, address?.city].filter(Boolean).join(' ')
  const lines = [address?.name ?? name, address?.line1, address?.line2, place, country].filter((line) => line)
  const tax = settings.tax.tax_id && texts.text('setup.imprint_tax', { id: settings.tax.tax_id })
  const contact = email && texts.text('setup.imprint_email', { email })
  return [
    lines.map((line) => escaped(line ?? '')).join('\\\n'),
    ...[contact, tax].filter((line) => line).map((line) => escaped(line ?? '')),
  ].join('\n\n')
}

/** Escapes what Markdown would read as markup. */
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|~-]/g, '\\$&')

const colourNames = keysOf(palettes.studio)

/** Returns the colours in a form or an address, in place of the current ones. */
export const coloursIn = (sent: URLSearchParams, current?: Palette): Partial<Palette> => ({
  ...current,
  ...Object.fromEntries(
    colourNames.flatMap((name) => {
      const colour = sent.get(name)?.toLowerCase() ?? ''
      return /^#[0-9a-f]{6}$/.test(colour) ? [[name, colour]] : []
    }),
  ),
})

function lookSection({ texts, form, sent, errorOf, request: { ctx } }: OwnPageContext, { appearance }: SetUp): Section {
  const asked = sent ?? new URLSearchParams(ctx.querystring)
  const chosen = themes.find((name) => name === asked.get('palette'))
  const colours: Palette = { ...appearance.colors, ...(chosen && palettes[chosen]), ...coloursIn(asked) }
  const isNew = colourNames.some((name) => colours[name] !== appearance.colors[name])
  const shown = schoolThemeColours({ mode: 'light', colors: colours }).light
  return {
    paragraphs: [texts.parts('setup.look_why', {})],
    sample: {
      label: texts.text(isNew ? 'setup.sample_new' : 'setup.sample'),
      ...{ button: texts.text('setup.sample_button'), link: texts.text('setup.sample_link'), text: texts.text('setup.sample_text') },
      colours: shown,
    },
    forms: [
      ...(isNew ? [form('look', { hidden: { ...colours }, submit: texts.text('setup.look_submit'), kind: 'main' })] : []),
      {
        action: `${path}#look`,
        isSearch: 'preview',
        fields: colourNames.map((name) =>
          accountField({
            ...{ name, type: 'color', label: texts.text(`setup.colour_${name}`), autocomplete: 'off' },
            value: colours[name],
          }),
        ),
        submit: texts.text('setup.look_preview'),
      },
      form('logo', {
        isMultipart: true,
        fields: [
          accountField({
            ...{ name: 'file', type: 'file', label: texts.text('setup.logo_file'), autocomplete: 'off' },
            ...{ hint: texts.text('setup.logo_hint'), error: errorOf('file'), accept: filePurposes.image.types.join(',') },
          }),
        ],
        submit: texts.text(appearance.logo ? 'setup.logo_replace' : 'setup.logo_save'),
      }),
    ],
    links: themes.map((name) => ({
      href: `${withQuery(path, { palette: name })}#look`,
      label: texts.text('setup.palette', { name: name.replace(/^./, (letter) => letter.toUpperCase()) }),
    })),
  }
}
