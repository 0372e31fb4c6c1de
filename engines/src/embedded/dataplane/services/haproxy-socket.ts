import { connect } from 'node:net'

const withinMs = 3_000

/** Asks a HAProxy at one of its sockets. Throws where nobody answers within three seconds. */
export function ask(socket: string, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = connect(socket)
    const timer = setTimeout(() => client.destroy(new Error('HAProxy does not answer')), withinMs)
    let said = ''
    client.setEncoding('utf8').on('data', (text: string) => (said += text))
    client.once('error', reject).once('close', () => {
      clearTimeout(timer)
      resolve(said)
    })
    client.end(`${words}\n`)
  })
}

/** A table of `show stat`: rows by the names of its columns. */
export function readTable(text: string): Record<string, string>[] {
  const [head = '', ...lines] = text.trim().split('\n')
  const names = head.replace(/^# /, '').split(',')
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const values = cells(line)
      return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']))
    })
}

/** Cells with a comma in them are in quotes. */
const cells = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, inQuotes, plain = '']) =>
    inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'),
  )

/** The number of the process that serves, of what `show proc` says; null: there is none yet. */
export function workerIn(processes: string): string | null {
  const part = /^# workers$([\s\S]*?)(?=^#|$(?![\s\S]))/m.exec(processes)?.[1] ?? ''
  return /^(\d+)\s+worker\s/m.exec(part)?.[1] ?? null
}
