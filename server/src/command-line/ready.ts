/*
 * Formats the startup summary for the terminal: addresses, next step and missing packages. Each entry is one line; an
 * empty line separates groups.
 */

/** A Debian package that is not installed, and its purpose. */
interface MissingPackage {
  name: string
  purpose: string
}

/** State of the server when startup is complete. */
export interface Ready {
  version: string
  seconds: number
  /** Scheme, host and port, without a trailing slash. */
  addresses: { selfService: string; administration: string; objectStorage: string | null }
  /** Names of the connected clouds. */
  clouds: readonly string[]
  /** Path to the log file; null: the log goes to standard output. */
  logFile: string | null
  /** Lines about the server's root capabilities. */
  rights: readonly string[]
  /**
   * Virtual machine support; null if there is none. `accelerator` is `kvm` or `tcg` if virtual machines run on this
   * host.
   */
  compute: { accelerator: string; isSimulated: boolean } | null
  /** Why virtual machines are not available; null if they are available or not wanted. */
  noMachines: string | null
  /** Messages from the engines about features that do not work on this host. */
  problems: readonly string[]
  missing: readonly MissingPackage[]
  /** Command that installs the missing packages. */
  install: string
  /** More advice for the operator; null entries are skipped. */
  advice: readonly (string | null)[]
}

const row = (name: string, text: string) => `  ${name.padEnd(17)}${text}`

function machinesOf(compute: Ready['compute']): string[] {
  if (compute?.isSimulated) return [row('virtual machines', 'are simulated: no real one is started')]
  if (compute?.accelerator === 'kvm') return [row('virtual machines', 'run with KVM, at native speed')]
  if (compute?.accelerator === 'tcg')
    return [
      row('virtual machines', 'are emulated, about ten times slower than with KVM: /dev/kvm is missing,'),
      row('', 'or the user of the server has no access to it'),
    ]
  return []
}

/** Shortens a loopback address: `http://127.0.0.1:8800` becomes `http://localhost:8800`. */
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
    '  Missing packages and their purpose:',
    ...missing.map(({ name, purpose }) => `    ${name.padEnd(width)}${purpose}`),
    `  Run as root: ${install}`,
  ]
}

/** The lines in the startup summary. */
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
    ...(it.noMachines === null ? [] : ['', `  Virtual machines are not available: ${it.noMachines}`]),
    ...it.problems.flatMap((problem) => ['', `  ${problem}`]),
    ...missingOf(it),
    ...it.advice.flatMap((sentence) => (sentence === null ? [] : ['', `  ${sentence}`])),
    '',
    `  ${nextSteps(it)}`,
    '',
  ]
}
