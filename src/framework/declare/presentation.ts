import type { Caller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { ParameterValues } from './values.ts'

export interface Presentation {
  school: School
  caller: Caller
  externalServices: ExternalServices
  parameters: ParameterValues
}
