import { parseArgs } from 'node:util'

/** Command-line options. */
export interface CliOptions {
  /** Name of an entry in a clouds file; overrides `MAINSTAY_CLOUD`. */
  cloud: string | null
  printConfig: boolean
  /** Check the cloud, report what is missing, and exit. */
  check: boolean
  /** Reset the password of the built-in administrator, and exit. */
  resetAdmin: boolean
  /** Verify the seals of the entire audit log, and exit. */
  verifyAudit: boolean
  /** Path of a management backup; the program restores the backup and exits. */
  restore: string | null
}

const options = {
  cloud: { type: 'string' },
  check: { type: 'boolean', default: false },
  'print-config': { type: 'boolean', default: false },
  restore: { type: 'string' },
  'reset-admin': { type: 'boolean', default: false },
  'verify-audit': { type: 'boolean', default: false },
} as const
const usage = 'Options: --cloud NAME, --check, --print-config, --reset-admin, --restore FILE, --verify-audit'

/** Parses the arguments that follow the program name. Returns a one-line `fault` if one of them is invalid. */
export function parseCliArgs(args: readonly string[]): CliOptions | { fault: string } {
  try {
    const { values } = parseArgs({ args: [...args], options })
    if (values.restore === '') return { fault: `Option '--restore' requires the path of a backup. ${usage}` }
    if (values.cloud === '') return { fault: `Option '--cloud' requires the name of a cloud. ${usage}` }
    return {
      cloud: values.cloud ?? null,
      printConfig: values['print-config'],
      check: values.check,
      resetAdmin: values['reset-admin'],
      verifyAudit: values['verify-audit'],
      restore: values.restore ?? null,
    }
  } catch (error) {
    const [what] = (error as Error).message.split(/[.\n]/)
    return { fault: `${what}. ${usage}` }
  }
}
