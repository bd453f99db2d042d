import { type AddCommand, group } from '../command.ts'

/** Commands of operations, by the name of their group in the help. */
export type OperationCommands = ReadonlyMap<string, readonly AddCommand[]>

/** `call <operation>`: the operations of the API and of the platform intake. They are loaded only if they are used. */
export const call = (operations: OperationCommands): AddCommand =>
  group(
    {
      name: 'call',
      summary: `Calls an operation of the API or of the platform intake for the school: it reads or changes what apps, the school's other systems and
its pages read and change. Add --help to an operation to see its options.`,
      examples: [
        'call listOrders --status pending',
        'call getOrder 2026-000512 --json',
        'call payOrder 2026-000512 --amount 3900 --currency EUR --provider bank_transfer --reference "SEPA 81-2" --yes',
        'call updateCourse crs_01jgwejj00e6srgkpqm2sqf05m --as owner@example.com --capacity 20 --yes',
      ],
    },
    [...operations].flatMap(([heading, commands]) =>
      commands.map(
        (add): AddCommand =>
          (parent, session) => {
            add(parent, session)
            const added = parent.commands.at(-1)
            // The list shows the first sentence of each.
            added?.helpGroup(heading).summary(added.description().replace(/\. [\s\S]*/, ''))
          },
      ),
    ),
  )
