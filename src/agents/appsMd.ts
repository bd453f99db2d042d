import type { AppGuide, AppsGuide, GuideBlock } from '../identity/apps/appsGuide.ts'
import { autolink, block, code, document, link, Markdown, markdown } from './markdown.ts'

const urlInText = /(https?:\/\/[^\s,;]*[^\s,;.:)])/

export function appsMd({ heading, introduction, address, apps, moreHeading, more }: AppsGuide): string {
  return document([
    markdown`# ${heading}`,
    ...introduction.map((text) => markdown`${text}`),
    markdown`${address.label}: ${code(address.value)}`,
    ...apps.flatMap(appBlocks),
    markdown`## ${moreHeading}`,
    markdown`${more.map(({ href, label }) => markdown`- ${link(label, href)}`)}`,
  ])
}

function appBlocks({ name, setup, facts, operator }: AppGuide): Markdown[] {
  return [
    markdown`## ${name}`,
    ...setup.flatMap(codeBlocks),
    markdown`${facts.map(({ label, text }) => markdown`- ${label}: ${withUrls(text)}`)}`,
    ...(operator ? [markdown`### ${operator.heading}: ${name}`, withUrls(operator.text), ...operator.options.flatMap(codeBlocks)] : []),
  ]
}

const codeBlocks = ({ label, code: lines }: GuideBlock): Markdown[] => [markdown`${label}:`, block('text', lines)]

/** Renders a sentence. An https URL becomes a link, a loopback URL code. */
const withUrls = (text: string): Markdown => new Markdown(text.split(urlInText).map(partOf).join(''))

/** Even parts are prose, odd parts URLs. */
function partOf(part: string, index: number): string {
  if (index % 2 === 1) return (part.startsWith('https:') ? autolink(part) : code(part)).text
  const [start = '', end = ''] = [/^\s/, /\s$/].map((space) => (space.test(part) ? ' ' : ''))
  return part.trim() === '' ? start : `${start}${markdown`${part}`.text}${end}`
}
