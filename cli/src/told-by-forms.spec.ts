import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { commandsOf } from '@mainstay/contract/core/command-words'
import { examplesOf, filledIn } from '@mainstay/contract/core/example'
import { allEndpoints } from '@mainstay/contract/resources'
import { commandOf } from '../../console/src/patterns/twin/command'
import { shownRequest } from '../../console/src/patterns/twin/request'
import { readArguments } from './arguments'
import { callTable } from './calls'

const calls = callTable()

/** What a shell makes of a command: its words, and what stands at its standard input. */
async function words(text: string, environment: Record<string, string>) {
  const told = `mainstay() { printf '%s\\0' "$@"; printf '\\1'; [ -t 0 ] || cat; }\n${text} < /dev/null`
  const script = text.includes('<<') ? told.replace(/ < \/dev\/null$/, '') : told
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    env: { PATH: process.env['PATH']!, ...environment },
  })
  const [line = '', input = ''] = stdout.split('\u0001')
  return { line: line.split('\0').slice(0, -1), input }
}

const changing = commandsOf(allEndpoints).filter(
  ({ endpoint: { verb, bytes } }) => verb !== 'GET' && bytes === undefined,
)
const params: Record<string, string> = { id: 'it’s one', key: 'a key', carrier: 'nodes', tag: 'a b', kind: 'ldap' }

it('what a form shows as a command is read by the command as the same call, for every call of the contract', async () => {
  expect(changing.length).toBeGreaterThan(90)
  for (const { endpoint, words: named } of changing) {
    const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
    const given = Object.fromEntries(names.map((name) => [name, params[name] ?? 'x']))
    const examples = examplesOf(endpoint.body).map((it) => filledIn(it, (kind) => `some-${kind}`))
    for (const body of endpoint.body ? examples : [undefined]) {
      const request = shownRequest({ endpoint, input: { params: given, body } }, 'own')
      const secrets: Record<string, string> = {}
      JSON.stringify(body, (name, value: unknown) => {
        if (typeof value === 'string' && request.secrets.includes(name.toUpperCase()))
          secrets[name.toUpperCase()] = value
        return value
      })
      const { line, input } = await words(commandOf(request), secrets)
      const call = calls.find((it) => it.words.join(' ') === named.join(' '))!
      expect(line.slice(0, call.words.length)).toEqual(call.words)
      const read = readArguments(call, line.slice(call.words.length), () => input)
      expect(read.params, named.join(' ')).toEqual(given)
      expect(read.body, named.join(' ')).toEqual(body)
    }
  }
})
