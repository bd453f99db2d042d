import type { SiteContent } from '../../base/sitePage.ts'
import type { ApiReader } from '../../school/apiRows.ts'
import type { SiteChrome } from './siteChrome.ts'
import { noParts } from './siteContent.ts'
import { firstRows } from './siteSearch.ts'
import { isHidden } from './siteSource.ts'
import { type SiteContext, sitePicture } from './siteType.ts'
import { siteTypes } from './siteTypes.ts'

interface Reading {
  source: ApiReader
  chrome: SiteChrome
  context: SiteContext
}

/** The lists of which a default home page shows the first rows, and how many. */
const shown = [
  ['courses', '6'],
  ['events', '3'],
  ['posts', '3'],
] as const

/** Builds the home page of the school: the page that it chose, otherwise its cover and the first rows of its lists. */
export async function homeContent(reading: Reading): Promise<SiteContent> {
  const frame = { ...noParts, path: '/', isIndexed: true, breadcrumbs: [] }
  const own = await chosenPage(reading)
  if (own) return { ...frame, ...own, sections: own.sections ?? [], data: [] }
  const { chrome, context } = reading
  const { texts, schoolName, issuer } = context
  const lists = shown.filter(([kind]) => chrome.kinds.includes(kind))
  const sections = (await Promise.all(lists.map(([kind, limit]) => firstRows(reading, kind, { limit })))).flat()
  const { tagline } = chrome.school
  return {
    ...frame,
    title: tagline ?? texts.text('home.title'),
    description: tagline ?? texts.text('site.home_explanation', { school: schoolName }),
    heading: schoolName,
    lead: tagline ?? undefined,
    notices: sections.length === 0 ? [texts.text('site.empty')] : [],
    picture: sitePicture(chrome.appearance.cover, issuer),
    shareImage: chrome.appearance.social_image ?? undefined,
    sections,
    data: [],
  }
}

/** Returns the page that the school chose; undefined if there is none that the reader can see. */
async function chosenPage({ source, chrome, context }: Reading) {
  const id = chrome.appearance.home_page_id
  if (id === null) return undefined
  try {
    const { id: _id, slug: _slug, isIndexed: _isIndexed, ...body } = await siteTypes.pages.body(source, id, context)
    return body
  } catch (error) {
    if (isHidden(error)) return undefined
    throw error
  }
}
