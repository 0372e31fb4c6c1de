/** What the command line says besides the environment. */
export interface Words {
  /** An entry of a clouds file, in place of `MAINSTAY_CLOUD`. */
  cloud: string | null
  printConfig: boolean
  /** Look at the cloud, say what is missing, and end. */
  check: boolean
  /** Give the built-in administrator a new password, and end. */
  resetAdmin: boolean
}

/** Reads the words after the program's name. Answers a line for people where one is wrong. */
export function readWords(given: readonly string[]): Words | { fault: string } {
  const words: Words = { cloud: null, printConfig: false, check: false, resetAdmin: false }
  const rest = [...given]
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name, value] = word.split(/=(.*)/s) as [string, string | undefined]
    if (name === '--cloud') {
      const cloud = value ?? rest.shift()
      if (!cloud || cloud.startsWith('--')) return { fault: '--cloud needs the name of a cloud: --cloud NAME' }
      words.cloud = cloud
    } else if (word === '--print-config') words.printConfig = true
    else if (word === '--check') words.check = true
    else if (word === '--reset-admin') words.resetAdmin = true
    else
      return { fault: `"${word}" is not known here; there are --cloud NAME, --check, --print-config and --reset-admin` }
  }
  return words
}
