import { parseArgs } from 'node:util'

/** What the command line says besides the environment. */
export interface CliOptions {
  /** An entry of a clouds file, in place of `MAINSTAY_CLOUD`. */
  cloud: string | null
  printConfig: boolean
  /** Look at the cloud, say what is missing, and end. */
  check: boolean
  /** Give the built-in administrator a new password, and end. */
  resetAdmin: boolean
  /** Look at the whole audit log, say whether it is as it was sealed, and end. */
  verifyAudit: boolean
}

const options = {
  cloud: { type: 'string' },
  check: { type: 'boolean', default: false },
  'print-config': { type: 'boolean', default: false },
  'reset-admin': { type: 'boolean', default: false },
  'verify-audit': { type: 'boolean', default: false },
} as const
const usage = 'there are --cloud NAME, --check, --print-config, --reset-admin and --verify-audit'

/** Reads the words after the program's name. Answers a line for people where one is wrong. */
export function parseCliArgs(args: readonly string[]): CliOptions | { fault: string } {
  try {
    const { values } = parseArgs({ args: [...args], options })
    if (values.cloud === '') return { fault: `Option '--cloud' needs the name of a cloud; ${usage}` }
    return {
      cloud: values.cloud ?? null,
      printConfig: values['print-config'],
      check: values.check,
      resetAdmin: values['reset-admin'],
      verifyAudit: values['verify-audit'],
    }
  } catch (error) {
    const [what] = (error as Error).message.split(/[.\n]/)
    return { fault: `${what}; ${usage}` }
  }
}
