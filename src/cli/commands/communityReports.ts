import { type Command, Option } from 'commander'
import { parseJson } from '../../lib/parseJson.ts'
import { define, type SchoolOption } from '../define.ts'
import { usage } from '../failures.ts'
import { report, withReference } from '../report.ts'
import type { Session } from '../session.ts'

const subjectTypes: Readonly<Record<string, string>> = { pst: 'post', les: 'lesson', evt: 'event' }

interface CommentOptions extends SchoolOption {
  author: string
  name?: string
  text?: string
  replyTo?: string
  status: string
  spam?: boolean
  reference?: string
}

/** `comments add`: a comment that was written on the site of the school. */
export function addComments(program: Command, session: Session): void {
  const group = define(program, {
    form: 'comments',
    about: 'Adds comments that people wrote on the site of the school.',
    examples: ['comments add pst_01jgwejj00e6srgkpqm2sqf05m --author wren@example.org --text "Which clay was that?"'],
  })
  const add = define(group, {
    form: 'add <subject>',
    about: 'Add a comment to a post, a lesson or an event. Without --text, the text is read from the standard input.',
    examples: [
      'comments add pst_01jgwejj00e6srgkpqm2sqf05m --author wren@example.org --text "Which clay was that?"',
      'comments add evt_01jgwejj00e6srgkpqm2sqf05m --author wren@example.org --status pending < comment.md',
    ],
  })
  withReference(add)
    .requiredOption('--author <email>', 'e-mail address of the author, who becomes a member')
    .option('--name <name>', 'name of an author whom the school does not know')
    .option('--text <markdown>', 'the text')
    .option('--reply-to <id>', 'the comment that it replies to')
    .addOption(
      new Option('--status <status>', 'only moderators see pending comments').choices(['published', 'pending']).default('published'),
    )
    .option('--spam', 'mark it as spam: only moderators see it')
    .action(async (subject: string, { school, author, name, text, replyTo, status, spam, reference }: CommentOptions) => {
      const type = subjectTypes[subject.slice(0, 3)]
      if (type === undefined) throw usage(`${subject} is not the id of a post, a lesson or an event (pst_, les_ or evt_ and 26 characters)`)
      const body = text ?? (await session.terminal.readInput())
      const created = await report(session, 'createComment', {
        school,
        reference,
        body: { subject: { type, id: subject }, author: { email: author, name }, body, parent_id: replyTo, status, spam },
      })
      session.terminal.out(`${String(created.id)} ${String(created.status)}\n`)
    })
  for (const [verb, operation, about] of decisions) addDecision(group, session, { verb, operation, about })
}

const decisions = [
  ['approve', 'approveComment', 'Publish a comment that waits or is hidden.'],
  ['hide', 'hideComment', 'Hide a comment, and its replies.'],
  ['spam', 'markCommentAsSpam', 'Hide a comment as spam.'],
  ['delete', 'deleteComment', 'Delete the text of a comment for ever.'],
] as const

/** `comments approve` and the other decisions of a moderator. */
function addDecision(
  group: Command,
  session: Session,
  { verb, operation, about }: { verb: string; operation: string; about: string },
): void {
  const decide = define(group, { form: `${verb} <comment>`, about, examples: [`comments ${verb} cmt_01jgwejj00e6srgkpqm2sqf05m`] })
  withReference(decide)
    .option('--moderator <name>', 'name of the moderator')
    .option('--reason <text>', 'reason, which only moderators see')
    .action(async (comment: string, { school, reference, moderator, reason }: SchoolOption & Record<string, string | undefined>) => {
      if (!/^cmt_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(comment)) throw usage(`${comment} is not the id of a comment (cmt_ and 26 characters)`)
      const body = { moderator, reason }
      const decided = await report(session, operation, { school, reference, parameter: comment, body })
      session.terminal.out(`${String(decided.id)} ${String(decided.status)}\n`)
    })
}

interface SubmitOptions extends SchoolOption {
  answers?: string
  email?: string
  name?: string
  sourcePath?: string
  locale?: string
  consentText?: string
  spam?: boolean
  reference?: string
}

