import { accountPaths } from '../../../base/accountPaths.ts'
import { keysOf } from '../../../base/text/keysOf.ts'
import { type Palette, palettes, type Theme } from '../../../base/text/palettes.ts'
import { staffList } from '../../../school/apps/staffList.ts'
import type { Texts } from '../../texts.ts'
import type { AccountSection } from '../accountPage.ts'
import type { OwnRequest } from '../ownPage.ts'
import { hasDetails } from './sellerDetails.ts'

const stepNames = ['details', 'imprint', 'look', 'checkout', 'staff', 'course', 'publish'] as const

export type StepName = (typeof stepNames)[number]

/** Steps that some schools do not need. */
const optional: ReadonlySet<StepName> = new Set(['checkout', 'staff'])

export interface FirstSteps {
  /** The steps of this school, in their order. */
  steps: readonly { name: StepName; isDone: boolean }[]
  /** The draft that can be published. */
  draft: { id: string; title: string } | undefined
}

/** Returns which steps of setting up a school are done, as its data shows. */
export async function readFirstSteps(request: OwnRequest): Promise<FirstSteps> {
  const { perform, reader, services, school, ctx } = request
  const [{ body: row }, { body: appearance }] = await Promise.all([perform('getSchool'), perform('getAppearance')])
  const first = async (status: string) =>
    (await services.list(ctx, request.accountId, 'listCourses', { status, fields: 'title' }, { limit: 1 })).rows[0]
  const [draft, published, archived] = row.features.courses
    ? await Promise.all([first('draft'), first('published'), first('archived')])
    : []
  const { hasImprint } = await request.pageContext()
  const done: Record<StepName, boolean> = {
    details: hasDetails(row),
    imprint: hasImprint,
    look: appearance.logo !== null || hasOwnColours(appearance.theme, appearance.colors),
    checkout: services.checkoutAddress(school, { type: 'course', id: '' }) !== undefined,
    staff: (await staffList(reader)).length > 1,
    course: (draft ?? published ?? archived) !== undefined,
    publish: (published ?? archived) !== undefined,
  }
  const isOffered = (name: StepName): boolean =>
    (row.features.courses || (name !== 'course' && name !== 'publish')) && (name !== 'imprint' || services.hasPages(school))
  return {
    steps: stepNames.filter(isOffered).map((name) => ({ name, isDone: done[name] })),
    draft: draft && { id: draft.id, title: draft.title },
  }
}

const hasOwnColours = (theme: Theme, colours: Palette): boolean =>
  keysOf(palettes[theme]).some((name) => colours[name] !== palettes[theme][name])

/** Returns the section that leads an owner or admin through the first steps; undefined if all that every school needs are done. */
export function firstStepsSection(texts: Texts, { steps }: FirstSteps): AccountSection | undefined {
  if (steps.every(({ name, isDone }) => isDone || optional.has(name))) return undefined
  const next = steps.find(({ name, isDone }) => !isDone && !optional.has(name))
  return {
    id: 'first-steps',
    heading: texts.text('setup.heading'),
    paragraphs: [texts.parts('setup.progress', { done: steps.filter(({ isDone }) => isDone).length, all: steps.length })],
    items: steps.map(({ name, isDone }) => ({
      id: `step-${name}`,
      title: texts.parts(`setup.${name}`, {}),
      ...((isDone || optional.has(name)) && { mark: texts.text(isDone ? 'setup.done' : 'setup.optional') }),
      lines: isDone ? [] : [texts.parts(`setup.${name}_why`, {})],
      ...(!isDone && (name === next?.name ? { link: stepLink(texts, name) } : { links: [stepLink(texts, name)] })),
    })),
  }
}

const stepLink = (texts: Texts, name: StepName) => ({
  href: name === 'staff' ? `${accountPaths.schoolStaff}#invite` : `${accountPaths.schoolSetUp}#${name}`,
  label: texts.text('setup.open'),
})
