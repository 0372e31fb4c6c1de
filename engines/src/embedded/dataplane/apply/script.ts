import { reasonIn } from '../../../host/reasons'

/*
 * Many commands in many namespaces as one script for one shell, as entering the capsule and starting programs is what costs.
 * Each step says afterwards what failed; the others go on.
 */

export interface Step {
  /** Name of the namespace; null: the one that the script runs in. */
  space: string | null
  /** Program and its words, which are our own. */
  command: string
  /** What it reads. */
  lines: string[]
  /** Whose each line is, for faults; one for all where there is only one. */
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
  /** Owner of the line that failed, where it is known. */
  owner: string | null
  space: string | null
  message: string
}

/** Reads what a script said. `ip -batch` names the line: `Command failed -:3`. */
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
