/**
 * The English templates of e-mails about news at the school and in the person's courses. Staff write titles of posts, courses and lessons; the
 * name and the text of a comment are those of another person, shortened by the sender.
 */
export const notificationTemplates = {
  post_published: {
    subject: '{school}: {title}',
    button: 'Read the post',
    text: `There is a new post at {school}: {title}.

{link}`,
  },
  lessons_published: {
    subject: '{school}: new lessons in {course}',
    button: 'Go to the course',
    text: `There are new lessons in a course that you take at {school}: {course}.

{lessons}

{link}`,
  },
  /** The quiz was graded again, after the person had seen a result. */
  result_changed: {
    subject: '{school}: new result in {lesson}',
    button: 'See the result',
    text: `A quiz that you took at {school} was graded again, and your result has changed: {lesson}.

{link}`,
  },
  comment_replied: {
    subject: '{school}: reply to your comment on {title}',
    button: 'Go to the page',
    text: `There is a reply to your comment at {school} on {title}.

New replies since the last e-mail: {count}. The latest is by {author}: “{comment}”

{link}`,
  },
  post_commented: {
    subject: '{school}: comment on your post {title}',
    button: 'Go to the post',
    text: `There is a comment on your post at {school}: {title}.

New comments since the last e-mail: {count}. The latest is by {author}: “{comment}”

{link}`,
  },
} as const

/** The English templates of e-mails about orders. */
export const orderTemplates = {
  receipt: {
    subject: '{school}: receipt for order {number}',
    button: 'See the invoice',
    text: `Thank you for your order at {school}. It is paid.

{items}

{link}

If you did not ask for this, contact {school}.`,
  },
  /** For an order without anything to pay, which has no invoice. */
  receipt_free: {
    subject: '{school}: receipt for order {number}',
    button: 'See the receipt',
    text: `Thank you for your order at {school}. There is nothing to pay.

{items}

{link}

If you did not ask for this, contact {school}.`,
  },
  refund: {
    subject: '{school}: refund for order {number}',
    button: 'See your orders',
    text: `{school} has refunded an order of yours.

{items}

{link}

If you did not ask for this, contact {school}.`,
  },
} as const
