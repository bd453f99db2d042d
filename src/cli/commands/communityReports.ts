import { group } from '../command.ts'
import { reportCommand } from '../reportCommand.ts'
import { commentList, formList, subjectOf } from './communityLists.ts'
import { idAndStatus } from './seatReports.ts'

const decisions = [
  ['approve', 'approveComment', 'Publish a comment that waits or is hidden.', undefined],
  ['hide', 'hideComment', 'Hide a comment, and its replies.', true],
  ['spam', 'markCommentAsSpam', 'Hide a comment as spam.', true],
  ['delete', 'deleteComment', 'Delete the text of a comment for ever.', true],
] as const

export const comments = group(
  {
    name: 'comments',
    summary: 'Lists, adds and moderates comments that people wrote on the site of the school.',
    examples: ['comments add pst_01jgwejj00e6srgkpqm2sqf05m --author wren@example.org --text "Which clay was that?"'],
  },
  [
    commentList,
    reportCommand({
      operation: 'createComment',
      name: 'add <subject>',
      summary: 'Add a comment to a post, a lesson or an event. Without --text, the text is read from the standard input.',
      examples: [
        'comments add pst_01jgwejj00e6srgkpqm2sqf05m --author wren@example.org --text "Which clay was that?"',
        'comments add evt_01jgwejj00e6srgkpqm2sqf05m --author wren@example.org --status pending < comment.md',
      ],
      names: { subject: 'subject', 'author.email': 'author', 'author.name': 'name', body: 'text', parent_id: 'reply-to' },
      parse: { subject: (id) => ({ type: subjectOf(id).type, id }) },
      fromInput: 'body',
      print: idAndStatus,
    }),
    ...decisions.map(([verb, operation, summary, isRemoval]) =>
      reportCommand({
        operation,
        name: `${verb} <comment>`,
        summary,
        examples: [`comments ${verb} cmt_01jgwejj00e6srgkpqm2sqf05m`],
        parameter: 'the id of a comment (cmt_ and 26 characters)',
        ...(isRemoval && { isRemoval }),
        print: idAndStatus,
      }),
    ),
  ],
)

export const forms = group(
  {
    name: 'forms',
    summary: 'Lists and adds forms, and submits forms that people filled in on the site of the school.',
    examples: ['forms save ask-the-school --title "Ask the school" < questions.json', 'forms submit ask-the-school < answers.json'],
  },
  [
    formList,
    reportCommand({
      operation: 'saveForm',
      name: 'save <slug>',
      summary: 'Add or replace a form. Without --fields, the JSON array of its questions is read from the standard input.',
      examples: ['forms save ask-the-school --title "Ask the school" --notify-staff < questions.json'],
      names: { slug: 'slug', notifies_staff: 'notify-staff' },
      fromInput: 'fields',
      defaults: ['status'],
      complete: async (body) => ({ status: 'published', ...body }),
      print: ({ id, url }) => `${String(id)} ${String(url)}`,
    }),
    reportCommand({
      operation: 'createFormSubmission',
      name: 'submit <slug>',
      summary: 'Submit an open form. Without --answers, the JSON is read from the standard input.',
      examples: ['forms submit ask-the-school < answers.json', 'forms submit ask-the-school --email wren@example.org < answers.json'],
      names: { form: 'slug', 'contact.email': 'email', 'contact.name': 'name' },
      fromInput: 'answers',
      print: ({ id }) => String(id),
    }),
  ],
)
