import { pageProblem } from '../pageProblem.ts'
import { confirmedOrAway } from './confirmation.ts'
import type { PageAccess } from './ownPage.ts'
import { tokenRequired } from './signedInPerson.ts'

/** The pages of second factors, at schools that use them. Their forms need a confirmation, which leads back to `confirmedAt`. */
export function withConfirmation({ open, confirmedAt }: { open: PageAccess['open']; confirmedAt: string }): PageAccess {
  const whereOffered =
    (access: PageAccess['open']): PageAccess['open'] =>
    async (ctx, services, page) => {
      if (services.secondFactors.ruleOf(ctx.state.school) === 'off')
        throw pageProblem('nothing_here', 'not_found', 'There is no such page.')
      return await access(ctx, services, page)
    }
  return { open: whereOffered(open), own: whereOffered(tokenRequired((ctx, services) => confirmedOrAway(ctx, services, confirmedAt))) }
}
