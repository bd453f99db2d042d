import type { AppGuide, AppsGuide, GuideBlock } from '../policy/appsGuide.ts'
import { block, code, document, link, type Markdown, markdown } from './markdown.ts'

/** Renders `/docs/apps.md`: how each app connects to the school. */
export function appsMd({ heading, introduction, address, apps, moreHeading, more }: AppsGuide): string {
  return document([
    markdown`# ${heading}`,
    ...introduction.map((text) => markdown`${text}`),
    markdown`${address.label}: ${code(address.value)}`,
    ...apps.flatMap(appBlocks),
    markdown`## ${moreHeading}`,
    markdown`${more.map(({ href, text }) => markdown`- ${link(text, href)}`)}`,
  ])
}

function appBlocks({ name, setup, facts, operator }: AppGuide): Markdown[] {
  return [
    markdown`## ${name}`,
    ...setup.flatMap(codeBlocks),
    markdown`${facts.map(({ label, text }) => markdown`- ${label}: ${text}`)}`,
    ...(operator ? [markdown`### ${operator.heading}: ${name}`, markdown`${operator.text}`, ...operator.options.flatMap(codeBlocks)] : []),
  ]
}

const codeBlocks = ({ label, code: lines }: GuideBlock): Markdown[] => [markdown`${label}:`, block('text', lines)]
