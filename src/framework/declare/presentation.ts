import type { Caller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { ParameterValues } from './values.ts'

/** The context in which a row is serialized. */
export interface Presentation {
  school: School
  caller: Caller
  externalServices: ExternalServices
  /** Values of the operation's parameters by name, such as those declared in `reading`. */
  parameters: ParameterValues
}
