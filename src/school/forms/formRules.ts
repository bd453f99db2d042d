import type { Expression } from 'kysely'
import { fromPublicId } from '../../base/ids.ts'
import type { Builder, Condition } from '../../database/statements/expressions.ts'
import { type FormPlaces, isClosedForm, isOpenForm, selectContact, selectFormPlaces } from '../../database/tables/formExpressions.ts'

type Forms = Builder<'form'>

/** Selects forms that visitors see: published and not closed. */
export const isOpen = (): Condition => isOpenForm

/** Selects forms in one of these states. A published form whose time is over counts as closed. */
export const isInFormStatus = (form: Forms, statuses: readonly string[]): Condition =>
  form.or(statuses.map((one) => (one === 'published' ? isOpenForm : one === 'closed' ? isClosedForm : form('form.status', '=', one))))

/** Returns the current status of a form: a published form whose time is over is closed. */
export function statusNow(form: { status: string; closes_at: Date | null }, isKnownOpen: boolean, now = new Date()): string {
  const isOver = form.status === 'published' && !isKnownOpen && form.closes_at !== null && form.closes_at <= now
  return isOver ? 'closed' : form.status
}

export const placesOf = (): Expression<unknown> => selectFormPlaces

export const pagesFrom = ({ form, pages }: FormPlaces) =>
  (pages ?? []).filter((page) => page.forms.some((id) => fromPublicId('frm', id) === form)).map(({ id, slug }) => ({ id, slug }))

export const contactOf = (): Expression<unknown> => selectContact
