import { reasonIn } from '../../../host/reasons'

/*
 * Runs many commands in many namespaces as a single shell script, because most of the time is spent entering the
 * capsule and starting programs. Failures are reported for each step; the remaining steps still run.
 */

export interface Step {
  /** Namespace name; null: the namespace in which the script runs. */
  space: string | null
  /** Program and arguments; must not contain user input. */
  command: string
  /** Standard input of the command. */
  lines: string[]
  /** Owner of each line, to attribute faults; a single entry applies to all lines. */
  owners?: (string | null)[]
}

const end = 'END-OF-STEP'

export function scriptOf(steps: readonly Step[]): string {
  return steps
    .map(({ space, command, lines }, at) => {
      const enter = space === null ? '' : `nsenter --net=/run/netns/${space} -- `
      return `o=$(${enter}${command} 2>&1 <<'${end}'\n${lines.join('\n')}\n${end}\n) || printf '@%d %s\\n' ${at} "$o"\n`
    })
    .join('')
}

export interface StepFault {
  /** Owner of the line that failed; null if unknown. */
  owner: string | null
  space: string | null
  message: string
}

/** Parses the output of `scriptOf`. `ip -batch` reports the line number: `Command failed -:3`. */
export function faultsIn(output: string, steps: readonly Step[]): StepFault[] {
  const found: StepFault[] = []
  for (const part of output.split(/^@(?=\d+ )/m).slice(1)) {
    const step = steps[Number.parseInt(part)]
    if (!step) continue
    const said = part.slice(part.indexOf(' ') + 1).trim()
    const { space, owners = [] } = step
    const pieces = said.split(/^Command failed -:(\d+)$/m)
    if (pieces.length < 2) {
      found.push({ owner: owners.length === 1 ? owners[0]! : null, space, message: why(said) })
      continue
    }
    for (let at = 0; at + 1 < pieces.length; at += 2) {
      const line = Number(pieces[at + 1]) - 1
      const message = `${why(pieces[at]!)} (${step.lines[line] ?? step.command})`
      found.push({ owner: owners[line] ?? owners[0] ?? null, space, message })
    }
  }
  return found
}

const why = (said: string) => reasonIn(said) || said.trim() || 'it failed'
