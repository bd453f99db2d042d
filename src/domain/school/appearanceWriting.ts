import { isDeepStrictEqual } from 'node:util'
import { contrastRatio, leastContrast } from '../../lib/contrast.ts'
import { fromPublicId } from '../../lib/ids.ts'
import type { Palette, Theme } from '../../lib/palettes.ts'
import type { ProblemDetail } from '../../lib/problem.ts'
import type { Writer } from '../../store/database.ts'
import { cssErrors } from './customCss.ts'
import { type Navigation, type NavigationTarget, navigationItems } from './navigation.ts'
import { lookOf } from './themes.ts'

interface CourseContext {
  writer: Writer
  school: { id: string; issuer: string }
}

/** The fields of an appearance as the API writes them. */
interface Fields {
  colors?: Palette
  navigation?: Navigation | undefined
  home_page_id?: string | null
  announcement?: { starts_at: string | null; ends_at: string | null } | null
  custom_css?: string | null
}

interface Before {
  links?: unknown
  home_page_id?: string | null
  custom_css?: string | null
}

/** What is wrong with the looks of a school as they would be. Pages that were named before and have gone back to draft may stay. */
export async function checkAppearance(values: object, context: CourseContext, before: Before = {}): Promise<ProblemDetail[]> {
  const { colors, navigation, home_page_id = null, announcement, custom_css = null } = values as Fields
  return [
    ...(colors ? checkContrast(colors) : []),
    ...(announcement ? checkTimes(announcement) : []),
    ...(custom_css !== null && custom_css !== before.custom_css ? checkCss(custom_css, context.school.issuer) : []),
    ...(navigation ? navigationItems(navigation).flatMap(({ item, path }) => checkTarget(item.target, path)) : []),
    ...(await checkPages(context, { navigation, home_page_id }, before)),
  ]
}

/** What a reset writes: the looks of the theme as it comes, nothing of the school's own on top. Nothing where they are so already. */
export async function resetLook(row: {
  theme: string
  mode: string
  colors: unknown
  fonts: unknown
  corner_radius: string
  custom_css: string | null
}) {
  const { mode, colors, fonts, corner_radius } = lookOf(row.theme as Theme)
  const isReset = isDeepStrictEqual({ ...row, mode, colors, fonts, corner_radius, custom_css: null }, row)
  if (isReset) return undefined
  return { mode, colors: JSON.stringify(colors), fonts: JSON.stringify(fonts), corner_radius, custom_css: null }
}

function checkContrast({ text, background }: Palette): ProblemDetail[] {
  const ratio = contrastRatio(text, background)
  if (ratio >= leastContrast) return []
  // Cut, not rounded: 4.49 is not 4.5.
  const shown = Math.floor(ratio * 100) / 100
  const message = `colors.text: has a contrast of ${shown} to the background, and needs ${leastContrast} to be readable`
  return [{ field: 'colors.text', code: 'low_contrast', message, meta: { contrast: shown, least: leastContrast } }]
}

function checkTimes({ starts_at, ends_at }: { starts_at: string | null; ends_at: string | null }): ProblemDetail[] {
  if (starts_at === null || ends_at === null || starts_at < ends_at) return []
  return [{ field: 'announcement.ends_at', code: 'min', message: 'announcement.ends_at: must be later than starts_at' }]
}

const checkCss = (css: string, issuer: string): ProblemDetail[] =>
  cssErrors(css, issuer).map((fault) => ({ field: 'custom_css', code: 'not_allowed', message: `custom_css: ${fault}` }))

/** A page is named by id, a foreign place by address, a list by nothing. */
function checkTarget({ type, page_id, url }: NavigationTarget, path: string): ProblemDetail[] {
  const rule = (field: 'page_id' | 'url', value: string | null, owner: string): ProblemDetail[] => {
    if (type === owner && value === null)
      return [
        { field: `${path}.target.${field}`, code: 'required', message: `${path}.target.${field}: a target of type ${owner} needs one` },
      ]
    if (type !== owner && value !== null)
      return [
        { field: `${path}.target.${field}`, code: 'not_allowed', message: `${path}.target.${field}: belongs to the type ${owner} alone` },
      ]
    return []
  }
  return [...rule('page_id', page_id, 'page'), ...rule('url', url, 'url')]
}

async function checkPages(
  { writer, school }: CourseContext,
  { navigation, home_page_id }: Pick<Fields, 'navigation' | 'home_page_id'>,
  before: Before,
): Promise<ProblemDetail[]> {
  const targets = navigation
    ? navigationItems(navigation).map(({ item, path }) => ({ id: item.target.page_id, field: `${path}.target.page_id` }))
    : []
  const known = JSON.stringify(before.links ?? {})
  const named = [...targets, { id: home_page_id ?? null, field: 'home_page_id' }].flatMap(({ id, field }) => {
    const uuid = id === null ? undefined : fromPublicId('pag', id)
    if (uuid === undefined) return []
    return field === 'home_page_id'
      ? uuid === before.home_page_id
        ? []
        : [{ uuid, field }]
      : known.includes(uuid)
        ? []
        : [{ uuid, field }]
  })
  if (named.length === 0) return []
  // Kept as they are until this is committed: a page cannot be removed or taken back while the navigation learns of it.
  const pages = await writer
    .selectFrom('page')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', 'in', [...new Set(named.map(({ uuid }) => uuid))])
    .where('status', '=', 'published')
    .forShare()
    .execute()
  const published = new Set(pages.map(({ id }) => id))
  return named
    .filter(({ uuid }) => !published.has(uuid))
    .map(({ field }) => ({ field, code: 'invalid_reference', message: `${field}: names no published page of this school` }))
}
