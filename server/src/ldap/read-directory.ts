import { mostGroupsOfUser, mostMembers } from '@mainstay/contract/identity/groups'
import { fieldProblem } from '@mainstay/contract/core/problems'
import { MOST_LDAP_GROUPS, MOST_LDAP_PEOPLE, type LdapFault, type LdapFound } from '@mainstay/contract/settings/ldap'
import type { KnownNames } from '@mainstay/engines/ports/directory-imports'
import type { Secret } from '@mainstay/engines/ports/secret'
import { AndFilter, EqualityFilter, ExtensibleFilter, FilterParser, OrFilter, type Filter } from 'ldapts'
import type { LdapEntry } from './answers'
import { connect, type LdapConnection, type LdapPatience } from './connection'
import { idOf, nameOf, shownOf, textsOf } from './entries'
import { folded, sameDn } from './names'
import { checkAuthorities, type Directory } from './settings'

/** A user in the directory. `id` is assigned by the directory and survives renames. */
interface FoundPerson {
  id: string
  name: string
  email: string | null
  /** Display name of the user. */
  title: string
  /** Whether the account is enabled in the directory. */
  enabled: boolean
}
interface FoundGroup {
  id: string
  name: string
  title: string
  /** IDs of the members, including members of nested groups. */
  members: string[]
}
interface Fault {
  kind: 'user' | 'group'
  name: string
  reason: LdapFault
}
interface FoundDirectory {
  people: FoundPerson[]
  groups: FoundGroup[]
  faults: Fault[]
}

const searchPatience: LdapPatience = { withinMs: 15 * 60_000, quietMs: 30_000 }

/**
 * Connects and binds. Throws the errors of `connect` and `bind`, or a `validation` error if a setting is missing or
 * invalid.
 */
