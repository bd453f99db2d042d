import { accountPaths } from '../../base/accountPaths.ts'
import type { SiteContent, SiteLink } from '../../base/sitePage.ts'
import { localeOfTag } from '../../base/text/languages.ts'
import { linkForeignPictures, lowerHeadings } from '../../base/text/sanitisedHtml.ts'
import { feedPath, siteAddress, sitePath } from '../../engine/sitePaths.ts'
import { documentLink } from '../documentLink.ts'
import { type Frame, frame } from '../frame.ts'
import type { PageContext } from '../pageContext.ts'
import { sharePicturePath } from '../pictures/servePictures.ts'
import { plainText } from '../plainText.ts'
import type { Views } from '../templates.ts'
import { legalPages, type MenuEntry, openForms, ownMenu, pagesInMenu, type SiteChrome } from './siteChrome.ts'
import { listTexts } from './siteContent.ts'
import { schoolNode, signInLink } from './siteType.ts'

/** A public page of the school, as its view shows it. */
export interface SiteView extends Frame, Omit<SiteContent, 'title' | 'isIndexed' | 'data'> {
  canonical: string
  /** The page in each language of the school, and without a choice; empty if there is only one. */
  alternates: readonly { language: string; href: string }[]
  /** Path of the Markdown version, if there is one. */
  markdown: string | undefined
  /** The feed of the posts, if there are any. */
  feed: { href: string; title: string } | undefined
  openGraph: readonly { property: string; content: string }[]
  /** JSON-LD, in which no character can end the element. */
  dataText: string
  menu: readonly (MenuEntry & { isCurrent: boolean })[]
  footLinks: readonly SiteLink[]
  announcement: { text: string; href: string | undefined } | undefined
  account: SiteLink & { isName: boolean }
  /** The token of the forms, for a person who is signed in. */
  csrf: string
  searchLabel: string
  menuLabel: string
  breadcrumbsLabel: string
  pagesLabel: string
  skipLabel: string
  announcementLabel: string
}

export interface SiteViewArguments {
  content: SiteContent
  chrome: SiteChrome
  page: PageContext
  issuer: string
  now: Date
  /** True if the address names the language. */
  isLanguageChosen?: boolean
  person: { name: string; csrf: string } | undefined
}

/** Builds the object of the view. Pure. */
export function siteView(
  views: Views,
  { content, chrome, page, issuer, now, person, isLanguageChosen = false }: SiteViewArguments,
): SiteView {
  const { texts, schoolName } = page
  const { title, isIndexed, data, ...shown } = content
  const framed = frame(views, page, title)
  const feet = footLinks(chrome)
  const [path = ''] = content.path.split('?')
  const shareImage = shareImageOf(content, issuer + sharePicturePath(path))
  const current = isLanguageChosen ? page.languageLinks.find(({ isCurrent }) => isCurrent) : undefined
  const canonical = issuer + (current?.href ?? content.path)
  return {
    ...framed,
    ...shown,
    // A hero has the heading of level 1: only then a rich text may have it, too. Below the heading of a section, it begins with level 3.
    sections: content.sections.map((section) => ({
      ...section,
      html:
        section.html &&
        linkForeignPictures(lowerHeadings(section.html, content.heading === undefined ? 1 : section.heading === undefined ? 2 : 3), issuer),
    })),
    ...(isIndexed && { isIndexed }),
    stylesheets: [...framed.stylesheets, views.siteStylesheet.href],
    canonical,
    alternates: alternatesOf(page, { issuer, path: content.path }),
    markdown: siteAddress(path) && `${path}.md${content.path.slice(path.length)}`,
    feed: chrome.kinds.includes('posts') ? { href: feedPath, title: `${texts.text('site.posts')} · ${schoolName}` } : undefined,
    openGraph: openGraph(content, { title, url: canonical, page, shareImage }),
    dataText: dataText([...data, organisation(chrome, { issuer, schoolName })]),
    menu: menuOf(chrome, texts).map((entry) => ({
      ...entry,
      isCurrent: entry.href === path || entry.children.some(({ href }) => href === path),
    })),
    footLinks: feet,
    // The school's own links have the titles of its pages.
    legalLinks: [
      ...framed.legalLinks.filter(({ href }) => !feet.some((link) => link.href === href)),
      documentLink(texts, '/docs', 'home.documents'),
    ],
    announcement: announcementAt(chrome, now),
    account: person
      ? { href: accountPaths.home, label: plainText(person.name, 40), isName: true }
      : { ...signInLink(texts, 'home.sign_in', content.path), isName: false },
    csrf: person?.csrf ?? '',
    searchLabel: texts.text('site.search'),
    menuLabel: texts.text('site.menu'),
    breadcrumbsLabel: texts.text('site.breadcrumbs'),
    pagesLabel: texts.text('site.more_pages'),
    skipLabel: texts.text('site.skip'),
    announcementLabel: texts.text('site.announcement'),
  }
}

