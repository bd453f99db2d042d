import type { SiteComment, SiteContent, SiteLink, SiteSection } from '../../base/sitePage.ts'
import { document, link, type Markdown, markdown } from '../markdown.ts'
import { quotedHtml } from './htmlMarkdown.ts'

/** Renders a public page of a school as Markdown. Rich texts are quoted; every other text of the school is one escaped line. */
export function siteMd(content: SiteContent, { issuer, name }: { issuer: string; name: string }): string {
  const { heading, title, lead, notices, facts, prices, actions, sections, pagination, breadcrumbs, path } = content
  const absolute = ({ href, label }: SiteLink): Markdown => link(label, href.startsWith('/') ? issuer + href : href)
  const list = (links: readonly SiteLink[]): Markdown => markdown`${links.map((one) => markdown`- ${absolute(one)}`)}`
  const factLines = [...prices, ...facts].map(({ label, value, links }) =>
    links ? markdown`- ${label}: ${commas(links.map(absolute))}` : markdown`- ${label}: ${value}`,
  )
  return document([
    markdown`# ${heading ?? title}`,
    lead ? markdown`${lead}` : undefined,
    ...notices.map((notice) => markdown`${notice}`),
    markdown`${[...factLines, markdown`- URL: ${absolute({ href: path, label: name })}`]}`,
    actions.length > 0 ? list(actions) : undefined,
    ...sections.flatMap((section) => sectionMd(section, absolute)),
    pagination.length + breadcrumbs.length > 0 ? list([...pagination, ...breadcrumbs]) : undefined,
  ])
}

function sectionMd(
  { heading, html, player, items = [], outline = [], list = [], links = [], comments = [] }: SiteSection,
  absolute: (one: SiteLink) => Markdown,
) {
  return [
    heading === undefined ? undefined : markdown`## ${heading}`,
    html === undefined ? undefined : quotedHtml(html),
    player ? markdown`- ${absolute({ href: player.src, label: player.title })}` : undefined,
    lines(
      items.map(({ link: to, line, lock, details }) =>
        entry(absolute(to), [...(lock === undefined ? [] : [lock]), ...details, ...(line === undefined ? [] : [line])].join(', ')),
      ),
    ),
    ...outline.flatMap(({ title, summary, entries }) => [
      markdown`### ${title}`,
      summary ? markdown`${summary}` : undefined,
      lines(
        entries.map(({ title: name, note, href }) => entry(href === undefined ? markdown`${name}` : absolute({ href, label: name }), note)),
      ),
    ]),
    ...comments.flatMap(commentMd),
    lines(list.map((one) => markdown`- ${one}`)),
    lines(links.map((one) => markdown`- ${absolute(one)}`)),
  ]
}

const commentMd = ({ author, date, html, replies }: SiteComment): (Markdown | undefined)[] => [
  markdown`### ${author}, ${date}`,
  quotedHtml(html),
  ...replies.flatMap(commentMd),
]

const lines = (all: readonly Markdown[]): Markdown | undefined => (all.length === 0 ? undefined : markdown`${all}`)

const entry = (name: Markdown, note: string): Markdown => (note === '' ? markdown`- ${name}` : markdown`- ${name}: ${note}`)

const commas = ([first, ...rest]: readonly Markdown[]): Markdown => rest.reduce((all, one) => markdown`${all}, ${one}`, first ?? markdown``)
