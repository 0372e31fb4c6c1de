import { mostGroupsOfUser, mostMembers } from '@mainstay/contract/identity/groups'
import { ldapDefaults } from '@mainstay/contract/settings/ldap'
import type { KnownNames } from '@mainstay/engines/ports/directory-imports'
import { Secret } from '@mainstay/engines/ports/secret'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  found,
  result,
  startScriptedDirectory,
  type Asked,
  type ScriptedDirectory,
} from '../testing/outside/scripted-directory'
import {
  BASE,
  group,
  groupDn,
  person,
  personDn,
  READER,
  READER_PASSWORD,
  startSlapd,
  type Slapd,
} from '../testing/outside/slapd'
import { readDirectory, tryDirectory } from './read-directory'
import { noDirectory, type Directory } from './settings'

const patience = { withinMs: 300_000, quietMs: 60_000 }
const password = new Secret(READER_PASSWORD)

/** Default settings, with overrides. */
const directoryAt = (port: number, more: Partial<Directory> = {}): Directory => ({
  ...noDirectory,
  ...ldapDefaults.ldap,
  ...{ enabled: true, host: '127.0.0.1', port, connection_security: 'none', bind_dn: READER, search_base_dn: BASE },
  ...more,
})
const namesOf = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).toSorted()

describe('a directory served by slapd', () => {
  let slapd: Slapd
  const hostile = ['a*)(uid=*', 'comma, plus+ "quoted" \\', '<b>mark</b>', 'Ünïcode', 'x'.repeat(200)]
  const many = Array.from({ length: 1200 }, (_, at) => `person${at}`)
  beforeAll(async () => {
    slapd = await startSlapd([
      ...many.map((uid) => person(uid)),
      ...hostile.map((uid) => person(uid)),
      person('ada', { mail: ['ada@example.com', 'zada@example.com'], displayName: 'Ada Lovelace' }),
      person('twice', { uid: ['twice', 'also-twice'] }),
      person('unseen', { uid: 'un\u200bseen', dn: `cn=unseen,ou=people,${BASE}`, cn: 'unseen' }),
      person('huge', { jpegPhoto: Buffer.alloc(2_000_000, 7), description: 'long '.repeat(10_000) }),
      person('nobody-wants-me', { uid: 'y'.repeat(300), dn: `cn=long,ou=people,${BASE}`, cn: 'long' }),
      group('plain', [personDn('ada'), personDn('person1')], { description: 'Those who write' }),
      // groups that contain each other; member names that differ in case and spacing
      group('outer', [groupDn('inner'), personDn('person2')]),
      group('inner', [groupDn('outer'), personDn('ada').toUpperCase().replaceAll(',', ' ,  ')]),
      group('hostile', hostile.map(personDn)),
      group('empty', []),
      group('too-many', many.concat(Array.from({ length: mostMembers }, (_, at) => `other${at}`)).map(personDn)),
      group('all', many.map(personDn)),
      { ...{ dn: groupDn('unix'), objectClass: 'posixGroup', cn: 'unix' }, gidNumber: '7', memberUid: ['ADA', 'gone'] },
      {
        ...{ dn: groupDn('unique'), objectClass: 'groupOfUniqueNames', cn: 'unique' },
        uniqueMember: [personDn('person3'), `cn=nobody,${BASE}`],
      },
    ])
  }, 120_000)
  afterAll(() => slapd.close())

  it('is read completely, page by page', async () => {
    const { people, groups, faults } = await readDirectory(directoryAt(slapd.port), password, { patience })
    expect(namesOf(people)).toEqual([...many, ...hostile, 'ada', 'huge', 'twice'].toSorted())
    expect(new Set(people.map(({ id }) => id)).size).toBe(people.length)
    expect(people.find(({ name }) => name === 'ada')).toMatchObject({
      ...{ email: 'ada@example.com', title: 'Ada Lovelace', enabled: true },
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(namesOf(groups)).toEqual(
      ['all', 'empty', 'hostile', 'inner', 'outer', 'plain', 'too-many', 'unique', 'unix'].toSorted(),
    )
    expect(faults.toSorted((one, two) => (one.name < two.name ? -1 : 1))).toEqual([
      { kind: 'user', name: expect.stringContaining('cn=long'), reason: 'name_unusable' },
      { kind: 'user', name: expect.stringContaining('unseen'), reason: 'name_unusable' },
    ])
  })

  it('returns the members of groups of every class, including those of nested groups', async () => {
    const { people, groups } = await readDirectory(directoryAt(slapd.port), password, { patience })
    const nameOfId = new Map(people.map(({ id, name }) => [id, name]))
    const membersOf = (wanted: string) =>
      groups
        .find(({ name }) => name === wanted)!
        .members.map((id) => nameOfId.get(id)!)
        .toSorted()
    expect(membersOf('plain')).toEqual(['ada', 'person1'])
    expect(membersOf('outer')).toEqual(['ada', 'person2'])
    expect(membersOf('inner')).toEqual(['ada', 'person2'])
    expect(membersOf('hostile')).toEqual(hostile.toSorted())
    expect(membersOf('empty')).toEqual([])
    expect(membersOf('unix')).toEqual(['ada'])
    expect(membersOf('unique')).toEqual(['person3'])
    expect(membersOf('all')).toEqual(many.toSorted())
  })

  it('is summarized as user count, group count and three sample names', async () => {
    const tried = await tryDirectory(directoryAt(slapd.port, { search_filter: '(uid=person1*)' }), password, patience)
    expect(tried).toEqual({ people: 311, groups: 9, names: expect.any(Array) })
    expect(tried.names).toHaveLength(3)
  })

  it.each<[string, Partial<Directory> & { password?: Secret }, string]>([
    ['a wrong password', { password: new Secret('wrong') }, 'ldap_bind_failed'],
    ['an invalid bind DN', { bind_dn: 'reader' }, 'ldap_bind_failed'],
    ['a search base that does not exist', { search_base_dn: 'dc=nowhere' }, 'ldap_base_not_found'],
    ['an anonymous bind that may not read', { bind_dn: '' }, 'ldap_base_not_found'],
    ['a port without a listener', { port: 9 }, 'ldap_unreachable'],
  ])('fails with a specific error for %s', async (_, { password: given = password, ...more }, code) => {
    await expect(tryDirectory(directoryAt(slapd.port, more), given, patience)).rejects.toMatchObject({ code })
  })

  it('never receives a bind with an empty password, which directories treat as anonymous', async () => {
    const empty = tryDirectory(directoryAt(slapd.port), new Secret(''), patience)
    await expect(empty).rejects.toMatchObject({ code: 'ldap_bind_failed' })
  })

  it('times out if it freezes', async () => {
    slapd.freeze()
    try {
      const frozen = tryDirectory(directoryAt(slapd.port), password, { withinMs: 60_000, quietMs: 300 })
      await expect(frozen).rejects.toMatchObject({ code: 'ldap_unreachable' })
    } finally {
      slapd.thaw()
    }
  })

  describe('over TLS', () => {
    const secured = (security: 'SSL' | 'STARTTLS', more: Partial<Directory> = {}) =>
      tryDirectory(
        directoryAt(security === 'SSL' ? slapd.securePort : slapd.port, {
          ...{ connection_security: security, ca_certificate: slapd.authority.cert, search_filter: '(uid=ada)' },
          ...more,
        }),
        password,
        patience,
      )
    it.each(['SSL', 'STARTTLS'] as const)('is read over %s with a private CA', async (security) => {
      expect(await secured(security)).toMatchObject({ people: 1, names: ['ada'] })
    })

    it.each(['SSL', 'STARTTLS'] as const)('is refused over %s if its CA is not trusted', async (security) => {
      const untrusted = { code: 'ldap_untrusted' }
      await expect(secured(security, { ca_certificate: '' })).rejects.toMatchObject(untrusted)
    })

    it.each(['SSL', 'STARTTLS'] as const)(
      'is refused over %s if its certificate was issued for another host',
      async (s) => {
        await expect(secured(s, { host: 'localhost' })).rejects.toMatchObject({ code: 'ldap_untrusted' })
      },
    )

    it('is refused if the server does not speak TLS', async () => {
      await expect(secured('SSL', { port: slapd.port })).rejects.toMatchObject({
        code: expect.stringMatching(/ldap_un(trusted|reachable)/),
      })
    })

    it('reports an invalid CA certificate on its field', async () => {
      const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'
      await expect(secured('SSL', { ca_certificate: broken })).rejects.toMatchObject({
        ...{ code: 'validation', fields: { ca_certificate: expect.any(Array) } },
      })
    })
  })
})

it('refuses a directory that limits the number of users it returns', async () => {
  const slapd = await startSlapd(
    Array.from({ length: 30 }, (_, at) => person(`person${at}`)),
    { of: ['limits users size=10 size.prtotal=10'] },
  )
  try {
    const short = readDirectory(directoryAt(slapd.port), password, { patience })
    await expect(short).rejects.toMatchObject({ code: 'ldap_refused', data: { ldap_code: 4 } })
  } finally {
    await slapd.close()
  }
})

describe('a directory with inconsistent data', () => {
  let scripted: ScriptedDirectory
  afterEach(() => scripted.close())
  type Values = Record<string, string | Buffer | readonly string[]>
  const people = (uid: string, more: Values = {}): [string, Values] => [
    personDn(uid),
    { uid, cn: uid, entryUUID: `id of ${uid}`, ...more },
  ]
  const groups = (cn: string, members: readonly string[], more: Values = {}): [string, Values] => [
    groupDn(cn),
    { cn, entryUUID: `id of ${cn}`, member: members.map(personDn), ...more },
  ]
  async function readOf(everybody: [string, Values][], all: [string, Values][], known?: KnownNames) {
    scripted = await startScriptedDirectory((asked) => {
      if (asked.what !== 'search') return [result(asked)]
      const isOfPeople = /inetorgperson/i.test(asked.filter)
      return [...(isOfPeople ? everybody : all).map(([dn, values]) => found(asked, dn, values)), result(asked)]
    })
    return readDirectory(directoryAt(scripted.port), password, { patience, ...(known && { known }) })
  }

  it('never chooses between several names by their order', async () => {
    const known = (...names: [string, string][]) => new Map(names.map(([of, name]) => [`id of ${of}`, name]))
    const everybody: [string, Values][] = [
      people('zoe', { uid: ['alias', 'zoe'] }),
      // the name in the DN has upper case and an escaped comma
      [`UID=Ann\\, B+cn=x,${BASE}`, { uid: ['aaa', 'ann, b'], entryUUID: 'id of ann' }],
      // the DN contains a different attribute
      [`cn=eve,${BASE}`, { uid: ['eva', 'eve'], entryUUID: 'id of eve' }],
      [`uid=a+uid=b,${BASE}`, { uid: ['a', 'b'], entryUUID: 'id of both' }],
    ]
    const all = [groups('crew', ['zoe'], { cn: ['a crew', 'crew'] }), groups('lost', [], { cn: ['a', 'b'] })]
    const first = await readOf(everybody, all)
    expect(namesOf(first.people)).toEqual(['ann, b', 'zoe'])
    expect(namesOf(first.groups)).toEqual(['crew'])
    expect(first.faults).toEqual([
      { kind: 'user', name: `cn=eve,${BASE}`, reason: 'name_ambiguous' },
      { kind: 'user', name: `uid=a+uid=b,${BASE}`, reason: 'name_ambiguous' },
      { kind: 'group', name: groupDn('lost'), reason: 'name_ambiguous' },
    ])
    await scripted.close()
    // an imported entry keeps its name as long as the directory still lists it
    const later = await readOf(everybody, all, {
      user: known(['zoe', 'alias'], ['ann', 'gone'], ['eve', 'eve'], ['both', 'b']),
      group: known(['crew', 'a crew'], ['lost', 'b']),
    })
    expect(namesOf(later.people)).toEqual(['alias', 'ann, b', 'b', 'eve'])
    expect(namesOf(later.groups)).toEqual(['a crew', 'b'])
    expect(later.faults).toEqual([])
  })

  it('imports a group without members, and reports it, if the directory sends an incomplete member list', async () => {
    const { member: _, ...crew } = groups('crew', ['ada'])[1]
    const read = await readOf(
      [people('ada')],
      [
        [groupDn('crew'), { ...crew, 'member;range=0-1499': [personDn('ada')] }],
        [groupDn('last'), { cn: 'last', entryUUID: 'id of last', 'member;range=1500-*': [personDn('ada')] }],
        [groupDn('around'), { cn: 'around', entryUUID: 'id of around', member: [groupDn('crew'), personDn('ada')] }],
      ],
    )
    expect(read.groups.map(({ name, members }) => [name, members])).toEqual([
      ['around', []],
      ['crew', []],
      ['last', ['id of ada']],
    ])
    expect(read.faults).toEqual(['around', 'crew'].map((name) => ({ kind: 'group', name, reason: 'too_many_members' })))
  })

  it('skips and reports users and groups that do not have exactly one unique ID', async () => {
    const read = await readOf(
      [
        people('ada'),
        people('nameless', { uid: [] }),
        people('without', { entryUUID: [] }),
        people('many', { entryUUID: ['one', 'two'] }),
        people('first', { entryUUID: 'the same' }),
        people('second', { entryUUID: 'the same' }),
        people('third', { entryUUID: 'the same' }),
      ],
      [
        groups('crew', ['ada', 'first', 'many']),
        groups('lost', ['ada'], { entryUUID: [] }),
        groups('copy', ['ada'], { entryUUID: 'id of crew' }),
      ],
    )
    expect(namesOf(read.people)).toEqual(['ada'])
    expect(read.groups.map(({ name, members }) => [name, members])).toEqual([['crew', ['id of ada']]])
    expect(read.faults).toEqual([
      { kind: 'user', name: personDn('nameless'), reason: 'name_unusable' },
      ...['without', 'many'].map((name) => ({ kind: 'user', name, reason: 'id_missing' })),
      ...['second', 'third'].map((name) => ({ kind: 'user', name, reason: 'id_not_unique' })),
      { kind: 'group', name: 'lost', reason: 'id_missing' },
      { kind: 'group', name: 'copy', reason: 'id_not_unique' },
    ])
  })

  it('enforces the limits on members per group and groups per user, and reports violations', async () => {
    const names = Array.from({ length: mostMembers + 1 }, (_, at) => `p${at}`)
    const few = Array.from({ length: mostGroupsOfUser + 1 }, (_, at) => `g${at + 10}`)
    const read = await readOf(
      names.map((name) => people(name)),
      [groups('above', names), groups('full', names.slice(1)), ...few.map((name) => groups(name, ['p0']))],
    )
    expect(new Map(read.groups.map(({ name, members }) => [name, members.length]))).toEqual(
      new Map([
        ['above', 0],
        ['full', mostMembers],
        ...few.map((name, at): [string, number] => [name, at < mostGroupsOfUser ? 1 : 0]),
      ]),
    )
    expect(read.faults).toEqual([
      { kind: 'group', name: 'above', reason: 'too_many_members' },
      { kind: 'user', name: 'p0', reason: 'too_many_groups' },
    ])
  })
})

describe('Active Directory', () => {
  let scripted: ScriptedDirectory
  const guid = Buffer.from('00112233445566778899aabbccddeeff', 'hex')
  const other = Buffer.from('ffeeddccbbaa99887766554433221100', 'hex')
  afterAll(() => scripted.close())

  it('uses account names and binary IDs, and lets the server resolve nested groups', async () => {
    const of = (cn: string) => `CN=${cn},DC=example,DC=com`
    const ada = (asked: Asked) =>
      found(asked, of('Ada (admin)'), { objectGUID: guid, sAMAccountName: 'ada', userAccountControl: '512' })
    scripted = await startScriptedDirectory((asked) => {
      if (asked.what !== 'search') return [result(asked)]
      if (asked.filter.includes('1.2.840.113556.1.4.1941'))
        return asked.filter.includes('CN=Crew \\28all\\29') ? [ada(asked), result(asked)] : [result(asked)]
      if (asked.filter.toLowerCase() === '(objectclass=group)')
        return [
          found(asked, of('Crew (all)'), { objectGUID: Buffer.alloc(16, 1), cn: 'Crew (all)' }),
          found(asked, of('Others'), { objectGUID: Buffer.alloc(16, 2), cn: 'Others' }),
          result(asked),
        ]
      if (asked.cookie === '') return [ada(asked), result(asked, 0, 'second')]
      return [
        found(asked, of('Eve'), { objectGUID: other, sAMAccountName: 'eve', userAccountControl: '514' }),
        found(asked, of('PC7'), { objectGUID: Buffer.alloc(16, 9), sAMAccountName: 'PC7$' }),
        result(asked),
      ]
    })
    const directory = directoryAt(scripted.port, {
      ...ldapDefaults.ad,
      connection_security: 'none',
      port: scripted.port,
    })
    const { people, groups, faults } = await readDirectory(directory, password, { patience })
    const id = '33221100-5544-7766-8899-aabbccddeeff'
    expect(people).toEqual([
      { id, name: 'ada', email: null, title: '', enabled: true },
      { id: 'ccddeeff-aabb-8899-7766-554433221100', name: 'eve', email: null, title: '', enabled: false },
    ])
    expect(groups.map(({ name, members }) => [name, members])).toEqual([
      ['Crew (all)', [id]],
      ['Others', []],
    ])
    expect(faults).toEqual([])
    expect(scripted.asked[0]).toMatchObject({ what: 'bind', dn: READER, password: READER_PASSWORD })
  })
})
