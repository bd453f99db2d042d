import { type LetterKind, letters } from './letters.ts'
import type { Post } from './post.ts'

/** The school that a message comes from. */
export interface Sender {
  id: string
  slug: string
  issuer: string
}

export interface MailArguments {
  post: Post
  /** The address that messages come from; where there is none it is made from the school's own host. */
  from?: string | undefined
  schoolName(school: Sender): Promise<string>
}

/** Writes a letter to one address. */
export type SendLetter = (school: Sender, to: string, kind: LetterKind, links: Record<string, string>) => Promise<void>

/** The school's mail: the words of a message with the school's name and the links, and nothing else that anybody chose. */
export function createMail({ post, from, schoolName }: MailArguments): SendLetter {
  return async (school, to, kind, links) => {
    const name = oneLine(await schoolName(school))
    const values: Record<string, string> = { ...links, school: name }
    const fill = (text: string): string =>
      text.replace(/\{([a-z_]+)\}/g, (_all, key: string) => {
        const value = Object.hasOwn(values, key) ? values[key] : undefined
        if (value === undefined) throw new Error(`the message ${kind} needs ${key}`)
        return value
      })
    const { subject, text } = letters[kind]
    await post.deliver({
      from: { name, address: from ?? defaultSender(school.issuer) },
      to,
      subject: fill(subject),
      text: `${fill(text)}\n`,
    })
  }
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim()

function defaultSender(issuer: string): string {
  const { hostname } = new URL(issuer)
  return `no-reply@${/^[a-z0-9.-]*[a-z][a-z0-9.-]*$/.test(hostname) ? hostname : 'localhost'}`
}