/** The least width of a picture that previews of links show large. */
const leastShareWidth = 600

/** Returns the picture of the page, or the card with its title: previews of links show no SVG, and small pictures as a thumbnail. */
function shareImageOf({ shareImage, heading, title }: SiteContent, card: string): { url: string; alt: string; size?: [number, number] } {
  const isLarge = shareImage && (shareImage.width ?? 0) >= leastShareWidth && /\.(?:png|jpe?g|webp|gif)$/i.test(shareImage.url)
  return isLarge ? { url: shareImage.url, alt: shareImage.alt || title } : { url: card, alt: heading ?? title, size: [1200, 630] }
}

/** Returns the links to the lists that have rows. */
export const siteLists = (chrome: SiteChrome, texts: PageContext['texts']): SiteLink[] =>
  chrome.kinds.map((kind) => ({ href: sitePath(kind), label: texts.text(listTexts[kind].name) }))

function menuOf(chrome: SiteChrome, texts: PageContext['texts']): MenuEntry[] {
  const own = ownMenu(chrome.appearance.navigation.header, chrome)
  if (own.length > 0) return own
  return [...siteLists(chrome, texts), ...pagesInMenu(chrome)].map((link) => ({ ...link, children: [] }))
}

function footLinks(chrome: SiteChrome): SiteLink[] {
  const own = ownMenu(chrome.appearance.navigation.footer, chrome).flatMap(({ label, href, children }) => [
    ...(href === undefined ? [] : [{ href, label }]),
    ...children,
  ])
  // A form that only its address leads to would not be found.
  const forms = openForms(chrome).filter((form) => !own.some(({ href }) => href === form.href))
  return [...forms, ...(own.length > 0 ? own : legalPages(chrome))]
}

function announcementAt({ appearance: { announcement } }: SiteChrome, now: Date): SiteView['announcement'] {
  if (!announcement) return undefined
  const { text, url, starts_at: start, ends_at: end } = announcement
  const isShown = (start === null || new Date(start) <= now) && (end === null || new Date(end) > now)
  return isShown ? { text, href: url ?? undefined } : undefined
}

/** Returns the addresses at which search engines find the page in each language. */
const alternatesOf = ({ languageLinks }: PageContext, { issuer, path }: { issuer: string; path: string }): SiteView['alternates'] =>
  languageLinks.length === 0
    ? []
    : [...languageLinks.map(({ language, href }) => ({ language, href: issuer + href })), { language: 'x-default', href: issuer + path }]

function openGraph(
  { description, publishedAt }: SiteContent,
  { title, url, page, shareImage }: { title: string; url: string; page: PageContext; shareImage: ReturnType<typeof shareImageOf> },
): SiteView['openGraph'] {
  const values = {
    'og:type': publishedAt === undefined ? 'website' : 'article',
    'og:title': title,
    'og:description': description,
    'og:url': url,
    'og:site_name': page.schoolName,
    'og:locale': openGraphLocale(page.texts.dateLocale),
    'og:image': shareImage.url,
    'og:image:width': shareImage.size?.[0].toString(),
    'og:image:height': shareImage.size?.[1].toString(),
    'og:image:alt': shareImage.alt,
    'twitter:card': 'summary_large_image',
    'article:published_time': publishedAt,
  }
  return Object.entries(values).flatMap(([property, content]) => (content === undefined ? [] : [{ property, content }]))
}

/** Writes a locale as Open Graph does: `de_DE`. */
function openGraphLocale(tag: string): string {
  const { language, region } = localeOfTag(tag).maximize()
  return `${language}_${region}`
}

/** The school for search engines. */
function organisation({ school, appearance }: SiteChrome, { issuer, schoolName }: { issuer: string; schoolName: string }) {
  const profiles = school.social_links.map(({ url }) => url)
  return {
    ...schoolNode({ issuer, schoolName }),
    ...(school.tagline && { description: school.tagline }),
    ...(appearance.logo && { logo: appearance.logo.url }),
    ...(school.contact_email && { email: school.contact_email }),
    ...(profiles.length > 0 && { sameAs: profiles }),
  }
}

/** Writes JSON-LD without the characters that could end the element or begin another one. */
export const dataText = (nodes: readonly unknown[]): string =>
  JSON.stringify({ '@context': 'https://schema.org', '@graph': nodes }).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