/** `forms submit`: a form that was filled in on the site of the school. */
export function addForms(program: Command, session: Session): void {
  const group = define(program, {
    form: 'forms',
    about: 'Adds forms, and submits forms that people filled in on the site of the school.',
    examples: ['forms save ask-the-school --title "Ask the school" < questions.json', 'forms submit ask-the-school < answers.json'],
  })
  addSave(group, session)
  const submit = define(group, {
    form: 'submit <slug>',
    about: 'Submit an open form. Without --answers, the JSON is read from the standard input.',
    examples: ['forms submit ask-the-school < answers.json', 'forms submit ask-the-school --email wren@example.org < answers.json'],
  })
  withReference(submit)
    .option('--answers <json>', 'the answers by the key of the question')
    .option('--email <address>', 'the person, if the answers do not contain the address')
    .option('--name <name>', 'the person, if the answers do not contain the name')
    .option('--source-path <path>', 'page from which it was submitted, such as /contact')
    .option('--locale <tag>', 'language of the page')
    .option('--consent-text <text>', 'the text that the person agreed to, in addition to the questions')
    .option('--spam', 'mark it as spam')
    .action(
      async (form: string, { school, answers: typed, email, name, sourcePath, locale, consentText, spam, reference }: SubmitOptions) => {
        const answers = parse(
          typed ?? (await session.terminal.readInput()),
          'the answers must be a JSON object such as {"question":"When is the next firing?"}',
        )
        const contact = email === undefined && name === undefined ? undefined : { email, name }
        const body = { form, answers, contact, source_path: sourcePath, locale, consent_text: consentText, spam }
        const created = await report(session, 'createFormSubmission', { school, reference, body })
        session.terminal.out(`${String(created.id)}\n`)
      },
    )
}

interface SaveOptions extends SchoolOption {
  title: string
  status: string
  fields?: string
  description?: string
  successMessage?: string
  submitLabel?: string
  consentText?: string
  notifyStaff?: boolean
  opensAt?: string
  closesAt?: string
  reference?: string
}

/** `forms save`: the definition of a form. */
function addSave(group: Command, session: Session): void {
  const save = define(group, {
    form: 'save <slug>',
    about: 'Add or replace a form. Without --fields, the JSON array of its questions is read from the standard input.',
    examples: ['forms save ask-the-school --title "Ask the school" --notify-staff < questions.json'],
  })
  withReference(save)
    .requiredOption('--title <text>', 'title of the form')
    .addOption(
      new Option('--status <status>', 'only a published form accepts submissions')
        .choices(['draft', 'published', 'closed'])
        .default('published'),
    )
    .option('--fields <json>', 'the questions, each with key, label and kind')
    .option('--description <text>', 'description above the questions')
    .option('--success-message <text>', 'message after the submission')
    .option('--submit-label <text>', 'label of the button')
    .option('--consent-text <text>', 'text that people agree to')
    .option('--notify-staff', 'e-mail owners and admins about new submissions, at most once an hour')
    .option('--opens-at <time>', 'when it starts to accept submissions, such as 2026-03-01T09:30:00Z')
    .option('--closes-at <time>', 'when it stops accepting submissions')
    .action(async (slug: string, { school, reference, fields: typed, ...options }: SaveOptions) => {
      const fields = parse(typed ?? (await session.terminal.readInput()), questionsForm)
      const body = {
        ...{ slug, fields, title: options.title, status: options.status, description: options.description },
        ...{ success_message: options.successMessage, submit_label: options.submitLabel, consent_text: options.consentText },
        ...{ notifies_staff: options.notifyStaff, opens_at: options.opensAt, closes_at: options.closesAt },
      }
      const saved = await report(session, 'saveForm', { school, reference, body })
      session.terminal.out(`${String(saved.id)} ${String(saved.url)}\n`)
    })
}

const questionsForm = 'the questions must be a JSON array such as [{"key":"question","label":"Your question","kind":"long_text"}]'

function parse(text: string, rule: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw usage(rule)
  }
}
