import { type Frame, frame } from './frame.ts'
import type { PageContext } from './pageContext.ts'
import type { Views } from './templates.ts'

/** The page whose form posts an authorization response to the app: by itself with a script, otherwise by its button. */
export interface FormPostPage extends Frame {
  heading: string
  explanation: string
  action: string
  fields: { name: string; value: string }[]
  submit: string
  script: string
}

export function formPostPage(
  views: Views,
  pageContext: PageContext,
  { redirectUri, response }: { redirectUri: string; response: Readonly<Record<string, unknown>> },
): FormPostPage {
  const { texts } = pageContext
  // No language links: the page cannot be shown twice.
  return {
    ...frame(views, { ...pageContext, languageLinks: [] }, texts.text('form_post.title')),
    heading: texts.text('form_post.title'),
    explanation: texts.text('form_post.explanation'),
    action: redirectUri,
    fields: Object.entries(response).map(([name, value]) => ({ name, value: String(value) })),
    submit: texts.text('form_post.submit'),
    script: views.script.href,
  }
}
