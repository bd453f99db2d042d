import { accountFormPath, accountPaths } from '../../../base/accountPaths.ts'
import { isObject } from '../../../base/text/jsonValue.ts'
import { formPath } from '../../../engine/sitePaths.ts'
import type { FormRow, FormSubmission } from '../../../school/apiRows.ts'
import { plainText } from '../../plainText.ts'
import { type Texts, verbatim } from '../../texts.ts'
import type { AccountItem } from '../accountPage.ts'
import { mailLinks } from './manage/rowPage.ts'
import { schoolPage } from './schoolAdmin.ts'

const path = accountPaths.schoolForms

/** The page of the forms of the school, with the numbers of their answers. */
export const schoolFormsPage = schoolPage<readonly FormRow[]>({
  path,
  read: ({ list }) => list('forms', 'listForms'),
  build: ({ texts }, forms) => ({
    title: 'school.forms',
    introduction: texts.parts(forms.length === 0 ? 'school.forms_none' : 'school.forms_introduction', {}),
    sections: forms.length === 0 ? [] : [listSection(texts, forms)],
  }),
})

/** The page on which owners and admins read the answers to a form. */
export const schoolAnswersPage = schoolPage<{ shown: FormRow; submissions: readonly FormSubmission[] }>({
  path: `${path}/:form`,
  async read({ params, perform, list }) {
    const { body: shown } = await perform('getForm', { id_or_slug: params.form })
    return { shown, submissions: await list('answers', 'listFormSubmissionsOf', { id: shown.id }) }
  },
  build: ({ texts }, { shown, submissions }) => ({
    title: 'school.forms',
    heading: plainText(shown.title, 200),
    introduction: texts.parts('school.form_introduction', { count: shown.submissions_count ?? 0 }),
    sections: [
      {
        id: 'answers',
        heading: texts.text('school.form_answers'),
        paragraphs: submissions.length === 0 ? [texts.parts('school.form_none', {})] : [],
        items: submissions.map((submission) => itemOf(texts, shown, submission)),
        links: [
          ...(shown.status === 'published' ? [{ href: formPath(shown.slug), label: texts.text('school.form_open') }] : []),
          { href: path, label: texts.text('school.forms_all') },
        ],
      },
    ],
  }),
})

const listSection = (texts: Texts, forms: readonly FormRow[]) => ({
  id: 'forms',
  heading: texts.text('school.forms'),
  table: {
    caption: texts.text('school.forms'),
    head: [
      texts.text('school.form_title'),
      texts.text('school.status_label'),
      texts.text('school.form_answers'),
      texts.text('school.form_last'),
    ],
    rows: forms.map(({ id, title, status, submissions_count, last_submission_at }) => ({
      cells: [
        { href: accountFormPath(id), label: plainText(title, 200) },
        texts.parts(`school.form_${status}`, {}),
        verbatim(texts, String(submissions_count)),
        verbatim(texts, last_submission_at === null ? '–' : texts.moment(new Date(last_submission_at))),
      ],
    })),
  },
})

/** Shows the sender, the time, and each question with its answer. Answers to questions that the form no longer has keep their key. */
function itemOf(texts: Texts, { fields, title }: FormRow, { id, answers, contact, spam, submitted_at }: FormSubmission): AccountItem {
  const labels = new Map(fields.map(({ key, label }) => [key, label]))
  const known = fields.map(({ key }) => key).filter((key) => Object.hasOwn(answers, key))
  const others = Object.keys(answers).filter((key) => !labels.has(key))
  const sender = [contact.name, contact.email].filter((part) => part !== null && part !== '').join(', ')
  return {
    id,
    title: sender === '' ? texts.parts('school.form_nameless', {}) : verbatim(texts, plainText(sender, 300)),
    lines: [
      verbatim(texts, texts.moment(new Date(submitted_at))),
      ...[...known, ...others].map((key) =>
        texts.parts('school.form_answer', { question: plainText(labels.get(key) ?? key, 300), answer: answerText(texts, answers[key]) }),
      ),
    ],
    ...(spam && { mark: texts.text('school.form_spam') }),
    links: mailLinks(texts, { contact }, texts.text('manage.reply_subject', { title: plainText(title, 120) })),
  }
}

function answerText(texts: Texts, answer: unknown): string {
  if (typeof answer === 'boolean') return texts.text(answer ? 'school.form_yes' : 'school.form_no')
  if (Array.isArray(answer)) return plainText(answer.join(', '), 5000)
  if (isObject(answer)) return plainText(answer.filename, 300)
  return plainText(String(answer), 10_000)
}
