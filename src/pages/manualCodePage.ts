import type { ManualCode } from '../oidc/manualCodeUri.ts'
import type { PageContext } from './pageContext.ts'
import { type Frame, frame, type Views } from './templates.ts'

/** The answer to an app on another machine, for a person to copy. */
export interface ManualCodePage extends Frame {
  heading: string
  explanation: string
  /** What can be copied, each in a field of its own. */
  fields: { id: string; label: string; value: string }[]
  noPlace: string
  close: string
}

/** Builds the page: address and code, or the address that tells the app of a refusal. Pure. */
export function manualCodePage(views: Views, pageContext: PageContext, { address, seconds }: ManualCode): ManualCodePage {
  const { texts } = pageContext
  // It cannot be shown again, so not in another language either.
  const own = { ...pageContext, languageLinks: [] }
  const code = address.searchParams.get('code')
  const whole = { id: 'address', label: texts.text('hand_over.address'), value: address.href }
  const common = { noPlace: texts.text('hand_over.no_place'), close: texts.text('hand_over.close') }
  if (code === null) {
    return {
      ...frame(views, own, texts.text('hand_over.refused_title')),
      heading: texts.text('hand_over.refused_heading'),
      explanation: texts.text('hand_over.refused_explanation'),
      fields: [whole],
      ...common,
    }
  }
  return {
    ...frame(views, own, texts.text('hand_over.title')),
    heading: texts.text('hand_over.heading'),
    explanation: texts.text('hand_over.explanation', { minutes: Math.round(seconds / 60) }),
    fields: [whole, { id: 'code', label: texts.text('hand_over.code'), value: code }],
    ...common,
  }
}
