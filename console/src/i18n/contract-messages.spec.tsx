import { render } from '@testing-library/react'
import type { Said } from '@mainstay/contract/core/said'
import { messages } from '@mainstay/contract/messages'
import { afterEach, expect, test } from 'vitest'
import { CallProblem } from '../api/problem'
import { inLanguage } from '../api/in-language'
import { setLanguage } from './language'
import { loadMessages, ruleText, messageNow } from './said'

afterEach(() => setLanguage('en'))

const keys = Object.entries(messages).flatMap(([area, entries]) =>
  Object.keys(entries).map((name) => `${area}.${name}`),
)
const textOf = (key: string) => {
  const [area, name] = key.split('.') as [keyof typeof messages, never]
  const entry = messages[area][name] as string | readonly [string, string]
  return typeof entry === 'string' ? entry : entry[1]
}
/** Sample values for all arguments of a message: `text` for strings, 2 for numbers and plurals. */
const wholeValues = (key: string, text: string) =>
  Object.fromEntries(
    [...textOf(key).matchAll(/\{(\w+)(?:, (\w+))?/g)].map(([, name, kind]) => [
      name!,
      kind === 'plural' || kind === 'number' ? 2 : text,
    ]),
  )

test('translates every contract message, treats markup as text and truncates long values', async () => {
  await setLanguage('en-XA')
  const markup = `<img src=x onerror=alert(1)>${'ж'.repeat(10_000)}`
  const all = keys.map((key) => ({ key, values: wholeValues(key, markup) }) as Said)
  await loadMessages(all)
  expect(all.length).toBeGreaterThan(500)
  for (const said of all) {
    const text = messageNow(said)!
    expect(text, said.key).toMatch(/^\[[\s\S]*~+\]$/)
    expect(text.length, said.key).toBeLessThan(1_000 * Object.keys(said.values).length + 2_000)
    const { container } = render(<p>{text}</p>)
    expect(container.querySelector('img'), said.key).toBeNull()
    expect(container.textContent, said.key).toBe(text)
  }
})

const problem = (said: Partial<CallProblem>) =>
  new CallProblem({ ...{ kind: 'validation', status: 400, code: 'validation', message: 'English' }, ...said })

test('translates a rejection and its field errors into the page’s language', async () => {
  await setLanguage('en-XA')
  const most: Said = { key: 'core.too_long', values: { most: 64 } }
  const told = await inLanguage(
    problem({
      ...{ said: { key: 'core.wrong_field', values: { field: 'name', reason: 'English' } } },
      ...{ fields: { name: ['English'] }, fieldsSaid: { name: [most] } },
    }),
  )
  expect(told.fields['name']![0]).toMatch(/^\[.šé áţ ɱöšţ 64 /)
  expect(told.message).toContain(told.fields['name']![0])
  expect(told.code).toBe('validation')
})

test('falls back to the text from the server for messages that were added in a newer version', async () => {
  await setLanguage('en-XA')
  const later = { key: 'networking.not_known_here', values: {} } as unknown as Said
  expect((await inLanguage(problem({ said: later }))).message).toBe('English')
  const elsewhere = { key: 'billing.not_known_here', values: {} } as unknown as Said
  expect((await inLanguage(problem({ said: elsewhere }))).message).toBe('English')
})

test('translates rules embedded in other text and keeps the surrounding text', async () => {
  expect(await ruleText('no rule in it')).toBe('no rule in it')
  const { says } = await import('@mainstay/contract/core/said')
  expect(await ruleText(`10.0.0.0/8: ${says('core.too_long', { most: 3 })}.`)).toBe(
    '10.0.0.0/8: Use at most 3 characters.',
  )
})
