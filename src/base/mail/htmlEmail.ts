import { escapeHtml } from '../text/escapeHtml.ts'
import type { FootLine } from './emailFoot.ts'
import type { EmailPart } from './emailParts.ts'
import { shownLabel } from './emailValues.ts'
import type { EmailLogo } from './transport.ts'

export interface HtmlEmail {
  language: string
  school: string
  subject: string
  parts: readonly EmailPart[]
  foot: readonly FootLine[]
  logo: EmailLogo | undefined
}

/** The Content-ID of the logo in its e-mail (RFC 2392). */
export const logoId = 'logo@schoolgate'

/**
 * Returns the e-mail as an HTML document that contains the same words as its plain text. It loads nothing: the logo is a part of the
 * message. Layout by one table, styles inline and colours for the dark scheme in a style element, as mail programs require.
 */
export function htmlEmail({ language, school, subject, parts, foot, logo }: HtmlEmail): string {
  return `<!doctype html>
<html lang="${escapeHtml(language)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no">
<title>${escapeHtml(subject)}</title>
<style>
:root { color-scheme: light dark; }
@media (prefers-color-scheme: dark) {
  .page { background: #121614 !important; }
  .card { background: #1c2220 !important; }
  .card, .card h1, .card p, .card th, .card td { color: #e9edeb !important; }
  .card a { color: #8fd9c3 !important; }
  .card a.button { background: #8fd9c3 !important; color: #10201b !important; }
}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#f1f3f2;">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f1f3f2;">
<tr><td align="center" style="padding:16px 8px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;">
<tr><td class="card" align="left" style="${font}padding:24px 20px;background:#ffffff;border-radius:8px;color:#1a1f1d;">
<main>
${header(school, logo)}
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.3;overflow-wrap:anywhere;">${escapeHtml(subject)}</h1>
${[...parts.map(htmlPart), ...foot.map(footLine)].join('\n')}
</main>
</td></tr>
</table>
</td></tr>
</table>
</body>
</html>
`
}

const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif;font-size:16px;line-height:1.5;'
const button =
  'display:inline-block;padding:10px 18px;background:#0a5c49;border-radius:6px;color:#ffffff;font-weight:600;text-decoration:none;'
const paragraph = 'margin:0 0 16px;overflow-wrap:anywhere;word-break:break-word;'

/** The largest size of the logo, in pixels. */
const [maxWidth, maxHeight] = [240, 56]

/** Returns the logo on a light plate, for which it was chosen, or the name of the school. */
function header(school: string, logo: EmailLogo | undefined): string {
  if (!logo) return `<p style="${paragraph}font-weight:700;">${escapeHtml(school)}</p>`
  const scale = Math.min(1, maxWidth / logo.width, maxHeight / logo.height)
  const [width, height] = [logo.width, logo.height].map((side) => Math.max(1, Math.round(side * scale)))
  const image = `<img src="cid:${logoId}" alt="${escapeHtml(logo.alt)}" width="${width}" height="${height}" style="display:block;border:0;">`
  return `<p style="margin:0 0 20px;"><span style="display:inline-block;padding:6px 8px;background:${escapeHtml(logo.plate)};border-radius:6px;">${image}</span></p>`
}

const footLine = ({ label, url }: FootLine): string =>
  `<p style="margin:0 0 4px;font-size:14px;overflow-wrap:anywhere;word-break:break-word;">${escapeHtml(label)}: <a href="${escapeHtml(url)}" style="color:#0a5c49;">${escapeHtml(url)}</a></p>`

function htmlPart(part: EmailPart): string {
  if (part.kind === 'link') {
    return `<p style="margin:0 0 20px;"><a class="button" href="${escapeHtml(part.url)}" style="${button}">${escapeHtml(part.label)}</a></p>`
  }
  if (part.kind === 'facts') {
    const cell = 'padding:2px 0;vertical-align:top;overflow-wrap:anywhere;word-break:break-word;'
    const rows = part.facts.map(
      (fact) =>
        `<tr><th scope="row" align="left" style="${cell}padding-right:12px;font-weight:600;overflow-wrap:break-word;word-break:normal;">${escapeHtml(shownLabel(fact))}</th> <td style="${cell}"><bdi>${escapeHtml(fact.value)}</bdi></td></tr>`,
    )
    return `<table cellpadding="0" cellspacing="0" border="0" style="margin:0 0 16px;font-size:inherit;">\n${rows.join('\n')}\n</table>`
  }
  const html = part.pieces.map(({ text, isValue }) => (isValue ? `<bdi>${escapeHtml(text)}</bdi>` : escapeHtml(text)))
  return `<p style="${paragraph}">${html.join('')}</p>`
}
