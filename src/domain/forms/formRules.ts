import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import { fromPublicId } from '../../lib/ids.ts'
import { type FormPlaces, isClosedForm, isOpenForm, selectContact, selectFormPlaces } from '../../store/formExpressions.ts'

type Forms = ExpressionBuilder<DB, 'form'>
type Condition = Expression<SqlBool>

/** What visitors find: published, and not past its end. */
export const isOpen = (): Condition => isOpenForm

/** Forms in one of these states, as the clock has them. */
export const isInFormStatus = (form: Forms, statuses: readonly string[]): Condition =>
  form.or(statuses.map((one) => (one === 'published' ? isOpenForm : one === 'closed' ? isClosedForm : form('form.status', '=', one))))

/** The state as the clock has it. */
export function statusNow(form: { status: string; closes_at: Date | null }, isCertainlyOpen: boolean, now = new Date()): string {
  const isOver = form.status === 'published' && !isCertainlyOpen && form.closes_at !== null && form.closes_at <= now
  return isOver ? 'closed' : form.status
}

/** Pages that visitors find and that show the form. */
export const placesOf = (): Expression<unknown> => selectFormPlaces

/** What `placesOf` has read, as far as it is about the form. */
export const pagesFrom = ({ form, pages }: FormPlaces) =>
  (pages ?? []).filter((page) => page.forms.some((id) => fromPublicId('frm', id) === form)).map(({ id, slug }) => ({ id, slug }))

/** Who sent something in. */
export const contactOf = (): Expression<unknown> => selectContact
