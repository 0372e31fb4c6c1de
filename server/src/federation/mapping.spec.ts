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
  ['mixes scripts in a part of an address', '\u0430da@company.example'],
  ['has a control character', 'ad\u0007min'],
  ['turns the direction of the text', '\u202enimda'],
  ['has a character without width', 'ad\u200bmin'],
])('refuses a user name that %s', (_, sent) => {
  expect(nameOf(sent)).toBe('bad_name')
})

it.each(['ada', 'ada@company.example', 'иван@company.example', '山田taro', 'Müller', 'Δήμητρα', 'O’Brien-Иванов'])(
  'accepts a user name of one script a word: %s',
  (sent) => {
    expect(nameOf(sent)).toBe(sent)
  },
)

/** Three rules: of the groups, of another claim, and of one within a claim. */
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

describe('claims that the provider has and does not send', () => {
  const saml = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups'
  it.each<[string, object, object]>([
    ['groups that are told elsewhere', { _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } }, {}],
    ['groups that are told elsewhere beside an empty list', { groups: [], _claim_names: { groups: 'src1' } }, {}],
    ['groups that are too many for a token', { hasgroups: true }, {}],
    ['groups that are too many, said as a text', { hasgroups: 'true' }, {}],
    [
      'groups that are too many for an assertion',
      { 'http://schemas.microsoft.com/claims/groups.link': 'https://graph.example' },
      { claims: { groups: saml } },
    ],
    ['another claim of a rule', { dept: undefined, groups: ['ops'], _claim_names: { dept: 'src1' } }, {}],
    ['what a claim of a rule is within', { groups: ['ops'], _claim_names: { realm_access: 'src1' } }, {}],
  ])('refuse the sign-in, and are not taken for none: %s', (_, claims, more) => {
    for (const unmatched of ['admit', 'refuse']) {
      const found = mapClaims(mappingOf({ ...more, unmatched }), { ...ada, ...claims })
      expect(found.refusal).toMatchObject({
        reason: 'groups_withheld',
        message: expect.stringMatching(/does not send the claim .*assigned to this application/),
      })
    }
  })

  it.each<[string, object]>([
    ['that no rule asks for', { groups: ['ops'], _claim_names: { address: 'src1' } }],
    ['of which it says that there are none', { groups: ['ops'], hasgroups: false }],
    ['and that it sends after all', { groups: ['ops'], hasgroups: true }],
  ])('do not matter where they are such %s', (_, claims) => {
    expect(mapClaims(mappingOf(), { ...ada, ...claims })).toMatchObject({ refusal: null, rules: ['ops'] })
  })

  it('do not matter where there are no rules', () => {
    expect(mapClaims(Mapping.parse({}), { ...ada, hasgroups: true }).refusal).toBeNull()
  })

  it('are all looked at, however many a provider sends', () => {
    const groups = [...Array.from({ length: 5000 }, (_, at) => `g${at}`), 'ops']
    expect(mapClaims(mappingOf(), { ...ada, groups })).toMatchObject({ rules: ['ops'] })
  })
})

it('two rules of different claims may give the same group, which is given once', () => {
  const found = mapClaims(mappingOf(), { ...ada, groups: ['ops'], dept: 'it' })
  expect(found).toMatchObject({ rules: ['ops', 'staff'], mapped: { group_ids: ['g1'] } })
})

describe('an email', () => {
  const emailOf = (claims: object) => {
    const found = mapClaims(Mapping.parse({}), { ...ada, email: 'ada@company.example', ...claims })
    return found.refusal ? found.refusal : found.mapped.email
  }
  it.each([true, 'true', ['true'], [true]])('is kept where the provider vouches for it: %j', (email_verified) => {
    expect(emailOf({ email_verified })).toBe('ada@company.example')
  })
  it('is kept where the provider says nothing of it', () => {
    expect(emailOf({})).toBe('ada@company.example')
  })
  it.each([false, 'false', 'False', 'True', '0', '1', 0, 1, null, 'no', '', [], {}, [false, true], [true, false]])(
    'is dropped where it says anything else: %j',
    (email_verified) => {
      expect(emailOf({ email_verified })).toBeNull()
    },
  )
  it('is read from a list of one, and from equal values', () => {
    expect(emailOf({ email: ['ada@company.example'] })).toBe('ada@company.example')
    expect(emailOf({ email: ['ada@company.example', 'ada@company.example'] })).toBe('ada@company.example')
    expect(emailOf({ email: ['ada@company.example', 'boss@company.example'] })).toBeNull()
  })
})

describe('the claim of the user name', () => {
  const refusalOf = (preferred_username: unknown) => {
    const { refusal } = mapClaims(Mapping.parse({}), { preferred_username })
    return refusal && [refusal.reason, refusal.message.replace(/^The claim “preferred_username”, .* name, /, '')]
  }
  it.each([[['ada']], [['ada', 'ada']]])('may be a list of one value: %j', (sent) => {
    expect(mapClaims(Mapping.parse({}), { preferred_username: sent })).toMatchObject({ mapped: { name: 'ada' } })
  })
  it.each<[unknown, string, string]>([
    [['ada', 'bob'], 'bad_name', 'has several values: have the provider send one'],
    [12345, 'bad_name', 'is not a text'],
    [true, 'bad_name', 'is not a text'],
    [{ a: 'b' }, 'bad_name', 'is not a text'],
    [[], 'no_name', 'is not among the claims'],
    [null, 'no_name', 'is not among the claims'],
    [undefined, 'no_name', 'is not among the claims'],
    ['  ', 'no_name', 'is empty'],
  ])('is refused for what is wrong with it: %j', (sent, reason, words) => {
    expect(refusalOf(sent)).toEqual([reason, words])
  })
})

describe('rules that give the same', () => {
  const faultsOf = (...rules: object[]) => {
    const parsed = Mapping.safeParse({ rules: rules.map((it, at) => ({ name: `r${at}`, values: ['a'], ...it })) })
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => [path.join('.'), englishText(message)])
  }
  const member = { project_id: 'p', role: 'project_member' }
  it('may look into different claims', () => {
    expect(faultsOf({ group_id: 'g' }, { group_id: 'g', claim: 'dept' })).toEqual([])
    expect(faultsOf(member, { ...member, claim: 'dept' })).toEqual([])
  })
  it.each<[string, object, object, string]>([
    ['the same claim', { group_id: 'g' }, { group_id: 'g' }, 'group_id'],
    ['the same claim by its name', { group_id: 'g' }, { group_id: 'g', claim: 'groups' }, 'group_id'],
    ['the same claim, in a project', member, member, 'project_id'],
  ])('are refused where they look into %s', (_, one, other, field) => {
    expect(faultsOf(one, other)).toEqual([[`rules.1.${field}`, expect.stringContaining('Merge them')]])
  })
  it('do not give two roles in one project', () => {
    expect(faultsOf(member, { ...member, claim: 'dept', role: 'project_admin' })).toEqual([
      ['rules.1.role', expect.stringContaining('one role')],
    ])
  })
})
