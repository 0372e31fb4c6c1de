import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { defaultRule } from './default-rules'
import { englishText } from './english'
import { cloudSays, fieldProblem, problem, problemOf, withField, withFieldNames } from './problems'
import { rulesIn, says, type ValuesOf } from './said'

describe('problem', () => {
  it('has the code and the English text of its key, and its values as data', () => {
    const found = problem('networking.subnet_overlaps', { cidr: '10.0.0.0/8', taken: '10.1.0.0/16', network: 'office' })
    expect(found).toMatchObject({ code: 'overlapping_subnet', status: 409 })
    expect(found.message).toBe('10.0.0.0/8 overlaps 10.1.0.0/16 in office, which is already connected to this router')
    expect(found.data).toEqual({ cidr: '10.0.0.0/8', taken: '10.1.0.0/16', network: 'office' })
    expect(found.said).toEqual({ key: 'networking.subnet_overlaps', values: found.data })
  })

  it('adds extra data to the values of the message', () => {
    const found = problem('identity.provider_has_users', { count: 2 }, { data: { users: 2 } })
    expect(found.message).toBe('The identity provider was not deleted, because 2 users sign in through it')
    expect(found.data).toEqual({ count: 2, users: 2 })
  })

  it('sets the message for a field, even if its name is that of an Object.prototype property', () => {
    const found = fieldProblem('constructor', 'core.too_long', { most: 64 })
    expect(found).toMatchObject({ code: 'validation', message: 'Use at most 64 characters' })
    expect(found.fields['constructor']).toEqual(['Use at most 64 characters'])
    expect(found.fieldsSaid['constructor']).toEqual([{ key: 'core.too_long', values: { most: 64 } }])
  })

  it('can be created from a rule or from the error text that a cloud returns', () => {
    expect(problemOf(says('core.at_most', { most: 7 }), { field: 'count' }).fields).toMatchObject({
      count: ['Enter a number up to 7'],
    })
    expect(cloudSays('No valid host was found', { code: 'no_valid_host' })).toMatchObject({
      ...{ code: 'no_valid_host', message: 'No valid host was found' },
      said: { key: 'core.cloud_says', values: { reason: 'No valid host was found' } },
    })
  })

  it('can be moved to another field, and its fields can be renamed', () => {
    const found = fieldProblem('size', 'core.at_least', { least: 1 }, { data: { limit: 1 } })
    expect(withField(found, { field: 'volume' })).toMatchObject({
      ...{ message: 'Enter 1 or more', fields: { volume: ['Enter 1 or more'] } },
      data: { least: 1, limit: 1 },
      said: { key: 'core.at_least' },
    })
    const moved = withFieldNames(found, (name) => `volumes.0.${name}`)
    expect(Object.keys(moved.fields)).toEqual(['volumes.0.size'])
    expect(moved.fieldsSaid['volumes.0.size']).toEqual([{ key: 'core.at_least', values: { least: 1 } }])
  })

  it('truncates a value to 1000 characters', () => {
    const found = cloudSays('x'.repeat(10_000), { code: 'conflict' })
    expect(found.message).toBe(`${'x'.repeat(999)}…`)
  })
})

describe('values of a message', () => {
  it('are typed by its text', () => {
    expectTypeOf<ValuesOf<'core.too_long'>>().toEqualTypeOf<Record<'most', string | number>>()
    // @ts-expect-error missing value
    says('core.too_long')
    // @ts-expect-error misspelled value
    says('core.too_long', { mots: 64 })
    // @ts-expect-error unexpected value
    fieldProblem('name', 'core.too_long', { most: 64, least: 2 })
    // @ts-expect-error a plural requires a number
    problem('identity.provider_has_users', { count: 'two' })
    // @ts-expect-error unknown message
    says('core.no_such_message')
    // @ts-expect-error a message without values
    says('core.enter_name', { name: 'x' })
  })
})

describe('rule of a schema', () => {
  it('encodes its key and values in a text', () => {
    const name = z.string().max(3, says('core.too_long', { most: 3 }))
    const [issue] = name.safeParse('abcd').error!.issues
    expect(rulesIn(issue!.message)).toEqual([{ key: 'core.too_long', values: { most: 3 } }])
    expect(englishText(`10.0.0.0/8: ${issue!.message}.`)).toBe('10.0.0.0/8: Use at most 3 characters.')
    expect(englishText('a text of somebody')).toBe('a text of somebody')
  })

  it('preserves any value, including separators', () => {
    const value = 'a\u001fcore.enter_name\u001f{}\u001f"</b>'
    expect(rulesIn(says('identity.rule_name_taken', { name: value }))).toEqual([
      { key: 'identity.rule_name_taken', values: { name: value } },
    ])
  })

  it('ignores text that only resembles an encoded rule', () => {
    for (const text of ['\u001fcore.enter_name\u001f{\u001f', '\u001fa\u001f7\u001f']) {
      expect(rulesIn(text)).toEqual([])
      expect(englishText(text)).toBe(text)
    }
    expect(englishText('\u001fcore.no_such_message\u001f{}\u001f')).toBe('core.no_such_message')
  })

  const Given = z.strictObject({
    text: z.string().min(2),
    list: z.array(z.number().max(3)).max(1),
    one: z.enum(['a', 'b']),
    step: z.number().multipleOf(5).gt(0),
    mail: z.email(),
  })
  it.each([
    [{}, 'This field is required'],
    [{ text: 7 }, 'Expected text'],
    [{ text: 'a' }, 'Use at least 2 characters'],
    [{ text: 'ab', list: [1, 2] }, 'Specify at most 1 entry'],
    [{ text: 'ab', list: [4] }, 'Enter a number up to 3'],
    [{ text: 'ab', list: [], one: 'c' }, 'Use one of these values: a, b'],
    [{ text: 'ab', list: [], one: 'a', step: 3 }, 'Enter a multiple of 5'],
    [{ text: 'ab', list: [], one: 'a', step: 0 }, 'Enter a number greater than 0'],
    [{ text: 'ab', list: [], one: 'a', step: 5, mail: 'x' }, 'This value is not in the expected format'],
    [{ text: 'ab', list: [], one: 'a', step: 5, mail: 'a@b.de', more: 1 }, 'Unknown field'],
  ])('falls back to a default message for %j', (given, said) => {
    const { issues } = Given.safeParse(given, { error: defaultRule }).error!
    expect(englishText(issues[0]!.message)).toBe(said)
  })
})
