import type { Argument, Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const

export type Shell = (typeof shells)[number]

/** A command or a group, by the words that lead to it. */
interface Place {
  words: string
  children: readonly { name: string; about: string }[]
  options: readonly { flags: readonly string[]; about: string; takesValue: boolean; choices: readonly string[] }[]
  /** The values that its arguments can have. */
  values: readonly string[]
}

/** Returns a script that completes the commands, options and choices of the program, without starting it. */
export function completionScript(program: Command, shell: Shell): string {
  return scripts[shell](program.name(), placesIn(program, []))
}

function placesIn(command: Command, words: readonly string[]): Place[] {
  const { commands, registeredArguments } = command
  const help = command.createHelp()
  const place: Place = {
    words: words.join(' '),
    children: commands.map((child) => ({ name: child.name(), about: firstSentence(child.description()) })),
    options: help.visibleOptions(command).map(optionOf),
    values: registeredArguments.flatMap(({ argChoices = [] }: Argument) => argChoices),
  }
  return [place, ...commands.flatMap((child) => placesIn(child, [...words, child.name()]))]
}

const optionOf = ({ short, long, description, required, optional, argChoices = [] }: Option): Place['options'][number] => ({
  flags: [short, long].filter((one) => one !== undefined),
  about: firstSentence(description),
  takesValue: required || optional,
  choices: argChoices,
})

const firstSentence = (text: string): string => (/^.*?(?=\.(\s|$)|$)/s.exec(text)?.[0] ?? text).replace(/\s+/g, ' ')

const wordsAt = ({ children, options, values }: Place): string =>
  [...children.map(({ name }) => name), ...values, ...options.flatMap(({ flags }) => flags)].join(' ')

/** The cases in which the word before is an option that takes a value: `people list:--role`. */
const valueCases = (places: readonly Place[], complete: (choices: readonly string[]) => string): string =>
  places
    .flatMap(({ words, options }) =>
      options
        .filter(({ takesValue }) => takesValue)
        .map(({ flags, choices }) => `    ${flags.map((flag) => `'${words}:${flag}'`).join('|')}) ${complete(choices)} ;;\n`),
    )
    .join('')

const nameCases = (places: readonly Place[]): string =>
  places
    .filter(({ words }) => words !== '')
    .map(({ words }) => `'${words}'`)
    .join('|')

const wordCases = (places: readonly Place[]): string =>
  places.map((place) => `    '${place.words}') known='${wordsAt(place)}' ;;\n`).join('')

const bash = (name: string, places: readonly Place[]): string => `# Completion of ${name} for bash: source <(${name} completion bash)
_${name}() {
  local word=\${COMP_WORDS[COMP_CWORD]} place= known= each
  for each in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$each" in
    ${nameCases(places)}) place="\${place:+$place }$each" ;;
    esac
  done
  COMPREPLY=()
  case "$place:\${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases(places, (choices) => (choices.length > 0 ? `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$word")); return` : 'return'))}  esac
  case "$place" in
${wordCases(places)}  esac
  COMPREPLY=($(compgen -W "$known" -- "$word"))
}
complete -o default -F _${name} ${name}
`

const zsh = (name: string, places: readonly Place[]): string => `#compdef ${name}
# Completion of ${name} for zsh: source <(${name} completion zsh), after compinit
_${name}() {
  local place= known= each
  for each in "\${(@)words[2,CURRENT-1]}"; do
    case "\${place:+$place }$each" in
    ${nameCases(places)}) place="\${place:+$place }$each" ;;
    esac
  done
  case "$place:\${words[CURRENT-1]}" in
${valueCases(places, (choices) => (choices.length > 0 ? `compadd -- ${choices.join(' ')}; return` : '_files; return'))}  esac
  case "$place" in
${wordCases(places)}  esac
  compadd -- \${=known} || _files
}
compdef _${name} ${name}
`

const fish = (name: string, places: readonly Place[]): string => {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
  const lines = places.flatMap(({ words, children, options, values }) => {
    const start = `complete -c ${name} -n ${quoted(`__${name}_at ${quoted(words)}`)}`
    return [
      ...children.map((child) => `${start} -f -a ${child.name} -d ${quoted(child.about)}`),
      ...values.map((value) => `${start} -f -a ${value}`),
      ...options.map(({ flags, about, takesValue, choices }) => {
        const named = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ')
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : ''
        return `${start} ${named}${value} -d ${quoted(about)}`
      }),
    ]
  })
  return `# Completion of ${name} for fish: ${name} completion fish | source
function __${name}_at
  set -l place
  for each in (commandline -opc)[2..-1]
    switch (string join ' ' $place $each)
    case ${places.flatMap(({ words }) => (words === '' ? [] : quoted(words))).join(' ')}
      set place $place $each
    end
  end
  test "$place" = "$argv[1]"
end
${lines.join('\n')}
`
}

const scripts: Record<Shell, (name: string, places: readonly Place[]) => string> = { bash, zsh, fish }
