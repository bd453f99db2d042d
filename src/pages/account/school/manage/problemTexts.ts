import type { Problem, ProblemDetail } from '../../../../base/problem.ts'
import { ownMember } from '../../../../base/text/ownMember.ts'
import { plainText } from '../../../plainText.ts'
import type { TextKey, Texts } from '../../../texts.ts'
import type { OwnError } from '../../ownPage.ts'
import type { Leaf } from './fieldForms.ts'

const ofProblems: Readonly<Record<string, TextKey>> = {
  access_denied: 'manage.problem_denied',
  code_taken: 'manage.problem_taken',
  email_taken: 'manage.problem_email',
  external_id_taken: 'manage.problem_taken',
  idempotency_key_reused: 'account.sent_before',
  invalid_reference: 'manage.problem_reference',
  invalid_state: 'manage.problem_state',
  not_found: 'account.gone',
  not_publishable: 'manage.problem_publish',
  precondition_failed: 'manage.problem_changed',
  reserved_slug: 'manage.problem_slug',
  resource_in_use: 'manage.problem_in_use',
  slug_taken: 'manage.problem_slug',
}

/** The fields that problems without details are about. */
const fieldsOfProblems: Readonly<Record<string, string>> = {
  code_taken: 'code',
  email_taken: 'email',
  external_id_taken: 'external_id',
  reserved_slug: 'slug',
  slug_taken: 'slug',
}

const ofRules: Readonly<Record<string, TextKey>> = {
  required: 'manage.error_required',
  min: 'manage.error_min',
  max: 'manage.error_max',
  not_allowed: 'manage.error_choice',
  format: 'manage.error_format',
  type: 'manage.error_format',
}

/** Returns the errors of an operation in the language of the page, each at the field of the form that it is about. */
export function errorsOf(texts: Texts, problem: Problem, leaves: readonly Leaf[]): OwnError[] {
  const { code, details } = problem
  const atFields = details.flatMap((detail): OwnError[] => {
    const leaf = leafOf(detail, leaves)
    if (!leaf) return []
    const rule = leaf.rules.kind === 'time' && detail.code !== 'required' ? texts.text('manage.error_format') : ruleText(texts, detail)
    return [{ field: leaf.path, text: `${texts.field(leaf.names.at(-1) ?? '')}: ${rule}` }]
  })
  if (atFields.length > 0) return [...new Map(atFields.map((one) => [one.field, one])).values()]
  const field = leaves.find(({ path }) => path === ownMember(fieldsOfProblems, code))?.path
  const reasons = details.map(({ message }) => plainText(message, 200)).join(' ')
  const key = ownMember(ofProblems, code)
  const text = key ? texts.text(key) : texts.text('manage.problem_other', { reason: plainText(problem.description, 300) })
  return [{ ...(field !== undefined && { field }), text: code === 'not_publishable' && reasons !== '' ? `${text} ${reasons}` : text }]
}

/** Returns the field that shows the member of an error, or the object that it is in. */
const leafOf = ({ field }: ProblemDetail, leaves: readonly Leaf[]): Leaf | undefined =>
  field === undefined
    ? undefined
    : (leaves.find(({ path }) => path === field || field.startsWith(`${path}.`)) ?? leaves.find(({ path }) => path.startsWith(`${field}.`)))

function ruleText(texts: Texts, { code, message, meta }: ProblemDetail): string {
  const key = ownMember(ofRules, code)
  if (key) return texts.text(key, { limit: String(meta?.min ?? meta?.max ?? '') })
  // The rules of the school are in English: a translation is better than nothing, and the rule itself better than a guess.
  const rule = plainText(message.replace(/^[\w.]+: /, ''), 300)
  return texts.language === 'en' ? rule : texts.text('manage.error_rule', { rule })
}
