import { describe, expect, test } from 'vitest'
import { type LetterKind, letters } from '../../src/mail/letters.ts'
import { createMail } from '../../src/mail/mail.ts'
import type { Letter } from '../../src/mail/post.ts'

const school = { id: 'x', slug: 'one', issuer: 'https://school.example.com' }
const links = Object.fromEntries(['link', 'sign_in', 'reset'].map((name) => [name, `https://school.example.com/${name}`]))
const kinds = Object.keys(letters) as LetterKind[]

function mail({ name = 'Lanternfield', from }: { name?: string; from?: string } = {}) {
  const sent: Letter[] = []
  const post = { deliver: async (letter: Letter) => void sent.push(letter), describe: () => '', close() {} }
  return { sent, send: createMail({ post, from, schoolName: async () => name }) }
}

describe('letters', () => {
  test.each(kinds)('%s names the school, says what to do if it was somebody else, and leaves no place unfilled', async (kind) => {
    const { sent, send } = mail()
    await send(school, 'marlo@example.com', kind, links)
    const [letter] = sent
    expect(letter?.subject).toContain('Lanternfield')
    expect(letter?.text).toMatch(/If it was not you|If you did not ask/)
    expect(`${letter?.subject} ${letter?.text}`).not.toMatch(/[{}]|undefined/)
    for (const [, url] of letter?.text.matchAll(/^(https?:\S+)$/gm) ?? []) expect(url).toMatch(/^https:\/\/school\.example\.com\//)
    expect(letter?.text.match(/https?:/g)?.length ?? 0).toBe(letters[kind].text.match(/^\{[a-z_]+\}$/gm)?.length ?? 0)
  })

  test('come from the configured address, or from the host of the school', async () => {
    const from = async (more: { from?: string }, issuer: string) => {
      const { sent, send } = mail(more)
      await send({ ...school, issuer }, 'a@example.com', 'email_changed', {})
      return sent[0]?.from
    }
    expect(await from({ from: 'post@example.com' }, school.issuer)).toEqual({ name: 'Lanternfield', address: 'post@example.com' })
    expect((await from({}, school.issuer))?.address).toBe('no-reply@school.example.com')
    expect((await from({}, 'http://127.0.0.1:3000'))?.address).toBe('no-reply@localhost')
    expect((await from({}, 'http://[::1]:3000'))?.address).toBe('no-reply@localhost')
  })

  test('take a school name of any shape as one line, and never as a place to fill', async () => {
    const { sent, send } = mail({ name: 'A\r\nBcc: evil@example.com {link} $&\u2028' })
    await send(school, 'a@example.com', 'password_reset', { link: 'https://school.example.com/x' })
    expect(sent[0]?.subject).toBe('Choose a new password for A Bcc: evil@example.com {link} $&')
    expect(sent[0]?.from.name).not.toMatch(/[\r\n\u2028]/)
  })

  test('that miss a link are not sent', async () => {
    const { sent, send } = mail()
    await expect(send(school, 'a@example.com', 'password_reset', {})).rejects.toThrow('needs link')
    expect(sent).toEqual([])
  })
})
