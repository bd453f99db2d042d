import type { Context } from 'koa'
import { readOwnCookie, setOwnCookie } from '../../base/http/ownCookie.ts'
import { hash, type Keyring, randomToken } from '../../base/keyring.ts'
import type { Log } from '../../base/log/log.ts'
import { escapeHtml, unescapeHtml } from '../../base/text/escapeHtml.ts'
import type { Artifacts } from '../../identity/tokens/artifacts.ts'
import type { Csrf } from '../csrf.ts'
import { isSecretField } from '../formPage.ts'

/** The fields of a form that could not be taken because the session had ended. */
export interface KeptForm {
  accountId: string
  /** Path of the page that shows the form. */
  page: string
  action: string
  fields: readonly (readonly [name: string, value: string])[]
}

/**
 * Keeps what a person typed through the sign-in: encrypted, for an hour, one form for each browser. Only the browser that the form was shown
 * in, and only the account that it was shown to, gets it back. Passwords and codes are never kept.
 */
export interface KeptForms {
  /** Keeps the submitted form of a page. Returns false if no person of this browser was shown the form. */
  keep(ctx: Context, page: string): Promise<boolean>
  /** Returns the form that was kept for the page and the account. Removes one of another account. */
  find(ctx: Context, accountId: string, page: string): Promise<KeptForm | undefined>
  /** Removes the form that was kept, after a form with the address of this request was taken. */
  taken(ctx: Context): Promise<void>
}

const cookie = 'sg_kept'
const lifeSeconds = 3600
const maxBytes = 65_536
const model = 'KeptForm'

const pathOf = (page: string): string => page.replace(/[?#].*/s, '')

export function createKeptForms({
  keyring,
  csrf,
  artifacts,
  log,
}: {
  keyring: Keyring
  csrf: Csrf
  artifacts: Pick<Artifacts, 'find' | 'save' | 'destroy'>
  log: Log
}): KeptForms {
  const keyOf = (ctx: Context, token: string) => ({ schoolId: ctx.state.school.id, model, id: hash(token) })

  const read = async (ctx: Context): Promise<KeptForm | undefined> => {
    const token = readOwnCookie(ctx, cookie)
    if (!token) return undefined
    const found = await artifacts.find(keyOf(ctx, token))
    const text = found && keyring.tryOpen('kept forms', found.payload)
    return text === undefined ? undefined : JSON.parse(text)
  }
  const remove = async (ctx: Context): Promise<void> => {
    const token = readOwnCookie(ctx, cookie)
    if (!token) return
    await artifacts.destroy(keyOf(ctx, token))
    setOwnCookie(ctx, cookie, { value: '', lifeSeconds: 0 })
  }

  return {
    async keep(ctx, page) {
      const { form } = ctx.state
      if (!(form instanceof URLSearchParams)) return false
      const accountId = csrf.accountOf(ctx, form.get('csrf') ?? undefined)
      if (accountId === undefined) return false
      const kept: KeptForm = {
        ...{ accountId, page: pathOf(page), action: ctx.path },
        fields: [...form].filter(([name]) => !isSecretField(name)),
      }
      const text = JSON.stringify(kept)
      if (Buffer.byteLength(text) > maxBytes) return false
      const token = randomToken(256)
      try {
        await remove(ctx)
        const payload = keyring.seal('kept forms', text)
        await artifacts.save({ ...keyOf(ctx, token), accountId, payload, expiresInSeconds: lifeSeconds })
      } catch (error) {
        // The sign-in is more important than the text.
        log.warn({ err: error }, 'form not kept')
        return false
      }
      setOwnCookie(ctx, cookie, { value: token, lifeSeconds })
      return true
    },
    async find(ctx, accountId, page) {
      const kept = await read(ctx)
      if (kept && kept.accountId !== accountId) await remove(ctx)
      return kept?.accountId === accountId && kept.page === pathOf(page) ? kept : undefined
    },
    async taken(ctx) {
      if ((await read(ctx))?.action === ctx.path) await remove(ctx)
    },
  }
}

/** Names of hidden fields whose value is new each time that a page is shown. */
const newEachTime: ReadonlySet<string> = new Set(['csrf', 'once', 'version'])

/**
 * Returns the HTML of a page with its form filled in as it was kept, and opened if it was folded away; undefined if the page no longer has
 * the form. Reads only the elements that the views of forms write.
 */
export function filledIn(html: string, { action, fields }: KeptForm): string | undefined {
  const values = (name: string): string[] => fields.flatMap(([one, value]) => (one === name ? [value] : []))
  let isFilled = false
  const filled = html.replace(/(<details>(?:(?!<\/?details\b|<form\b)[\s\S])*)?<form\b[^>]*>[\s\S]*?<\/form>/g, (part, folded?: string) => {
    const form = part.slice(folded?.length ?? 0)
    const isSame =
      attribute(form, 'action') === action &&
      [...form.matchAll(/<input type="hidden"[^>]*>/g)].every(([input]) => {
        const name = attribute(input, 'name') ?? ''
        return newEachTime.has(name) || values(name)[0] === attribute(input, 'value')
      })
    if (isFilled || !isSame) return part
    isFilled = true
    return `${folded?.replace('<details>', '<details open>') ?? ''}${fill(form, values)}`
  })
  return isFilled ? filled : undefined
}

function fill(form: string, values: (name: string) => string[]): string {
  return form
    .replace(/(<textarea\b[^>]*>\n?)[\s\S]*?(<\/textarea>)/g, (whole, start: string, end: string) => {
      const [text] = values(attribute(start, 'name') ?? '')
      return text === undefined ? whole : start + escapeHtml(text) + end
    })
    .replace(/<input\b[^>]*>/g, (input) => {
      const type = attribute(input, 'type')
      const found = values(attribute(input, 'name') ?? '')
      if (type === 'radio' || type === 'checkbox') {
        const bare = input.replace(/ checked(?=[ >])/, '')
        return found.includes(attribute(input, 'value') ?? '') ? bare.replace(/>$/, ' checked>') : bare
      }
      const [text] = found
      if (text === undefined || (type !== 'text' && type !== 'email')) return input
      return input.replace(/ value="[^"]*"/, () => ` value="${escapeHtml(text)}"`)
    })
    .replace(/<select\b[^>]*>[\s\S]*?<\/select>/g, (select) => {
      const [chosen] = values(attribute(select, 'name') ?? '')
      if (chosen === undefined) return select
      return select.replace(/<option\b[^>]*>/g, (option) => {
        const bare = option.replace(/ selected(?=[ >])/, '')
        return attribute(option, 'value') === chosen ? bare.replace(/>$/, ' selected>') : bare
      })
    })
}

/** Returns the value of an attribute of the first element. */
function attribute(html: string, name: string): string | undefined {
  const [, value] = new RegExp(`^<[^>]*? ${name}="([^"]*)"`).exec(html) ?? []
  return value === undefined ? undefined : unescapeHtml(value)
}
