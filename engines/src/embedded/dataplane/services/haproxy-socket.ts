import { connect } from 'node:net'

const withinMs = 3_000

/** Sends a command to an HAProxy socket. Throws if there is no response within three seconds. */
export function ask(socket: string, words: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = connect(socket)
    const timer = setTimeout(() => client.destroy(new Error('HAProxy does not respond')), withinMs)
    let said = ''
    client.setEncoding('utf8').on('data', (text: string) => (said += text))
    client.once('error', reject).once('close', () => {
      clearTimeout(timer)
      resolve(said)
    })
    client.end(`${words}\n`)
  })
}

/** Parses the CSV of `show stat` into rows by column name. */
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

/** Splits a line into cells. Cells that contain a comma are quoted. */
const cells = (line: string): string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, inQuotes, plain = '']) =>
    inQuotes === undefined ? plain : inQuotes.replaceAll('""', '"'),
  )

/** Returns the PID of the current worker in the output of `show proc`, or null if there is none yet. */
export function workerIn(processes: string): string | null {
  const part = /^# workers$([\s\S]*?)(?=^#|$(?![\s\S]))/m.exec(processes)?.[1] ?? ''
  return /^(\d+)\s+worker\s/m.exec(part)?.[1] ?? null
}
