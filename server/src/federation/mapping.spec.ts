import { englishText } from '@mainstay/contract/core/english'
import { Mapping } from '@mainstay/contract/identity/provider-mapping'
import { describe, expect, it } from 'vitest'
import { mapClaims } from './mapping'

const nameOf = (preferred_username: string) => {
  const found = mapClaims(Mapping.parse({}), { preferred_username })
  return found.refusal ? found.refusal.reason : found.mapped.name
}

it.each([
  ['mixes scripts in a word', '\u0430dmin'],
  ['mixes scripts in part of an email address', '\u0430da@company.example'],
  ['has a control character', 'ad\u0007min'],
  ['changes the text direction', '\u202enimda'],
  ['has a zero-width character', 'ad\u200bmin'],
])('refuses a username that %s', (_, sent) => {
  expect(nameOf(sent)).toBe('bad_name')
})

it.each(['ada', 'ada@company.example', 'иван@company.example', '山田taro', 'Müller', 'Δήμητρα', 'O’Brien-Иванов'])(
  'accepts a username with one script per word: %s',
  (sent) => {
    expect(nameOf(sent)).toBe(sent)
  },
)

/** Three rules: on the groups, on another claim, and on a nested claim. */
const mappingOf = (more: object = {}) =>
  Mapping.parse({
    rules: [
      { name: 'ops', values: ['ops'], group_id: 'g1' },
      { name: 'staff', claim: 'dept', values: ['it'], group_id: 'g1' },
      { name: 'realm', claim: 'realm_access.roles', values: ['admin'], group_id: 'g2' },
    ],
    ...more,
  })
const ada = { preferred_username: 'ada' }

describe('withheld claims', () => {
  const saml = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups'
  it.each<[string, object, object]>([
    ['groups in another source', { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }, {}],
    ['groups in another source despite an empty list', { groups: [], _claim_names: { groups: 'src1' } }, {}],
    ['too many groups for a token', { hasgroups: true }, {}],
    ['too many groups, as a string', { hasgroups: 'true' }, {}],
    [
      'too many groups for an assertion',
      { 'http://schemas.microsoft.com/claims/groups.link': 'https://graph.example' },
      { claims: { groups: saml } },
    ],
    ['another claim of a rule', { dept: undefined, groups: ['ops'], _claim_names: { dept: 'src1' } }, {}],
    ['the object that contains the claim of a rule', { groups: ['ops'], _claim_names: { realm_access: 'src1' } }, {}],
  ])('refuse the sign-in instead of counting as empty: %s', (_, claims, more) => {
    for (const unmatched of ['admit', 'refuse']) {
      const found = mapClaims(mappingOf({ ...more, unmatched }), { ...ada, ...claims })
      expect(found.refusal).toMatchObject({
        reason: 'groups_withheld',
        message: expect.stringMatching(/does not send the claim .*assigned to this application/),
      })
    }
  })

  it.each<[string, object]>([
    ['that no rule uses', { groups: ['ops'], _claim_names: { address: 'src1' } }],
    ['that are empty', { groups: ['ops'], hasgroups: false }],
    ['that are sent anyway', { groups: ['ops'], hasgroups: true }],
  ])('are ignored if they are claims %s', (_, claims) => {
    expect(mapClaims(mappingOf(), { ...ada, ...claims })).toMatchObject({ refusal: null, rules: ['ops'] })
  })

  it('are ignored if there are no rules', () => {
    expect(mapClaims(Mapping.parse({}), { ...ada, hasgroups: true }).refusal).toBeNull()
  })

  it('do not include a claim with thousands of values, which is searched in full', () => {
    const groups = [...Array.from({ length: 5000 }, (_, at) => `g${at}`), 'ops']
    expect(mapClaims(mappingOf(), { ...ada, groups })).toMatchObject({ rules: ['ops'] })
  })
})

