/** The output of one source. */
export interface Part {
  text: string
  status: number
}

/**
 * Shell functions that print the outputs of several programs as one text, each output between two marker lines. The
 * marker is the first argument of the script. A program that hangs is stopped after five seconds, without affecting the
 * other programs.
 */
export const partsScript = `mark=$1
shift
part() { name=$1; shift; printf '%s %s\\n' "$mark" "$name"; "$@" 2>/dev/null; printf '\\n%s = %d\\n' "$mark" "$?"; }
program() { name=$1; shift; part "$name" timeout 5 "$@"; }
`

/** The exit status of `timeout` for a program that is not installed. */
export const NOT_INSTALLED = 127

/** The exit status of `timeout` for a program that was stopped. */
export const TIMED_OUT = 124

/** Splits the output of a script into its parts, by name. Incomplete parts are left out. */
export function partsIn(output: string, mark: string): Map<string, Part> {
  const parts = new Map<string, Part>()
  const pieces = output.split(`${mark} `)
  for (const [at, piece] of pieces.entries()) {
    const status = /^= (\d+)\n/.exec(piece)
    const begin = pieces[at - 1]
    if (!status || begin === undefined) continue
    const end = begin.indexOf('\n')
    // the line break before the second marker is not part of the output
    parts.set(begin.slice(0, end), { text: begin.slice(end + 1, -1), status: Number(status[1]) })
  }
  return parts
}
