import { type AddCommand, command } from '../command.ts'
import { completionScript, shells } from '../completion.ts'
import { usage } from '../failures.ts'

export const completion: AddCommand = (program, session) =>
  command({
    name: 'completion <shell>',
    summary: `Print a script that completes commands, options and their values in a shell: ${shells.join(', ')}. Add the line of the example to the
start file of the shell, such as ~/.bashrc.`,
    examples: ['completion bash', 'completion zsh', 'completion fish'],
    choices: { shell: shells },
    run({ terminal }, _options, named) {
      const shell = shells.find((known) => known === named)
      if (!shell) throw usage(`${named} is not a shell: choose one of ${shells.join(', ')}`)
      terminal.out(completionScript(program, shell))
    },
  })(program, session)