export async function openDirectory(
  directory: Directory,
  password: Secret | null,
  patience: LdapPatience,
  signal?: AbortSignal,
): Promise<LdapConnection> {
  const { host, port, connection_security: security, ca_certificate: ca, bind_dn } = directory
  if (host === '') throw fieldProblem('host', 'settings.enter_directory_host')
  checkAuthorities(directory)
  if (directory.search_base_dn === '') throw fieldProblem('search_base_dn', 'settings.enter_search_base')
  const connection = await connect({ host, port, security, ca }, patience, signal)
  if (bind_dn === '') return connection
  try {
    if (password === null) throw fieldProblem('bind_password', 'settings.enter_bind_password')
    await connection.bind(bind_dn, password)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Parses the user filter in the settings. Throws a `validation` error on the `search_filter` field. */
export function peopleFilter({ search_filter }: Directory): Filter {
  try {
    return FilterParser.parseString(search_filter)
  } catch {
    throw fieldProblem('search_filter', 'settings.directory_filter')
  }
}

const isOfClass = (value: string) => new EqualityFilter({ attribute: 'objectClass', value })
const groupFilters = {
  ldap: new OrFilter({
    filters: ['groupOfNames', 'groupOfUniqueNames', 'groupOfMembers', 'posixGroup'].map(isOfClass),
  }),
  ad: isOfClass('group'),
}
const groupsFilter = ({ kind }: Directory): Filter => groupFilters[kind === 'ad' ? 'ad' : 'ldap']

/** Active Directory's matching rule that resolves nested groups, including those too large for one response. */
const IN_CHAIN = '1.2.840.113556.1.4.1941'
const isDisabledThere = (entry: LdapEntry) => (Number(textsOf(entry, 'userAccountControl')[0] ?? 0) & 2) !== 0

/** Computer accounts in Active Directory look like users, but their names end with `$`. */
const isMachine = ({ kind }: Directory, name: string) => kind === 'ad' && name.endsWith('$')

/** Counts users and groups to test the settings. Throws the same errors as `openDirectory` and `search`. */
export async function tryDirectory(
  directory: Directory,
  password: Secret | null,
  patience: LdapPatience,
): Promise<LdapFound> {
  const filter = peopleFilter(directory)
  const connection = await openDirectory(directory, password, patience)
  try {
    const { search_base_dn: base, user_search_login_attr: login, group_name_attr: groupName } = directory
    const names: string[] = []
    let [people, groups] = [0, 0]
    await connection.search({ base, filter, attributes: [login], most: MOST_LDAP_PEOPLE }, (entry) => {
      const { name } = nameOf(entry, login)
      if (name !== null && isMachine(directory, name)) return
      people += 1
      if (name !== null && names.length < 3) names.push(name)
    })
    const most = MOST_LDAP_GROUPS
    await connection.search({ base, filter: groupsFilter(directory), attributes: [groupName], most }, () => {
      groups += 1
    })
    return { people, groups, names }
  } finally {
    connection.close()
  }
}

interface GroupEntry extends Omit<FoundGroup, 'members'> {
  dn: string
  /** Distinguished names of members, normalized for comparison. */
  entries: string[]
  /** Usernames of members, folded for comparison. */
  logins: string[]
  /** Whether the directory sent only some of the members. */
  isCut: boolean
}

/**
 * Reads all users and groups, or throws if it cannot read all of them. `known`: names from the last import, kept while
 * the directory still lists them. Throws the same errors as `tryDirectory`.
 */
export async function readDirectory(
  directory: Directory,
  password: Secret | null,
  how: { patience?: LdapPatience; signal?: AbortSignal; known?: KnownNames } = {},
): Promise<FoundDirectory> {
  const { patience = searchPatience, signal, known } = how
  const filter = peopleFilter(directory)
  const connection = await openDirectory(directory, password, patience, signal)
  try {
    const faults: Fault[] = []
    const people = await readPeople(connection, directory, { filter, known: known?.user }, faults)
    const groups = await readGroups(connection, directory, known?.group, faults)
    const members =
      directory.kind === 'ad'
        ? await membersInChain(connection, directory, filter, groups, people)
        : membersByEntries(groups, people)
    return { people: [...people.all.values()], groups: withinLimits(groups, members, people, faults), faults }
  } finally {
    connection.close()
  }
}

interface People {
  all: Map<string, FoundPerson>
  byDn: Map<string, string>
  byLogin: Map<string, string>
}

async function readPeople(
  connection: LdapConnection,
  directory: Directory,
  { filter, known }: { filter: Filter; known: KnownNames['user'] | undefined },
  faults: Fault[],
): Promise<People> {
  const { search_base_dn: base, user_search_id_attr: idAttribute, user_search_login_attr: login } = directory
  const people: People = { all: new Map(), byDn: new Map(), byLogin: new Map() }
  const several = new Set<string>()
  const attributes = [...new Set([idAttribute, login, 'mail', 'displayName', 'cn', 'userAccountControl'])]
  await connection.search({ base, filter, attributes, most: MOST_LDAP_PEOPLE }, (entry) => {
    const id = idOf(entry, idAttribute)
    const { name, fault: unnamed } = nameOf(entry, login, known?.get(id ?? ''))
    const fault = (reason: LdapFault) => faults.push({ kind: 'user', name: name ?? entry.dn.slice(0, 255), reason })
    if (name === null) return void fault(unnamed)
    if (isMachine(directory, name)) return
    if (id === null) return void fault('id_missing')
    if (people.all.has(id) || several.has(id)) {
      // entries with the same ID cannot be told apart, so all of them are skipped
      several.add(id)
      people.all.delete(id)
      return void fault('id_not_unique')
    }
    const title = shownOf(entry, 'displayName') ?? shownOf(entry, 'cn') ?? ''
    people.all.set(id, { id, name, email: shownOf(entry, 'mail'), title, enabled: !isDisabledThere(entry) })
    people.byDn.set(sameDn(entry.dn), id)
    people.byLogin.set(folded(name), id)
  })
  return people
}

async function readGroups(
  connection: LdapConnection,
  directory: Directory,
  known: KnownNames['group'] | undefined,
  faults: Fault[],
): Promise<GroupEntry[]> {
  const { search_base_dn: base, group_search_id_attr: idAttribute, group_name_attr: nameAttribute } = directory
  const groups = new Map<string, GroupEntry>()
  const links = directory.kind === 'ad' ? [] : ['member', 'uniqueMember', 'memberUid']
  const attributes = [...new Set([idAttribute, nameAttribute, 'description', ...links])]
  const filter = groupsFilter(directory)
  // groups can have many values, so small pages keep the responses small
  const search = { base, filter, attributes, most: MOST_LDAP_GROUPS, pageSize: 100 }
  await connection.search(search, (entry) => {
    const id = idOf(entry, idAttribute)
    const { name, fault: unnamed } = nameOf(entry, nameAttribute, known?.get(id ?? ''))
    const fault = (reason: LdapFault) => faults.push({ kind: 'group', name: name ?? entry.dn.slice(0, 255), reason })
    if (name === null) return void fault(unnamed)
    if (id === null) return void fault('id_missing')
    if (groups.has(id)) return void fault('id_not_unique')
    groups.set(id, {
      ...{ id, name, title: shownOf(entry, 'description') ?? '', dn: entry.dn },
      entries: [...textsOf(entry, 'member'), ...textsOf(entry, 'uniqueMember')].map(sameDn),
      logins: textsOf(entry, 'memberUid').map(folded),
      isCut: links.some((it) => entry.cut.has(it.toLowerCase())),
    })
  })
  return [...groups.values()]
}

/** Members by group ID; null for a group if the directory sent only some of them. */
type Members = Map<string, Set<string> | null>

/** Resolves nested groups. Groups that contain each other get the same members. */
function membersByEntries(groups: readonly GroupEntry[], { all, byDn, byLogin }: People): Members {
  const groupByDn = new Map(groups.map((group) => [sameDn(group.dn), group]))
  return new Map(
    groups.map((group) => {
      const members = new Set<string>()
      const seen = new Set([group])
      for (const one of seen) {
        for (const entry of one.entries) {
          const [person, inner] = [byDn.get(entry), groupByDn.get(entry)]
          if (person !== undefined && all.has(person)) members.add(person)
          if (inner) seen.add(inner)
        }
        for (const login of one.logins) {
          const person = byLogin.get(login)
          if (person !== undefined && all.has(person)) members.add(person)
        }
      }
      return [group.id, [...seen].some(({ isCut }) => isCut) ? null : members]
    }),
  )
}

async function membersInChain(
  connection: LdapConnection,
  { search_base_dn: base, user_search_id_attr: idAttribute }: Directory,
  people: Filter,
  groups: readonly GroupEntry[],
  { all }: People,
): Promise<Members> {
  const members: Members = new Map()
  for (const { id, dn } of groups) {
    const found = new Set<string>()
    const isMember = new ExtensibleFilter({ rule: IN_CHAIN, matchType: 'memberOf', value: dn })
    const filter = new AndFilter({ filters: [people, isMember] })
    await connection.search({ base, filter, attributes: [idAttribute], most: MOST_LDAP_PEOPLE }, (entry) => {
      const person = idOf(entry, idAttribute)
      if (person !== null && all.has(person)) found.add(person)
    })
    members.set(id, found)
  }
  return members
}

/**
 * Applies the product limits: a group with too many members gets none, and a user is added only to the maximum number
 * of groups.
 */
function withinLimits(groups: readonly GroupEntry[], members: Members, { all }: People, faults: Fault[]): FoundGroup[] {
  const counts = new Map<string, number>()
  const above = new Set<string>()
  const kept = groups
    .toSorted((one, two) => (one.name < two.name ? -1 : 1))
    .map(({ id, name, title }) => {
      const wanted = members.get(id)!
      const isTooLarge = wanted === null || wanted.size > mostMembers
      if (isTooLarge) faults.push({ kind: 'group', name, reason: 'too_many_members' })
      const ids = (isTooLarge ? [] : [...wanted]).filter((person) => {
        const count = (counts.get(person) ?? 0) + 1
        counts.set(person, count)
        if (count > mostGroupsOfUser) above.add(person)
        return count <= mostGroupsOfUser
      })
      return { id, name, title, members: ids }
    })
  for (const id of above) faults.push({ kind: 'user', name: all.get(id)!.name, reason: 'too_many_groups' })
  return kept
}
