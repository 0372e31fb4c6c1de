import { describe, expect, expectTypeOf, it } from 'vitest'
import * as z from 'zod'
import { defaultRule } from './default-rules'
import { englishText } from './english'
import { cloudSays, fieldProblem, problem, problemOf, withField, withFieldNames } from './problems'
import { rulesIn, says, type ValuesOf } from './said'

describe('a problem of the contract', () => {
  it('has the code and the English of its key, and its values in its data', () => {
    const found = problem('networking.subnet_overlaps', { cidr: '10.0.0.0/8', taken: '10.1.0.0/16', network: 'office' })
    expect(found).toMatchObject({ code: 'overlapping_subnet', status: 409 })
    expect(found.message).toBe('10.0.0.0/8 overlaps 10.1.0.0/16 of office, which is connected to this router already')
    expect(found.data).toEqual({ cidr: '10.0.0.0/8', taken: '10.1.0.0/16', network: 'office' })
    expect(found.said).toEqual({ key: 'networking.subnet_overlaps', values: found.data })
  })

  it('keeps what programs are told beside its values', () => {
    const found = problem('identity.provider_has_users', { count: 2 }, { data: { users: 2 } })
    expect(found.message).toBe('2 users sign in through this provider')
    expect(found.data).toEqual({ count: 2, users: 2 })
  })

  it('of a field says the same there, also under the name of a part of every object', () => {
    const found = fieldProblem('constructor', 'core.too_long', { most: 64 })
    expect(found).toMatchObject({ code: 'validation', message: 'Use at most 64 characters' })
    expect(found.fields['constructor']).toEqual(['Use at most 64 characters'])
    expect(found.fieldsSaid['constructor']).toEqual([{ key: 'core.too_long', values: { most: 64 } }])
  })

  it('is what a rule has found, or what a cloud says in its own words', () => {
    expect(problemOf(says('core.at_most', { most: 7 }), { field: 'count' }).fields).toMatchObject({
      count: ['Use at most 7'],
    })
    expect(cloudSays('No valid host was found', { code: 'no_valid_host' })).toMatchObject({
      ...{ code: 'no_valid_host', message: 'No valid host was found' },
      said: { key: 'core.cloud_says', values: { reason: 'No valid host was found' } },
    })
  })

  it('can be told at another field, and with its fields under other names', () => {
    const found = fieldProblem('size', 'core.at_least', { least: 1 }, { data: { limit: 1 } })
    expect(withField(found, { field: 'volume' })).toMatchObject({
      ...{ message: 'Use at least 1', fields: { volume: ['Use at least 1'] }, data: { least: 1, limit: 1 } },
      said: { key: 'core.at_least' },
    })
    const moved = withFieldNames(found, (name) => `volumes.0.${name}`)
    expect(Object.keys(moved.fields)).toEqual(['volumes.0.size'])
    expect(moved.fieldsSaid['volumes.0.size']).toEqual([{ key: 'core.at_least', values: { least: 1 } }])
  })

  it('shows at most 1000 characters of a value, however long it is', () => {
    const found = cloudSays('x'.repeat(10_000), { code: 'conflict' })
    expect(found.message).toBe(`${'x'.repeat(999)}…`)
  })
})

describe('the values of a message', () => {
  it('are typed by its text', () => {
    expectTypeOf<ValuesOf<'core.too_long'>>().toEqualTypeOf<Record<'most', string | number>>()
    // @ts-expect-error a value is missing
    says('core.too_long')
    // @ts-expect-error a value is misspelt
    says('core.too_long', { mots: 64 })
    // @ts-expect-error there is one too many
    fieldProblem('name', 'core.too_long', { most: 64, least: 2 })
    // @ts-expect-error a plural counts
    problem('identity.provider_has_users', { count: 'two' })
    // @ts-expect-error there is no such message
    says('core.no_such_message')
    // @ts-expect-error this one has no values
    says('core.enter_name', { name: 'x' })
  })
})

describe('a rule of a schema', () => {
  it('says its key and its values, alone or within a text', () => {
    const name = z.string().max(3, says('core.too_long', { most: 3 }))
    const [issue] = name.safeParse('abcd').error!.issues
    expect(rulesIn(issue!.message)).toEqual([{ key: 'core.too_long', values: { most: 3 } }])
    expect(englishText(`10.0.0.0/8: ${issue!.message}.`)).toBe('10.0.0.0/8: Use at most 3 characters.')
    expect(englishText('a text of somebody')).toBe('a text of somebody')
  })

  it('carries whatever a value holds', () => {
    const value = 'a\u001fcore.enter_name\u001f{}\u001f"</b>'
    expect(rulesIn(says('identity.rule_name_taken', { name: value }))).toEqual([
      { key: 'identity.rule_name_taken', values: { name: value } },
    ])
  })

  it('is not what a text of somebody else looks like', () => {
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
    [{ text: 7 }, 'Expected a text'],
    [{ text: 'a' }, 'Use at least 2 characters'],
    [{ text: 'ab', list: [1, 2] }, 'Give at most 1'],
    [{ text: 'ab', list: [4] }, 'Use at most 3'],
    [{ text: 'ab', list: [], one: 'c' }, 'Use one of: a, b'],
    [{ text: 'ab', list: [], one: 'a', step: 3 }, 'Use a multiple of 5'],
    [{ text: 'ab', list: [], one: 'a', step: 0 }, 'Use more than 0'],
    [{ text: 'ab', list: [], one: 'a', step: 5, mail: 'x' }, 'This does not have the expected form'],
    [{ text: 'ab', list: [], one: 'a', step: 5, mail: 'a@b.de', more: 1 }, 'This field is not known'],
  ])('without a message of its own says what is wrong with %j', (given, said) => {
    const { issues } = Given.safeParse(given, { error: defaultRule }).error!
    expect(englishText(issues[0]!.message)).toBe(said)
  })
})
