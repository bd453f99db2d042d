import type { ManualCode } from '../identity/oidc/manualCodeUri.ts'
import { type Frame, frame } from './frame.ts'
import type { PageContext } from './pageContext.ts'
import type { Views } from './templates.ts'

export interface ManualCodePage extends Frame {
  heading: string
  explanation: string
  fields: { id: string; label: string; value: string; copy: string }[]
  copied: string
  countdown: { seconds: number; text: string; over: string } | undefined
  noInput: string
  close: string
  script: string
}

export function manualCodePage(views: Views, pageContext: PageContext, { address, seconds }: ManualCode): ManualCodePage {
  const { texts } = pageContext
  // No language links: the page cannot be shown twice.
  const own = { ...pageContext, languageLinks: [] }
  const code = address.searchParams.get('code')
  const whole = {
    id: 'address',
    label: texts.text('manual_code.address'),
    value: address.href,
    copy: texts.text('manual_code.copy_address'),
  }
  const common = {
    noInput: texts.text('manual_code.no_input'),
    close: texts.text('manual_code.close'),
    copied: texts.text('manual_code.copied'),
    script: views.script.href,
  }
  if (code === null) {
    return {
      ...frame(views, own, texts.text('manual_code.refused_title')),
      heading: texts.text('manual_code.refused_heading'),
      explanation: texts.text('manual_code.refused_explanation'),
      fields: [whole],
      countdown: undefined,
      ...common,
    }
  }
  return {
    ...frame(views, own, texts.text('manual_code.title')),
    heading: texts.text('manual_code.heading'),
    explanation: texts.text('manual_code.explanation', { minutes: Math.round(seconds / 60) }),
    fields: [whole, { id: 'code', label: texts.text('manual_code.code'), value: code, copy: texts.text('manual_code.copy_code') }],
    countdown: { seconds, text: texts.text('manual_code.countdown'), over: texts.text('manual_code.over') },
    ...common,
  }
}
