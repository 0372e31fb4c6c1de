import { expect, it } from 'vitest'
import { commandsOf } from '@mainstay/contract/core/command-words'
import { examplesOf, filledIn } from '@mainstay/contract/core/example'
import { allEndpoints } from '@mainstay/contract/resources'
import { commandOf } from '../../console/src/patterns/twin/command'
import { shownRequest } from '../../console/src/patterns/twin/request'
import { inShell } from '../../server/src/testing/shell'
import { readArguments } from './arguments'
import { callTable } from './calls'

const calls = callTable()

/** Shell function that replaces the command and prints its arguments and standard input. */
const command = String.raw`mainstay() { printf '%s\0' "$@"; printf '\1'; cat; }`
function wordsAndInput(printed: string) {
  const [line = '', input = ''] = printed.split('\u0001')
  return { line: line.split('\0').slice(0, -1), input }
}

const changing = commandsOf(allEndpoints).filter(
  ({ endpoint: { verb, bytes } }) => verb !== 'GET' && bytes === undefined,
)
const params: Record<string, string> = { id: 'it’s one', key: 'a key', carrier: 'nodes', tag: 'a b', kind: 'ldap' }

it(
  'parses the command shown in a form back into the same call, for every call in the contract',
  { tags: 'all' },
  async () => {
    expect(changing.length).toBeGreaterThan(90)
    const all = changing.flatMap(({ endpoint, words: named }) => {
      const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
      const given = Object.fromEntries(names.map((name) => [name, params[name] ?? 'x']))
      const examples = examplesOf(endpoint.body).map((it) => filledIn(it, (kind) => `some-${kind}`))
      return (endpoint.body ? examples : [undefined]).map((body) => {
        const request = shownRequest({ endpoint, input: { params: given, body } })
        const environment: Record<string, string> = {}
        JSON.stringify(body, (name, value: unknown) => {
          if (typeof value === 'string' && request.secrets.includes(name.toUpperCase()))
            environment[name.toUpperCase()] = value
          return value
        })
        return { named, given, body, text: commandOf(request), environment }
      })
    })
    const printed = await inShell(all, command)
    for (const [at, { named, given, body }] of all.entries()) {
      const { line, input } = wordsAndInput(printed[at]!)
      const call = calls.find((it) => it.words.join(' ') === named.join(' '))!
      expect(line.slice(0, call.words.length)).toEqual(call.words)
      const read = readArguments(call, line.slice(call.words.length), () => input)
      expect(read.params, named.join(' ')).toEqual(given)
      expect(read.body, named.join(' ')).toEqual(body)
    }
  },
)
