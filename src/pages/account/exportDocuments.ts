import { escapeHtml } from '../../base/text/escapeHtml.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { Texts } from '../texts.ts'
import type { ExportContents } from './accountArguments.ts'
import { buyerFilter } from './learning/ownLists.ts'
import type { OwnRequest } from './ownPage.ts'

/** Returns what the archive of a person contains in addition to their data and files: their invoices, and a page that people can read. */
export const exportDocuments = (request: OwnRequest, { texts, schoolName }: { texts: Texts; schoolName: string }): ExportContents => ({
  async *documents() {
    const buyer = await buyerFilter(request)
    if (!buyer) return
    for await (const { id, invoice_number: number } of request.each('listOrders', buyer)) {
      if (number === null) continue
      const { text = '' } = await request.perform('getInvoice', { id }, { type: 'text/html' })
      yield { name: `invoices/${number.replace(/[^\w-]/g, '_')}.html`, text }
    }
  },
  index(data, names) {
    const title = texts.text('export.title', { school: schoolName })
    const links = ['data.json', ...names].map((name) => `<li><a href="${encodeURI(name)}">${escapeHtml(name)}</a></li>`).join('')
    const sections = isObject(data) ? Object.entries(data).filter(([, value]) => typeof value === 'object' && value !== null) : []
    return `<!DOCTYPE html>
<html lang="${texts.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;overflow-wrap:anywhere}dl{margin:0 0 1rem;padding-left:1rem;border-left:3px solid #999}dt{font-weight:600}dd{margin:0 0 .25rem 1rem}</style></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(texts.text('export.explanation', { date: texts.moment(new Date()) }))}</p><ul>${links}</ul>
${sections.map(([name, value]) => sectionOf(name, value, texts)).join('\n')}
</body></html>
`
  },
})

/** Writes the name of a member for people: `given_name` as `Given name`. */
const labelOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

function sectionOf(name: string, value: unknown, texts: Texts): string {
  const rows = Array.isArray(value) ? value : [value]
  const count = Array.isArray(value) ? ` (${rows.length})` : ''
  const content = rows.length > 0 ? rows.map(htmlOf).join('') : `<p>${escapeHtml(texts.text('export.nothing'))}</p>`
  return `<section><h2>${escapeHtml(labelOf(name))}${count}</h2>${content}</section>`
}

/** Writes a value of the data with its members. Members without a value are left out. */
function htmlOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(htmlOf).join(' ')
  if (!isObject(value)) return escapeHtml(String(value))
  const members = Object.entries(value).filter(
    ([, member]) => member !== null && member !== '' && !(Array.isArray(member) && member.length === 0),
  )
  return `<dl>${members.map(([name, member]) => `<dt>${escapeHtml(labelOf(name))}</dt><dd>${htmlOf(member)}</dd>`).join('')}</dl>`
}