it('assigns a group once if two rules on different claims assign it', () => {
  const found = mapClaims(mappingOf(), { ...ada, groups: ['ops'], dept: 'it' })
  expect(found).toMatchObject({ rules: ['ops', 'staff'], mapped: { group_ids: ['g1'] } })
})

describe('an email address', () => {
  const emailOf = (claims: object) => {
    const found = mapClaims(Mapping.parse({}), { ...ada, email: 'ada@company.example', ...claims })
    return found.refusal ? found.refusal : found.mapped.email
  }
  it.each([true, 'true', ['true'], [true]])('is kept if the provider has verified it: %j', (email_verified) => {
    expect(emailOf({ email_verified })).toBe('ada@company.example')
  })
  it('is kept if the provider does not send email_verified', () => {
    expect(emailOf({})).toBe('ada@company.example')
  })
  it.each([false, 'false', 'False', 'True', '0', '1', 0, 1, null, 'no', '', [], {}, [false, true], [true, false]])(
    'is dropped for any other value of email_verified: %j',
    (email_verified) => {
      expect(emailOf({ email_verified })).toBeNull()
    },
  )
  it('is read from a list with one distinct value', () => {
    expect(emailOf({ email: ['ada@company.example'] })).toBe('ada@company.example')
    expect(emailOf({ email: ['ada@company.example', 'ada@company.example'] })).toBe('ada@company.example')
    expect(emailOf({ email: ['ada@company.example', 'boss@company.example'] })).toBeNull()
  })
})

describe('the username claim', () => {
  const refusalOf = (preferred_username: unknown) => {
    const { refusal } = mapClaims(Mapping.parse({}), { preferred_username })
    return refusal && [refusal.reason, refusal.message.replace(/^The claim “preferred_username” for the username /, '')]
  }
  it.each([[['ada']], [['ada', 'ada']]])('may be a list with one distinct value: %j', (sent) => {
    expect(mapClaims(Mapping.parse({}), { preferred_username: sent })).toMatchObject({ mapped: { name: 'ada' } })
  })
  it.each<[unknown, string, string]>([
    [['ada', 'bob'], 'bad_name', 'has several values. Configure the provider to send only one'],
    [12345, 'bad_name', 'is not a string'],
    [true, 'bad_name', 'is not a string'],
    [{ a: 'b' }, 'bad_name', 'is not a string'],
    [[], 'no_name', 'is missing'],
    [null, 'no_name', 'is missing'],
    [undefined, 'no_name', 'is missing'],
    ['  ', 'no_name', 'is empty'],
  ])('is refused with a reason: %j', (sent, reason, words) => {
    expect(refusalOf(sent)).toEqual([reason, words])
  })
})

describe('rules with the same result', () => {
  const faultsOf = (...rules: object[]) => {
    const parsed = Mapping.safeParse({ rules: rules.map((it, at) => ({ name: `r${at}`, values: ['a'], ...it })) })
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => [path.join('.'), englishText(message)])
  }
  const member = { project_id: 'p', role: 'project_member' }
  it('may use different claims', () => {
    expect(faultsOf({ group_id: 'g' }, { group_id: 'g', claim: 'dept' })).toEqual([])
    expect(faultsOf(member, { ...member, claim: 'dept' })).toEqual([])
  })
  it.each<[string, object, object, string]>([
    ['the same claim', { group_id: 'g' }, { group_id: 'g' }, 'group_id'],
    ['the same claim by its name', { group_id: 'g' }, { group_id: 'g', claim: 'groups' }, 'group_id'],
    ['the same claim, in a project', member, member, 'project_id'],
  ])('are refused if they use %s', (_, one, other, field) => {
    expect(faultsOf(one, other)).toEqual([[`rules.1.${field}`, expect.stringContaining('Merge them')]])
  })
  it('must not assign two roles in one project', () => {
    expect(faultsOf(member, { ...member, claim: 'dept', role: 'project_admin' })).toEqual([
      ['rules.1.role', expect.stringContaining('one role')],
    ])
  })
})
