import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** A shell script, and the variables that the user who copied it would set. */
export interface ShellText {
  text: string
  environment: Readonly<Record<string, string>>
}

const inQuotes = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/**
 * Returns the output of each script, run one after another. All scripts share one bash, because starting hundreds of
 * processes would take minutes. `before`: a script that bash reads first. Rejects at the first failure.
 */
export async function inShell(texts: readonly ShellText[], before = ''): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-shell-'))
  try {
    const mark = randomUUID()
    const one = ({ text, environment }: ShellText) =>
      [
        '(',
        ...Object.entries(environment).map(([name, value]) => `export ${name}=${inQuotes(value)}`),
        text,
        ') < /dev/null',
        `printf %s ${mark}`,
      ].join('\n')
    const file = join(folder, 'texts')
    await writeFile(file, ['set -e', before, ...texts.map(one)].join('\n'))
    const options = { env: { PATH: process.env['PATH']! }, maxBuffer: 64 * 1024 * 1024 }
    const { stdout } = await promisify(execFile)('bash', [file], options)
    return stdout.split(mark).slice(0, -1)
  } finally {
    await rm(folder, { recursive: true })
  }
}
