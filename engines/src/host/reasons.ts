import { readFile } from 'node:fs/promises'

/** Lines that do not explain the failure, such as usage hints and position markers. */
const hint =
  /^(\^[\s^~]*|dmesg\(1\) may have more information.*|Dump terminated|Command failed \S+:\d+|(For more information|Try|See|Usage:|hint:).*)$/i
const MOST_LINES = 3
const MOST_CHARACTERS = 400

/**
 * Extracts the reason for a failure from a program's standard error: the first lines that are not hints, joined into
 * one; '' if there are none. Programs print the cause first, followed by consequences, quoted input and advice.
 */
export function reasonIn(errors: string): string {
  const lines = errors.split('\n').map((line) => line.trim().replaceAll(/\s+/g, ' '))
  const told = lines.filter((line) => line !== '' && !hint.test(line))
  return told.slice(0, MOST_LINES).join(' ').slice(0, MOST_CHARACTERS)
}

/** Messages that services log when the host refuses an operation, and the user-facing text for each. */
const known: readonly (readonly [RegExp, string])[] = [
  [
    /permanent error missing permission|cannot create ICMPv6 socket: Operation not permitted/i,
    'The server cannot open raw sockets on this host (capability CAP_NET_RAW)',
  ],
  [/No space left on device/i, 'The disk of the host is full'],
  [/Cannot allocate memory|out of memory/i, 'The host does not have enough free memory'],
  [
    /Nexthop has invalid gateway|Gateway can ?not be a local address|Nexthop device is not up/i,
    'The next hop of a static route cannot be reached',
  ],
  [/Address already in use/i, 'Another program on the host uses the port'],
]
/** Returns the user-facing text for a known failure, or null for any other failure. */
export const knownReason = (cause: string): string | null =>
  known.find(([pattern, words]) => pattern.test(cause) || cause === words)?.[1] ?? null

const trouble =
  /error|fail|fatal|\[alert\]|cannot|can't|could not|unable|denied|not permitted|refused|already in use|no such|not found|missing|invalid|illegal|bad /i
/** Messages from the shell that starts a program, and from a program that exits after printing the actual error. */
const noCause = /^\S+: line \d+: |^(Stopped|Starting)\b|\bwarning:|errors? found in configuration|^Terminating/i
const stamp = /^([A-Z][a-z]{2} [A-Z][a-z]{2} +\d+ [\d:]+ \d{4}: )/

/**
 * Extracts the reason why a service exited from its log: a known user-facing text, or else the last line that reports
 * an error; '' if there is none. Unlike in a program's output, the cause is near the end, because services run for a
 * long time.
 */
export function serviceReasonIn(log: string): string {
  const lines = log.split('\n').map((line) => line.trim().replace(stamp, '').replaceAll(/\s+/g, ' '))
  const told = lines.findLast((line) => trouble.test(line) && !noCause.test(line) && !hint.test(line)) ?? ''
  return (knownReason(told) ?? told).slice(0, MOST_CHARACTERS)
}

/** Returns the last line that a process printed, ignoring warnings and register dumps, or null if there is none. */
export async function lastWords(errorsFile: string): Promise<string | null> {
  const text = await readFile(errorsFile, 'utf8').catch(() => '')
  const lines = text
    .split('\n')
    .filter((line) => line.trim() && !/warning:|^(E?[A-Z]{2,3}\d?|CR\d|DR\d|[CDEFGS]S|GDT|IDT|TR|LDT)\s*=/.test(line))
  return lines.at(-1) ?? null
}
