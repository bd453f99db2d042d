import type { EmailTemplate } from './emailTemplates.ts'
import type { notificationTemplates, orderTemplates } from './notificationTemplates.ts'

/** The German templates of e-mails about news at the school and in the person's courses. */
export const germanNotificationTemplates: Record<keyof typeof notificationTemplates, EmailTemplate> = {
  post_published: {
    subject: '{school}: {title}',
    button: 'Beitrag lesen',
    text: `Bei {school} gibt es einen neuen Beitrag: {title}.

{link}`,
  },
  lessons_published: {
    subject: '{school}: neue Lektionen in {course}',
    button: 'Zum Kurs',
    text: `In einem Kurs, den Sie bei {school} besuchen, gibt es neue Lektionen: {course}.

{lessons}

{link}`,
  },
  result_changed: {
    subject: '{school}: neues Ergebnis in {lesson}',
    button: 'Ergebnis ansehen',
    text: `Ein Quiz, an dem Sie bei {school} teilgenommen haben, wurde neu bewertet, und Ihr Ergebnis hat sich geändert: {lesson}.

{link}`,
  },
  comment_replied: {
    subject: '{school}: Antwort auf Ihren Kommentar zu {title}',
    button: 'Zur Seite',
    text: `Bei {school} gibt es eine Antwort auf Ihren Kommentar zu {title}.

Neue Antworten seit der letzten E-Mail: {count}. Die neueste ist von {author}: „{comment}“

{link}`,
  },
  post_commented: {
    subject: '{school}: Kommentar zu Ihrem Beitrag {title}',
    button: 'Zum Beitrag',
    text: `Bei {school} gibt es einen Kommentar zu Ihrem Beitrag: {title}.

Neue Kommentare seit der letzten E-Mail: {count}. Der neueste ist von {author}: „{comment}“

{link}`,
  },
}

/** The German templates of e-mails about orders. */
export const germanOrderTemplates: Record<keyof typeof orderTemplates, EmailTemplate> = {
  receipt: {
    subject: '{school}: Beleg zur Bestellung {number}',
    button: 'Rechnung ansehen',
    text: `Vielen Dank für Ihre Bestellung bei {school}. Sie ist bezahlt.

{items}

{link}

Wenn Sie das nicht bestellt haben, wenden Sie sich an {school}.`,
  },
  receipt_free: {
    subject: '{school}: Beleg zur Bestellung {number}',
    button: 'Beleg ansehen',
    text: `Vielen Dank für Ihre Bestellung bei {school}. Sie müssen nichts bezahlen.

{items}

{link}

Wenn Sie das nicht bestellt haben, wenden Sie sich an {school}.`,
  },
  refund: {
    subject: '{school}: Erstattung zur Bestellung {number}',
    button: 'Ihre Bestellungen',
    text: `{school} hat Ihnen eine Bestellung erstattet.

{items}

{link}

Wenn Sie das nicht erwartet haben, wenden Sie sich an {school}.`,
  },
}
