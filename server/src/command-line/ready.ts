/*
 * What the terminal says once the server answers: where, how to go on, and what is missing. Each entry is a line; an empty one separates
 * groups.
 */

/** A Debian package that is not installed, and what it is for. */
interface MissingPackage {
  name: string
  purpose: string
}

/** The state of the server at its start. */
export interface Ready {
  version: string
  seconds: number
  /** With their scheme, without a slash at the end. */
  addresses: { selfService: string; administration: string; objectStorage: string | null }
  /** Names of clouds that are engines. */
  clouds: readonly string[]
  /** The file that the log is written to; null: standard output. */
  logFile: string | null
  /** Lines about the rights of root that the server holds. */
  rights: readonly string[]
  /** What runs virtual machines; null: there are none here. `accelerator` is `kvm` or `tcg` on this machine. */
  compute: { accelerator: string; isSimulated: boolean } | null
  /** Why there are no virtual machines; null where there are, or shall be none. */
  noMachines: string | null
  /** Sentences of the engines about what does not work on this host. */
  problems: readonly string[]
  missing: readonly MissingPackage[]
  /** The command that installs them. */
  install: string
  /** More sentences that concern whoever starts the server. */
  advice: readonly (string | null)[]
}

const row = (name: string, text: string) => `  ${name.padEnd(17)}${text}`

function machinesOf(compute: Ready['compute']): string[] {
  if (compute?.isSimulated) return [row('virtual machines', 'are simulated: they start nothing')]
  if (compute?.accelerator === 'kvm') return [row('virtual machines', 'run with KVM, at the speed of this host')]
  if (compute?.accelerator === 'tcg')
    return [
      row('virtual machines', 'are emulated, about ten times slower than with KVM: /dev/kvm is missing,'),
      row('', 'or the user of the server has no access to it'),
    ]
  return []
}

/** `http://127.0.0.1:8800` as a person types it. */
const typed = (address: string) => address.replace(/\/\/(127\.0\.0\.1|\[::1\]):/, '//localhost:')

function nextSteps({ compute, clouds, addresses }: Ready): string {
  const sign = `Next: open ${typed(addresses.selfService)}, sign in as admin`
  return compute !== null || clouds.length > 0 ? `${sign}, and choose Create virtual machine.` : `${sign}.`
}

function missingOf({ missing, install }: Ready): string[] {
  if (missing.length === 0) return []
  const width = Math.max(...missing.map(({ name }) => name.length)) + 2
  return [
    '',
    '  Not installed, and what each package is for:',
    ...missing.map(({ name, purpose }) => `    ${name.padEnd(width)}${purpose}`),
    `  Install with: ${install}`,
  ]
}

/** Lines for the terminal. */
export function readyLines(it: Ready): string[] {
  const { selfService, administration, objectStorage } = it.addresses
  return [
    '',
    `  Mainstay ${it.version} is ready after ${it.seconds.toFixed(1)} s`,
    '',
    row('self-service', selfService),
    row('administration', administration),
    ...(objectStorage === null ? [] : [row('object storage', objectStorage)]),
    ...it.clouds.map((name) => row('cloud', name)),
    ...machinesOf(it.compute),
    ...(it.logFile === null ? [] : [row('log', it.logFile)]),
    ...it.rights.map((line) => `  ${line}`),
    ...(it.noMachines === null ? [] : ['', `  No virtual machines here: ${it.noMachines}`]),
    ...it.problems.flatMap((problem) => ['', `  ${problem}`]),
    ...missingOf(it),
    ...it.advice.flatMap((sentence) => (sentence === null ? [] : ['', `  ${sentence}`])),
    '',
    `  ${nextSteps(it)}`,
    '',
  ]
}
